/*
 * test_trend.c - values of functions over several profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "report/trend.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

#define HOUR INT64_C(3600000000000)

static void add(struct trend *t, const struct query *q, int64_t time_ns, int64_t a, int64_t b)
{
	struct make m = make_start("inuse_space/bytes");
	struct profile *p;
	struct err err;

	if (a)
		ROW(&m, "a;main", a);
	if (b)
		ROW(&m, "b;main", b);
	builder_meta(m.b)->time_ns = time_ns;
	p = make_end(&m);
	if (trend_add(t, p, &q->filter, NULL, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	profile_free(p);
}

static struct trend_row row_named(const struct trend *t, const char *name)
{
	for (uint32_t i = 0; i < match_count(trend_match(t)); i++)
		if (strcmp(match_name(trend_match(t), i), name) == 0)
			return trend_row(t, i);
	fail_msg("no row is named %s", name);
	return (struct trend_row){ 0 };
}

static void slopes_are_from_least_squares(void **state)
{
	struct trend *t = trend_new();
	struct query q;

	(void)state;
	query_init(&q);
	add(t, &q, HOUR, 10, 5);
	add(t, &q, 2 * HOUR, 20, 0);
	add(t, &q, 4 * HOUR, 40, 5);
	assert_float_equal(row_named(t, "a").slope_hour, 10, 1e-9);
	assert_float_equal(row_named(t, "a").slope_step, 15, 1e-9);
	assert_int_equal(row_named(t, "a").n_grown, 2);
	assert_int_equal(row_named(t, "a").n_fallen, 0);
	assert_int_equal(row_named(t, "b").n_grown, 1);
	assert_int_equal(row_named(t, "b").n_fallen, 1);
	assert_float_equal(row_named(t, "b").slope_step, 0, 1e-9);
	assert_int_equal(trend_summary(t).total.first, 15);
	assert_int_equal(trend_summary(t).total.last, 45);
	assert_true(trend_summary(t).has_times);
	trend_free(t);
}

static void a_function_that_appears_late_was_0_before(void **state)
{
	struct trend *t = trend_new();
	struct query q;

	(void)state;
	query_init(&q);
	add(t, &q, 0, 10, 0);
	add(t, &q, 0, 10, 6);
	add(t, &q, 0, 10, 12);
	assert_int_equal(row_named(t, "b").first, 0);
	assert_int_equal(row_named(t, "b").last, 12);
	assert_float_equal(row_named(t, "b").slope_step, 6, 1e-9);
	assert_int_equal(row_named(t, "b").n_grown, 2);
	assert_false(trend_summary(t).has_times);
	trend_free(t);
}

static void decreasing_times_are_detected(void **state)
{
	struct trend *t = trend_new();
	struct query q;

	(void)state;
	query_init(&q);
	add(t, &q, 2 * HOUR, 1, 1);
	add(t, &q, HOUR, 2, 2);
	assert_true(trend_summary(t).out_of_order);
	assert_false(trend_summary(t).has_times);
	assert_float_equal(row_named(t, "a").slope_hour, 0, 0);
	trend_free(t);
}

static void a_profile_without_the_type_is_refused(void **state)
{
	struct trend *t = trend_new();
	struct make m = make_start("alloc_space/bytes");
	struct profile *p = make_end(&m);
	struct query q;
	struct err err;

	(void)state;
	query_init(&q);
	add(t, &q, 0, 1, 1);
	assert_int_equal(trend_add(t, p, &q.filter, NULL, NULL, &err), ERR_USAGE);
	profile_free(p);
	trend_free(t);
}

static void values_of_all_profiles_are_stored(void **state)
{
	struct trend *t = trend_new();
	struct query q;

	(void)state;
	query_init(&q);
	add(t, &q, HOUR, 10, 0);
	add(t, &q, 2 * HOUR, 20, 7);
	assert_true(trend_has_values(t));
	assert_false(trend_has_spans(t));
	assert_int_equal(trend_span(t, 1).t0, 2 * HOUR);
	assert_int_equal(trend_total(t, 1), 27);
	for (uint32_t row = 0; row < match_count(trend_match(t)); row++) {
		bool is_late = strcmp(match_name(trend_match(t), row), "b") == 0;

		if (!is_late && strcmp(match_name(trend_match(t), row), "a") != 0)
			continue;
		assert_int_equal(trend_value(t, row, 0), is_late ? 0 : 10);
		assert_int_equal(trend_value(t, row, 1), is_late ? 7 : 20);
	}
	trend_free(t);
}

/* Make a report of n profiles, an hour apart, in which a is twice as large from the eighth on, and b varies. */
static void report_of_a_change(uint32_t n, struct query *q, struct report *r, struct buf *notes)
{
	const struct compare_side side = { .file = "", .build_id = "", .host = "" };
	struct trend *t = trend_new();

	query_init(q);
	for (uint32_t i = 0; i < n; i++)
		add(t, q, (i + 1) * HOUR, (i < 7 ? 1000 : 2000) + i * 7 % 5, 500 + i * 7 % 11);
	query_apply_defaults(q, &(struct query_defaults){ .nodecount = 30, .all_rows_for_tools = true });
	report_trend(t, &side, &side, q, r, notes);
	r->head.type = r->head.unit = "";
	trend_free(t);
}

static void a_function_that_changed_is_shown_with_its_time(void **state)
{
	struct report r;
	struct buf notes = { 0 };
	struct query q;

	(void)state;
	report_of_a_change(14, &q, &r, &notes);
	assert_int_equal(r.table.n_rows, 1);
	assert_string_equal(r.table.cell[TREND_NAME].text, "a");
	assert_string_equal(r.table.cell[TREND_OVER_TIME].text, "point");
	assert_string_equal(r.table.cell[TREND_SINCE].text, "1970-01-01T08:00:00Z");
	assert_float_equal(r.table.cell[TREND_SINCE_PCT].real, 100, 0.5);
	assert_int_equal(r.head.compare->time->total.found.kind, STATS_CHANGE_POINT);
	assert_int_equal(r.head.compare->time->n_tested, 2); /* main has no flat */
	assert_non_null(strstr(buf_text(&notes), "less than two days"));
	report_release(&r);
	report_of_a_change(9, &q, &r, &notes); /* too few files for statistics */
	assert_null(r.head.compare->time);
	report_release(&r);
	buf_release(&notes);
}

/* Make a report of three profiles in which a grows twice and b once. */
static void report_of_three(struct query *q, struct report *r, struct buf *notes)
{
	const struct compare_side side = { .file = "", .build_id = "", .host = "" };
	struct trend *t = trend_new();

	add(t, q, HOUR, 10, 5);
	add(t, q, 2 * HOUR, 20, 50);
	add(t, q, 3 * HOUR, 30, 40);
	query_apply_defaults(q, &(struct query_defaults){ .nodecount = 30, .all_rows_for_tools = true });
	report_trend(t, &side, &side, q, r, notes);
	r->head.type = r->head.unit = "";
	trend_free(t);
}

static void only_rows_that_grew_in_every_step_are_shown(void **state)
{
	struct report r;
	struct buf notes = { 0 };
	struct query q;

	(void)state;
	query_init(&q);
	report_of_three(&q, &r, &notes);
	assert_int_equal(r.table.n_rows, 1);
	assert_string_equal(r.table.cell[TREND_NAME].text, "a");
	assert_int_equal(r.table.cell[TREND_SLOPE_HOUR].value, 10);
	assert_float_equal(r.table.cell[TREND_DELTA_PCT].real, 200, 1e-9);
	report_release(&r);
	query_init(&q);
	q.all = true;
	report_of_three(&q, &r, &notes);
	assert_int_equal(r.table.n_rows, 2);
	assert_string_equal(r.table.cell[TREND_NAME].text, "b"); /* the steeper slope */
	assert_int_equal(r.table.cell[TREND_STEPS_GROWN].value, 1);
	report_release(&r);
	buf_release(&notes);
}

static void cum_is_used_if_requested(void **state)
{
	struct report r;
	struct buf notes = { 0 };
	struct query q;

	(void)state;
	query_init(&q);
	q.sort = SORT_CUM;
	q.all = true;
	report_of_three(&q, &r, &notes);
	assert_int_equal(r.table.n_rows, 3);
	assert_string_equal(r.table.cell[TREND_NAME].text, "main");
	assert_int_equal(r.table.cell[TREND_LAST].value, 70);
	report_release(&r);
	buf_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slopes_are_from_least_squares),
		cmocka_unit_test(a_function_that_appears_late_was_0_before),
		cmocka_unit_test(decreasing_times_are_detected),
		cmocka_unit_test(a_profile_without_the_type_is_refused),
		cmocka_unit_test(values_of_all_profiles_are_stored),
		cmocka_unit_test(a_function_that_changed_is_shown_with_its_time),
		cmocka_unit_test(only_rows_that_grew_in_every_step_are_shown),
		cmocka_unit_test(cum_is_used_if_requested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
