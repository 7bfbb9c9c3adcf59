/*
 * test_filter.c - filters by name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter.h"
#include "engine/query.h"

#include "base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/make_filter.h"

/* Three rows. b was inlined into a; main is in app.go. */
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
	EXPECT_FILTERED(p, &q, rows, notes);
	query_release(&q);
	profile_free(p);
}

static void without_filters_the_result_is_the_profile_itself(void **state)
{
	struct profile *p = sample();
	struct query q;
	struct filtered l;

	(void)state;
	query_init(&q);
	l = filtered_run(p, &q);
	assert_ptr_equal(l.p, p);
	filtered_release(&l);
	query_release(&q);
	profile_free(p);
}

static void focus_keeps_rows_with_a_matching_frame(void **state)
{
	(void)state;
	check("focus", "^b$", "leaf;b+a;main@app.go 1\nb+a;main@app.go 2", "");
}

static void focus_matches_files_too(void **state)
{
	(void)state;
	check("ignore", "^app.go$", "", "No samples are left after ignore\n");
}

static void ignore_removes_rows_with_a_matching_frame(void **state)
{
	(void)state;
	check("ignore", "leaf", "b+a;main@app.go 2\nother;main@app.go 4", "");
}

static void hide_removes_lines_and_frames_without_lines(void **state)
{
	(void)state;
	check("hide", "^(b|leaf)$", "a;main@app.go 1\na;main@app.go 2\nother;main@app.go 4", "");
}

static void removes_rows_whose_frames_are_all_hidden(void **state)
{
	(void)state;
	check("hide", "[^r]$", "other 4", "");
}

static void show_keeps_only_matching_frames(void **state)
{
	(void)state;
	check("show", "^a$|other", "a 1\na 2\nother 4", "");
}

static void show_from_removes_callers_of_the_outermost_match(void **state)
{
	(void)state;
	check("show_from", "^b$", "leaf;b 1\nb 2", "");
}

static void prune_from_removes_callees_of_the_innermost_match(void **state)
{
	(void)state;
	check("prune_from", "^a$", "a;main@app.go 1\na;main@app.go 2\nother;main@app.go 4", "");
}

static void prune_from_matches_names_without_arguments(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.prune_from = "^ns::f$");

	(void)state;
	ROW(&m, "leaf;ns::f(int);main", 1);
	p = make_end(&m);
	EXPECT_FILTERED(p, &q, "ns::f(int);main 1", "");
	query_release(&q);
	profile_free(p);
}

static void prune_from_skips_functions_without_a_name(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.prune_from = "^(main)?$");

	(void)state;
	ROW(&m, "leaf;@x.c;main", 1);
	p = make_end(&m);
	EXPECT_FILTERED(p, &q, "main 1", "");
	query_release(&q);
	profile_free(p);
}

static void filters_by_name_remove_empty_stacks(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.hide = "nothing");

	(void)state;
	ROW(&m, "main", 1);
	ROW(&m, "", 2);
	p = make_end(&m);
	EXPECT_FILTERED(p, &q, "main 1", "Hide expression matched no samples\n");
	query_release(&q);
	profile_free(p);
}

static void a_matching_binary_file_matches_all_its_frames(void **state)
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
	EXPECT_FILTERED(p, &q, "f;main 1", "");
	EXPECT_FILTERED(p, &hide, "jit 2", "");
	query_release(&q);
	query_release(&hide);
	profile_free(p);
}

static void show_hides_frames_without_a_name(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q = ASK(q_.show = "main");

	(void)state;
	ROW(&m, "0x10=;main", 1);
	p = make_end(&m);
	EXPECT_FILTERED(p, &q, "main 1", "");
	query_release(&q);
	profile_free(p);
}

static void filters_work_one_after_another(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.focus = "^a$"; q_.ignore = "leaf"; q_.hide = "^b$"; q_.prune_from = "main");

	(void)state;
	EXPECT_FILTERED(p, &q, "main@app.go 2", "");
	query_release(&q);
	profile_free(p);
}

static void does_not_change_the_original_profile(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.hide = "b"; q_.show_from = "a"; q_.tagroot = "k");
	struct buf before = { 0 }, after = { 0 };
	struct filtered l;

	(void)state;
	write_rows(p, &before);
	l = filtered_run(p, &q);
	write_rows(p, &after);
	assert_string_equal(buf_text(&before), buf_text(&after));
	filtered_release(&l);
	buf_release(&before);
	buf_release(&after);
	query_release(&q);
	profile_free(p);
}

static void reports_the_first_invalid_expression(void **state)
{
	struct profile *p = sample();
	struct query q = ASK(q_.taghide = "("; q_.prune_from = "a**"; q_.focus = "main");

	(void)state;
	EXPECT_FILTERED(
		p, &q, "parsing prune_from regexp: error parsing regexp: invalid nested repetition operator: `**`", "");
	query_release(&q);
	profile_free(p);
}

static void suggests_similar_names(void **state)
{
	(void)state;
	check("focus", "MAIN", "", "Focus expression matched no samples; did you mean main\n");
	check("focus", "laef", "", "Focus expression matched no samples; did you mean leaf\n");
	check("ignore", "^Other$", "leaf;b+a;main@app.go 1\nb+a;main@app.go 2\nother;main@app.go 4",
	      "Ignore expression matched no samples; did you mean other\n");
	check("show_from", "nosuchname", "", "ShowFrom expression matched no samples\n");
}

static void the_result_does_not_depend_on_the_number_of_threads(void **state)
{
	struct make m = make_start("cpu/ns");
	struct query q = ASK(q_.focus = "f[1-5]"; q_.hide = "f3"; q_.prune_from = "f2");
	struct filtered one, four;
	struct profile *p;
	char stack[64];

	(void)state;
	for (int i = 0; i < 60000; i++) {
		snprintf(stack, sizeof(stack), "g%d;f%d;f%d;x;y;z;main", i, i % 10, i % 7);
		ROW(&m, stack, i);
	}
	p = make_end(&m);
	pool_set_size(1);
	one = filtered_run(p, &q);
	pool_set_size(4);
	four = filtered_run(p, &q);
	pool_set_size(0);
	assert_true(one.rows.len > 100000);
	assert_string_equal(buf_text(&one.rows), buf_text(&four.rows));
	filtered_release(&one);
	filtered_release(&four);
	query_release(&q);
	profile_free(p);
}

static void no_inlines_keeps_only_the_outermost_function(void **state)
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
	write_rows(d, &rows);
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
		cmocka_unit_test(without_filters_the_result_is_the_profile_itself),
		cmocka_unit_test(focus_keeps_rows_with_a_matching_frame),
		cmocka_unit_test(focus_matches_files_too),
		cmocka_unit_test(ignore_removes_rows_with_a_matching_frame),
		cmocka_unit_test(hide_removes_lines_and_frames_without_lines),
		cmocka_unit_test(removes_rows_whose_frames_are_all_hidden),
		cmocka_unit_test(show_keeps_only_matching_frames),
		cmocka_unit_test(show_from_removes_callers_of_the_outermost_match),
		cmocka_unit_test(prune_from_removes_callees_of_the_innermost_match),
		cmocka_unit_test(prune_from_matches_names_without_arguments),
		cmocka_unit_test(prune_from_skips_functions_without_a_name),
		cmocka_unit_test(filters_by_name_remove_empty_stacks),
		cmocka_unit_test(a_matching_binary_file_matches_all_its_frames),
		cmocka_unit_test(show_hides_frames_without_a_name),
		cmocka_unit_test(filters_work_one_after_another),
		cmocka_unit_test(does_not_change_the_original_profile),
		cmocka_unit_test(reports_the_first_invalid_expression),
		cmocka_unit_test(suggests_similar_names),
		cmocka_unit_test(the_result_does_not_depend_on_the_number_of_threads),
		cmocka_unit_test(no_inlines_keeps_only_the_outermost_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
