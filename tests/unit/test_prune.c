/*
 * test_prune.c - remove the frames that match drop_frames of the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are written leaf first. ";" separates their frames, "," the inlined lines of a frame, innermost first:
 * "malloc;inner,outer;main".
 */
#include "config.h"

#include "base/buf.h"
#include "profile/builder.h"
#include "tests/unit/check_profile.h"
#include "profile/prune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LINES_MAX = 8, FRAMES_MAX = 16 };

static struct err err, warning;

static uint32_t add_function(struct builder *b, const char *name)
{
	struct builder_function f = { .id = 1, .name = strtab_addz(builder_strings(b), name) };
	uint32_t id = 0;

	assert_int_equal(builder_function(b, &f, &id, &err), 0);
	return id;
}

/* A location with the lines of a frame; "" has none. */
static uint32_t add_frame(struct builder *b, char *frame)
{
	struct builder_location l = { .id = 1, .map = PROFILE_NONE };
	struct builder_line line[LINES_MAX] = { 0 };
	uint32_t id = 0;
	size_t n = 0;

	for (char *at, *name = strtok_r(frame, ",", &at); name; name = strtok_r(NULL, ",", &at))
		line[n++].func = add_function(b, name);
	assert_int_equal(builder_location(b, &l, line, n, &id, &err), 0);
	return id;
}

static struct profile *with_stacks(const char *drop, const char *keep, const char *const *stack, size_t n_stacks)
{
	struct builder *b = builder_new();
	struct strtab *str = builder_strings(b);
	struct profile *p;

	builder_type(b, strtab_addz(str, "samples"), strtab_addz(str, "count"));
	builder_meta(b)->drop_frames = strtab_addz(str, drop);
	builder_meta(b)->keep_frames = strtab_addz(str, keep);
	for (size_t i = 0; i < n_stacks; i++) {
		char *copy = strdup(stack[i]), *rest = copy, *frame;
		uint32_t locs[FRAMES_MAX];
		size_t n = 0;

		while ((frame = strsep(&rest, ";")))
			locs[n++] = add_frame(b, frame);
		assert_int_equal(builder_sample(b, &(int64_t){ 1 }, locs, n, NULL, 0, &err), 0);
		free(copy);
	}
	p = builder_seal(b);
	builder_free(b);
	return p;
}

/* The stack of a row in the same notation. */
static void assert_stack(const struct profile *p, uint32_t row, const char *expected)
{
	struct buf b = { 0 };
	uint32_t s = p->stack[row];

	for (uint32_t i = p->stacks.off[s]; i < p->stacks.off[s + 1]; i++) {
		uint32_t loc = stack_id_at(&p->stacks, i);

		buf_addz(&b, i > p->stacks.off[s] ? ";" : "");
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
			buf_addf(&b, "%s%s", l > p->loc_line[loc] ? "," : "",
				 profile_text(p, p->func_name[p->line_func[l]]));
	}
	assert_string_equal(buf_text(&b), expected);
	buf_release(&b);
}

/* Prune a stack and check the result. */
static void assert_pruned(const char *drop, const char *keep, const char *stack, const char *expected)
{
	struct profile *p = with_stacks(drop, keep, &stack, 1);

	assert_int_equal(profile_prune(p, &warning, &err), 0);
	assert_string_equal(warning.msg, "");
	if (profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_stack(p, 0, expected);
	profile_free(p);
}

static void a_frame_is_dropped_with_its_callees(void **state)
{
	(void)state;
	assert_pruned("malloc", "", "brk;malloc;work;main", "work;main");
}

static void the_match_nearest_to_the_root_decides(void **state)
{
	(void)state;
	assert_pruned("malloc", "", "malloc;hook;malloc;work;main", "work;main");
}

static void expressions_match_whole_names(void **state)
{
	(void)state;
	assert_pruned("alloc", "", "malloc;main", "malloc;main");
	assert_pruned("alloc|malloc", "", "malloc;main", "main");
}

static void matches_before_the_first_user_frame_are_kept(void **state)
{
	(void)state;
	assert_pruned("start|run", "", "work;run;start", "work;run;start");
	assert_pruned("start|run", "", "run;work;run;start", "work;run;start");
	assert_pruned("start|run", "", "run;start", "run;start");
}

static void keep_frames_override_drop_frames(void **state)
{
	(void)state;
	assert_pruned("m.*", "malloc_.*", "brk;malloc_x;work;root", "brk;malloc_x;work;root");
	assert_pruned("m.*", "malloc_.*", "malloc_x;mmap;work;root", "work;root");
}

static void keep_frames_alone_drop_nothing(void **state)
{
	(void)state;
	assert_pruned("", "m.*", "malloc;main", "malloc;main");
}

static void an_inlined_match_removes_the_lines_up_to_it(void **state)
{
	(void)state;
	assert_pruned("malloc", "", "brk;fast,malloc,new,work;main", "new,work;main");
}

static void a_match_of_the_outermost_line_removes_the_frame(void **state)
{
	(void)state;
	assert_pruned("malloc", "", "brk;fast,malloc;main", "main");
}

static void inlined_matches_are_removed_in_every_stack(void **state)
{
	const char *const stacks[] = { "malloc,outer" };
	struct profile *p = with_stacks("malloc", "", stacks, 1);

	(void)state;
	assert_int_equal(profile_prune(p, &warning, &err), 0);
	assert_stack(p, 0, "outer");
	profile_free(p);
}

static void frames_without_lines_are_user_frames(void **state)
{
	(void)state;
	assert_pruned("malloc", "", "malloc;;malloc", ";malloc");
}

static void arguments_are_not_matched(void **state)
{
	(void)state;
	assert_pruned("operator new", "", "operator new(unsigned long);main", "main");
	assert_pruned("f", "", "f;main", "main");
	assert_pruned("f", "", ".f;main", "main");
	assert_pruned("f", "", "..f;main", "..f;main");
}

static void parentheses_within_a_name_are_matched(void **state)
{
	(void)state;
	assert_pruned("\\(anonymous namespace\\)::f", "", "(anonymous namespace)::f(int);main", "main");
	assert_pruned("A::operator\\(\\)", "", "A::operator()(int);main", "main");
	assert_pruned("A::operator", "", "A::operator()(int);main", "A::operator()(int);main");
}

static void other_stacks_are_unchanged(void **state)
{
	const char *const stacks[] = { "a;b", "brk;malloc;main", "c;d;e" };
	struct profile *p = with_stacks("malloc", "", stacks, 3);

	(void)state;
	assert_int_equal(profile_prune(p, &warning, &err), 0);
	assert_stack(p, 0, "a;b");
	assert_stack(p, 1, "main");
	assert_stack(p, 2, "c;d;e");
	profile_free(p);
}

static void an_invalid_drop_frames_drops_nothing_and_warns(void **state)
{
	const char *const stacks[] = { "malloc;main" };
	struct profile *p = with_stacks("mal(loc", "", stacks, 1);

	(void)state;
	assert_int_equal(profile_prune(p, &warning, &err), 0);
	assert_non_null(strstr(warning.msg, "drop_frames"));
	assert_stack(p, 0, "malloc;main");
	profile_free(p);
}

static void an_invalid_keep_frames_drops_nothing_and_warns(void **state)
{
	const char *const stacks[] = { "malloc;main" };
	struct profile *p = with_stacks("malloc", "[", stacks, 1);

	(void)state;
	assert_int_equal(profile_prune(p, &warning, &err), 0);
	assert_non_null(strstr(warning.msg, "keep_frames"));
	assert_stack(p, 0, "malloc;main");
	profile_free(p);
}

/* An expression with more parallel alternatives than the matcher can follow. */
#define MANY "(a?){999}"

static void an_exponential_expression_is_an_error_and_changes_nothing(void **state)
{
	const char *const stacks[] = { "in,z,out;aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab;main" };
	struct profile *p = with_stacks("z|" MANY MANY MANY MANY MANY MANY "b{99}", "", stacks, 1);

	(void)state;
	assert_int_equal(profile_prune(p, &warning, &err), ERR_LIMIT);
	assert_non_null(strstr(err.msg, "drop_frames: "));
	assert_stack(p, 0, stacks[0]);
	profile_free(p);
}

static bool is_named_drop(const struct profile *p, uint32_t loc)
{
	uint32_t line = p->loc_line[loc];

	return line < p->loc_line[loc + 1] && strcmp(profile_text(p, p->func_name[p->line_func[line]]), "drop") == 0;
}

static void leaves_are_dropped_but_not_the_last_frame(void **state)
{
	static const char *const stack[] = { "drop;drop;wait;drop;main", "drop;;main", "drop;drop", "main;drop",
					     "drop,a;b" };
	static const char *const expected[] = { "wait;drop;main", ";main", "drop", "main;drop", "b" };
	struct profile *p = with_stacks("", "", stack, 5);

	(void)state;
	profile_drop_leaves(p, is_named_drop);
	for (uint32_t i = 0; i < 5; i++)
		assert_stack(p, i, expected[i]);
	assert_int_equal(profile_check(p, &err), 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_dropped_with_its_callees),
		cmocka_unit_test(leaves_are_dropped_but_not_the_last_frame),
		cmocka_unit_test(the_match_nearest_to_the_root_decides),
		cmocka_unit_test(expressions_match_whole_names),
		cmocka_unit_test(matches_before_the_first_user_frame_are_kept),
		cmocka_unit_test(keep_frames_override_drop_frames),
		cmocka_unit_test(keep_frames_alone_drop_nothing),
		cmocka_unit_test(an_inlined_match_removes_the_lines_up_to_it),
		cmocka_unit_test(a_match_of_the_outermost_line_removes_the_frame),
		cmocka_unit_test(inlined_matches_are_removed_in_every_stack),
		cmocka_unit_test(frames_without_lines_are_user_frames),
		cmocka_unit_test(arguments_are_not_matched),
		cmocka_unit_test(parentheses_within_a_name_are_matched),
		cmocka_unit_test(other_stacks_are_unchanged),
		cmocka_unit_test(an_invalid_drop_frames_drops_nothing_and_warns),
		cmocka_unit_test(an_invalid_keep_frames_drops_nothing_and_warns),
		cmocka_unit_test(an_exponential_expression_is_an_error_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
