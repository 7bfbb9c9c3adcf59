/*
 * test_filter.c - filters by name, and what they leave
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter.h"

#include "base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/make_filter.h"

/* Three rows; b was inlined into a, main is in app.go. */
static struct profile *sample(void)
{
	struct make m = make_start("cpu/ns");

	ROW(&m, "leaf;b+a;main@app.go", 1);
	ROW(&m, "b+a;main@app.go", 2);
	ROW(&m, "other;main@app.go", 4);
	return make_end(&m);
}

#define ASK(...)                                                                                                       \
	({                                                                                                             \
		struct query q_;                                                                                       \
                                                                                                                       \
		query_init(&q_);                                                                                       \
		__VA_ARGS__;                                                                                           \
		q_;                                                                                                    \
	})

static void check(const char *option, const char *value, const char *rows, const char *notes)
{
	struct profile *p = sample();
	struct query q;

	query_init(&q);
	for (size_t i = 0; i < query_n_options; i++)
		if (strcmp(query_options[i].name, option) == 0)
			memcpy((char *)&q + query_options[i].at, &value, sizeof(value));
	EXPECT_LEFT(p, &q, rows, notes);
	query_release(&q);
	profile_free(p);
}

static void without_a_filter_the_profile_itself_is_the_answer(void **state)
{
	struct profile *p = sample();
	struct query q;
	struct left l;

	(void)state;
	query_init(&q);
	l = leave(p, &q);
	assert_ptr_equal(l.p, p);
	left_free(&l);
	query_release(&q);
	profile_free(p);
}

static void focus_keeps_rows_with_a_frame_that_matches(void **state)
{
	(void)state;
	check("focus", "^b$", "leaf;b+a;main@app.go 1\nb+a;main@app.go 2", "");
}

static void files_are_matched_too(void **state)
{
	(void)state;
	check("ignore", "^app.go$", "", "No samples are left after ignore\n");
}

static void ignore_drops_rows_with_a_frame_that_matches(void **state)
{
	(void)state;
	check("ignore", "leaf", "b+a;main@app.go 2\nother;main@app.go 4", "");
}

static void hide_takes_lines_and_then_frames_away(void **state)
{
	(void)state;
	check("hide", "^(b|leaf)$", "a;main@app.go 1\na;main@app.go 2\nother;main@app.go 4", "");
}

static void rows_whose_frames_are_all_hidden_go(void **state)
{
	(void)state;
	check("hide", "[^r]$", "other 4", "");
}

static void show_leaves_only_what_matches(void **state)
{
	(void)state;
	check("show", "^a$|other", "a 1\na 2\nother 4", "");
}

static void show_from_cuts_callers_of_the_outermost_match(void **state)
{
	(void)state;
	check("show_from", "^b$", "leaf;b 1\nb 2", "");
}

static void prune_from_cuts_what_the_innermost_match_calls(void **state)
{
	(void)state;
	check("prune_from", "^a$", "a;main@app.go 1\na;main@app.go 2\nother;main@app.go 4", "");
}

static void prune_from_looks_at_names_without_arguments(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.prune_from = "^ns::f$");

	(void)state;
	ROW(&m, "leaf;ns::f(int);main", 1);
	p = make_end(&m);
	EXPECT_LEFT(p, &q, "ns::f(int);main 1", "");
	query_release(&q);
	profile_free(p);
}

static void prune_from_passes_over_functions_without_a_name(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.prune_from = "^(main)?$");

	(void)state;
	ROW(&m, "leaf;@x.c;main", 1);
	p = make_end(&m);
	EXPECT_LEFT(p, &q, "main 1", "");
	query_release(&q);
	profile_free(p);
}

static void empty_stacks_go_as_soon_as_names_are_asked_for(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.hide = "nothing");

	(void)state;
	ROW(&m, "main", 1);
	ROW(&m, "", 2);
	p = make_end(&m);
	EXPECT_LEFT(p, &q, "main 1", "Hide expression matched no samples\n");
	query_release(&q);
	profile_free(p);
}

static void the_file_of_the_binary_counts_for_all_its_frames(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.focus = "bin/app"), hide = ASK(q_.hide = "bin/app");

	(void)state;
	make_map(&m, "/usr/bin/app");
	ROW(&m, "f;main", 1);
	m.map = PROFILE_NONE;
	ROW(&m, "jit", 2);
	p = make_end(&m);
	EXPECT_LEFT(p, &q, "f;main 1", "");
	EXPECT_LEFT(p, &hide, "jit 2", "");
	query_release(&q);
	query_release(&hide);
	profile_free(p);
}

static void frames_without_a_name_are_hidden_by_show(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.show = "main");

	(void)state;
	ROW(&m, "0x10=;main", 1);
	p = make_end(&m);
	EXPECT_LEFT(p, &q, "main 1", "");
	query_release(&q);
	profile_free(p);
}

static void filters_work_one_after_another(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.focus = "^a$"; q_.ignore = "leaf"; q_.hide = "^b$"; q_.prune_from = "main");

	(void)state;
	EXPECT_LEFT(p, &q, "main@app.go 2", "");
	query_release(&q);
	profile_free(p);
}

static void the_profile_given_stays_as_it_is(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.hide = "b"; q_.show_from = "a"; q_.tagroot = "k");
	struct buf before = { 0 }, after = { 0 };
	struct left l;

	(void)state;
	tell_rows(p, &before);
	l = leave(p, &q);
	tell_rows(p, &after);
	assert_string_equal(buf_text(&before), buf_text(&after));
	left_free(&l);
	buf_release(&before);
	buf_release(&after);
	query_release(&q);
	profile_free(p);
}

static void the_first_expression_that_does_not_parse_is_told(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.taghide = "("; q_.prune_from = "a**"; q_.focus = "main");

	(void)state;
	EXPECT_LEFT(p, &q, "parsing prune_from regexp: error parsing regexp: invalid nested repetition operator: `**`",
		    "");
	query_release(&q);
	profile_free(p);
}

static void a_name_that_is_not_there_gets_the_nearest_ones(void **state)
{
	(void)state;
	check("focus", "MAIN", "", "Focus expression matched no samples; did you mean main\n");
	check("focus", "laef", "", "Focus expression matched no samples; did you mean leaf\n");
	check("ignore", "^Other$", "leaf;b+a;main@app.go 1\nb+a;main@app.go 2\nother;main@app.go 4",
	      "Ignore expression matched no samples; did you mean other\n");
	check("show_from", "nosuchname", "", "ShowFrom expression matched no samples\n");
}

static void columns_of_the_base_lose_the_same_rows(void **state)
{
	struct profile *p = sample();
	int64_t base_values[] = { 5, 6, 7 }, *base[] = { base_values };
	struct query q = ASK(q_.focus = "other");
	struct left l;

	(void)state;
	p->value[SIDE_BASE] = base;
	l = leave(p, &q);
	assert_int_equal(l.p->n_rows, 1);
	assert_int_equal(l.p->value[SIDE_BASE][0][0], 7);
	left_free(&l);
	p->value[SIDE_BASE] = NULL;
	query_release(&q);
	profile_free(p);
}

static void any_number_of_threads_leaves_the_same(void **state)
{
	struct make m = make_start("cpu/ns");
	struct query q = ASK(q_.focus = "f[1-5]"; q_.hide = "f3"; q_.prune_from = "f2");
	struct left one, four;
	struct profile *p;
	char stack[64];

	(void)state;
	for (int i = 0; i < 60000; i++) {
		snprintf(stack, sizeof(stack), "g%d;f%d;f%d;x;y;z;main", i, i % 10, i % 7);
		ROW(&m, stack, i);
	}
	p = make_end(&m);
	pool_set_size(1);
	one = leave(p, &q);
	pool_set_size(4);
	four = leave(p, &q);
	pool_set_size(0);
	assert_true(one.rows.len > 100000);
	assert_string_equal(buf_text(&one.rows), buf_text(&four.rows));
	left_free(&one);
	left_free(&four);
	query_release(&q);
	profile_free(p);
}

static void without_inlines_a_location_is_its_function(void **state)
{
	struct make m = make_start("cpu/ns");
	struct arena *mem = arena_new();
	const struct profile *d;
	struct buf rows = { 0 };
	struct profile *p;

	(void)state;
	ROW(&m, "b+a@f:7:3;main", 1);
	p = make_end(&m);
	d = filter_no_inlines(p, true, mem);
	tell_rows(d, &rows);
	assert_string_equal(buf_text(&rows), "a@f;main 1");
	assert_int_equal(d->line_no[0], 7);
	assert_int_equal(d->line_col[0], 3);
	assert_int_equal(filter_no_inlines(p, false, mem)->line_col[0], 0);
	buf_release(&rows);
	arena_free(mem);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_filter_the_profile_itself_is_the_answer),
		cmocka_unit_test(focus_keeps_rows_with_a_frame_that_matches),
		cmocka_unit_test(files_are_matched_too),
		cmocka_unit_test(ignore_drops_rows_with_a_frame_that_matches),
		cmocka_unit_test(hide_takes_lines_and_then_frames_away),
		cmocka_unit_test(rows_whose_frames_are_all_hidden_go),
		cmocka_unit_test(show_leaves_only_what_matches),
		cmocka_unit_test(show_from_cuts_callers_of_the_outermost_match),
		cmocka_unit_test(prune_from_cuts_what_the_innermost_match_calls),
		cmocka_unit_test(prune_from_looks_at_names_without_arguments),
		cmocka_unit_test(prune_from_passes_over_functions_without_a_name),
		cmocka_unit_test(empty_stacks_go_as_soon_as_names_are_asked_for),
		cmocka_unit_test(the_file_of_the_binary_counts_for_all_its_frames),
		cmocka_unit_test(frames_without_a_name_are_hidden_by_show),
		cmocka_unit_test(filters_work_one_after_another),
		cmocka_unit_test(the_profile_given_stays_as_it_is),
		cmocka_unit_test(the_first_expression_that_does_not_parse_is_told),
		cmocka_unit_test(a_name_that_is_not_there_gets_the_nearest_ones),
		cmocka_unit_test(columns_of_the_base_lose_the_same_rows),
		cmocka_unit_test(any_number_of_threads_leaves_the_same),
		cmocka_unit_test(without_inlines_a_location_is_its_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
