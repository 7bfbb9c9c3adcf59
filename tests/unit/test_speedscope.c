/*
 * test_speedscope.c - profiles for speedscope.app
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The status; out may be NULL. p is freed. */
static int draw_as(struct profile *p, const char *type, bool inverted, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct buf text = { 0 }, notes = { 0 };
	struct query q;
	struct view v;
	int rc;

	query_init(&q);
	q.sample_index = type;
	q.inverted = inverted;
	assert_int_equal(view_make(p, &q, mem, &v, &notes, err), 0);
	rc = speedscope_draw(&v, &q, &text, err);
	if (out)
		*out = text;
	else
		buf_release(&text);
	buf_release(&notes);
	query_release(&q);
	arena_free(mem);
	profile_free(p);
	return rc;
}

static int draw(struct profile *p, const char *type, struct buf *out, struct err *err)
{
	return draw_as(p, type, false, out, err);
}

/* Draw and look for a piece of text. */
static void shows(struct make *m, const char *type, const char *want)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(draw(make_end(m), type, &out, &err), 0);
	if (!strstr(buf_text(&out), want))
		fail_msg("no %s in:\n%s", want, buf_text(&out));
	buf_release(&out);
}

static void stacks_are_frames_from_the_root_with_inlined_ones(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "in+out;main", 3);
	ROW(&m, "main", 4);
	ROW(&m, "in+out;main", 5);
	shows(&m, "", "\"samples\": [[2,1,0],\n[2]],\n      \"weights\": [8,\n4]");
}

static void an_inverted_stack_starts_at_its_leaf(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct buf out = { 0 };
	struct err err;

	(void)state;
	ROW(&m, "in+out;main", 3);
	assert_int_equal(draw_as(make_end(&m), "", true, &out, &err), 0);
	assert_non_null(strstr(buf_text(&out), "\"samples\": [[0,1,2]]"));
	buf_release(&out);
}

static void a_function_has_the_file_and_line_where_it_begins(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "f@/src/f.c:20^12", 3);
	shows(&m, "", "{\"name\": \"f\", \"file\": \"/src/f.c\", \"line\": 12}");
}

static void every_type_is_a_profile_and_the_chosen_one_is_active(void **state)
{
	struct make m = make_start("objects/count space/bytes wait/ms");

	(void)state;
	ROW(&m, "f", 1, 2, 3);
	shows(&m, "space", "\"activeProfileIndex\": 1,");
}

static void units_that_speedscope_knows_are_spelt_its_way(void **state)
{
	struct make m = make_start("wait/ms");

	(void)state;
	ROW(&m, "f", 1);
	shows(&m, "", "\"name\": \"wait\",\n      \"unit\": \"milliseconds\"");
}

static void other_units_are_none_and_stand_in_the_name(void **state)
{
	struct make m = make_start("space/pages");

	(void)state;
	ROW(&m, "f", 1);
	shows(&m, "", "\"name\": \"space (pages)\",\n      \"unit\": \"none\"");
}

static void stacks_of_weight_0_are_left_out(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "f", 0);
	ROW(&m, "g", 7);
	ROW(&m, "h", 2);
	ROW(&m, "h", -2);
	shows(&m, "", "\"samples\": [[1]],\n      \"weights\": [7]");
}

static void a_negative_weight_is_refused_by_its_type(void **state)
{
	struct make m = make_start("a/count b/count");
	struct err err;

	(void)state;
	ROW(&m, "f", -1, 1);
	assert_int_equal(draw(make_end(&m), "b", NULL, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "a has negative values, which speedscope cannot show"));
}

static void a_type_that_is_not_asked_for_may_not_overflow(void **state)
{
	struct make m = make_start("a/count b/count");
	struct err err;

	(void)state;
	ROW(&m, "f", INT64_MAX, 1);
	ROW(&m, "g", 1, 1);
	assert_int_equal(draw(make_end(&m), "b", NULL, &err), ERR_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_frames_from_the_root_with_inlined_ones),
		cmocka_unit_test(an_inverted_stack_starts_at_its_leaf),
		cmocka_unit_test(a_function_has_the_file_and_line_where_it_begins),
		cmocka_unit_test(every_type_is_a_profile_and_the_chosen_one_is_active),
		cmocka_unit_test(units_that_speedscope_knows_are_spelt_its_way),
		cmocka_unit_test(other_units_are_none_and_stand_in_the_name),
		cmocka_unit_test(stacks_of_weight_0_are_left_out),
		cmocka_unit_test(a_negative_weight_is_refused_by_its_type),
		cmocka_unit_test(a_type_that_is_not_asked_for_may_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
