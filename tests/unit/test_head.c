/*
 * test_head.c - fill the head of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/head.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

/* A question and the head of its answer. */
struct answered {
	struct asked a;
	struct trimmed t;
	struct head h;
};

static void answer(struct answered *x, struct make *m, void (*change)(struct query *q))
{
	struct nodes nodes;
	struct node_names names;

	x->a = ask_about(m);
	if (change)
		change(&x->a.q);
	ask(&x->a);
	nodes = graph_nodes(&x->a.g);
	node_names_init(&names, &x->a.pl, x->a.mem);
	trim_make(&nodes, &x->a.q, &names, x->a.mem, &x->t);
	x->h = (struct head){ 0 };
	report_head_fill(&x->h, &x->a.v, &x->a.q, x->a.mem);
	report_head_choose_unit(&x->h, &nodes, &x->t, false);
}

/* One sample per value, each on a function of its own; released. */
static void expect_unit(const char *type, const int64_t *value, size_t n, void (*change)(struct query *q),
			const char *unit)
{
	struct make m = make_start(type);
	struct answered x;

	for (size_t i = 0; i < n; i++)
		make_row(&m, (const char[]){ (char)('a' + i), 0 }, &value[i], NULL, 0);
	answer(&x, &m, change);
	assert_string_equal(x.h.out_unit, unit);
	ask_release(&x.a);
}
#define UNIT(type, change, unit, ...)                                                                                  \
	expect_unit(type, (const int64_t[]){ __VA_ARGS__ },                                                            \
		    sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), change, unit)

static void no_trim(struct query *q)
{
	q->nodefraction = q->edgefraction = 0;
}

static void everything_about_the_profile_is_in_the_head(void **state)
{
	struct make m = make_start("samples/count cpu/ns");
	struct profile_meta *meta = builder_meta(m.b);
	struct mapping map = { .id = 1,
			       .file = make_text(&m, "/usr/bin/app", 12),
			       .build_id = make_text(&m, "abcdef", 6) };
	struct answered x;

	(void)state;
	builder_mapping(m.b, &map, &m.map, NULL);
	builder_comment(m.b, make_text(&m, "hello", 5));
	builder_comment(m.b, make_text(&m, "#hidden", 7));
	meta->doc_url = make_text(&m, "https://a.b", 11);
	meta->time_ns = 1234;
	meta->duration_ns = 5678;
	ROW(&m, "f", 1, 1000);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.file, "app");
	assert_string_equal(x.h.build_id, "abcdef");
	assert_string_equal(x.h.doc_url, "https://a.b");
	assert_string_equal(x.h.type, "cpu");
	assert_string_equal(x.h.unit, "ns");
	assert_int_equal(x.h.n_comments, 2);
	assert_string_equal(x.h.comment[1], "#hidden");
	assert_int_equal(x.h.time_ns, 1234);
	assert_int_equal(x.h.duration_ns, 5678);
	assert_int_equal(x.h.total, 1000);
	assert_int_equal(x.h.dropped_cum, 5);
	assert_false(x.h.compact);
	ask_release(&x.a);
}

static void what_the_profile_does_not_say_is_empty(void **state)
{
	struct make m = make_start("cpu/ns");
	struct answered x;

	(void)state;
	ROW(&m, "f", 1);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.file, "");
	assert_string_equal(x.h.build_id, "");
	assert_string_equal(x.h.doc_url, "");
	assert_int_equal(x.h.n_comments, 0);
	ask_release(&x.a);
}

static void mean(struct query *q)
{
	q->mean = true;
}

static void the_type_of_a_mean_says_so(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct answered x;

	(void)state;
	ROW(&m, "f", 2, 10);
	answer(&x, &m, mean);
	assert_string_equal(x.h.type, "mean_delay");
	assert_int_equal(x.h.total, 5);
	ask_release(&x.a);
}

static void texts_with_a_nul_are_spelt_out(void **state)
{
	struct make m = make_start("cpu/ns");
	struct answered x;

	(void)state;
	builder_comment(m.b, make_text(&m, "a\0b", 3));
	ROW(&m, "f", 1);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.comment[0], "a\\x00b");
	ask_release(&x.a);
}

static void half(struct query *q)
{
	q->divide_by = 2;
}

static void divide_by_is_the_ratio(void **state)
{
	struct make m = make_start("cpu/ns");
	struct answered x;

	(void)state;
	ROW(&m, "f", 10);
	answer(&x, &m, half);
	assert_float_equal(x.h.ratio, 0.5, 0);
	assert_int_equal(x.h.total, 10);
	ask_release(&x.a);
}

static void the_dropped_cum_is_a_magnitude_cut_toward_zero(void **state)
{
	struct make m = make_start("cpu/ns");
	struct answered x;

	(void)state;
	ROW(&m, "f", -1390);
	answer(&x, &m, NULL);
	assert_int_equal(x.h.dropped_cum, 6); /* 6.95 */
	ask_release(&x.a);
}

static void some_filters(struct query *q)
{
	q->prune_from = "p";
	q->taghide = "t";
	q->focus = "f";
	q->noinlines = true;
}

static void filters_in_force_come_in_the_order_of_pprof(void **state)
{
	struct make m = make_start("cpu/count");
	struct answered x;

	(void)state;
	ROW(&m, "f", 1);
	answer(&x, &m, some_filters);
	assert_int_equal(x.h.n_filters, 4);
	assert_string_equal(x.h.filter[0].name, "focus");
	assert_string_equal(x.h.filter[0].value, "f");
	assert_string_equal(x.h.filter[1].name, "taghide");
	assert_string_equal(x.h.filter[2].name, "prune_from");
	assert_string_equal(x.h.filter[3].name, "noinlines");
	assert_null(x.h.filter[3].value);
	assert_true(x.h.filter[1].is_listed);
	assert_false(x.h.filter[2].is_listed);
	assert_false(x.h.filter[3].is_listed);
	ask_release(&x.a);
}

static void a_small_and_a_large_value_of_one_unit_share_it(void **state)
{
	(void)state;
	UNIT("cpu/ns", NULL, "ms", 20000000, 50000000);
	UNIT("space/bytes", NULL, "kB", 2048, 900000);
}

/* 50 ms of 10 s: a hundred times 50 ms is 5 s, still less than the total, and 5 s is in s. */
static void far_apart_the_unit_of_a_hundred_times_the_smallest_is_taken(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "s", 50, 9950);
}

/* 9 ms of 10 s: a hundred times that is still in ms. */
static void a_hundred_times_the_smallest_may_stay_in_its_unit(void **state)
{
	(void)state;
	UNIT("cpu/ms", no_trim, "ms", 9, 9991);
}

/* 200 ms of 10 s: a hundred times that is more than all. */
static void less_than_a_hundred_times_apart_the_smallest_decides(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", 200, 9800);
}

static void exactly_a_hundred_times_apart_the_smallest_decides(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", 100, 9900);
	UNIT("cpu/ms", NULL, "s", 99, 9901);
}

static void what_is_not_shown_does_not_decide(void **state)
{
	(void)state;
	UNIT("cpu/ns", NULL, "s", 1, INT64_C(5000000000)); /* 1 ns is below nodefraction */
}

/* h has no flat and a cum of 2 ms; all flats are of seconds. */
static void where_flat_is_zero_cum_counts(void **state)
{
	struct make m = make_start("cpu/ms");
	struct answered x;

	(void)state;
	ROW(&m, "f", 5000);
	ROW(&m, "g;h", -4900);
	ROW(&m, "k;h", 4902);
	answer(&x, &m, no_trim);
	assert_string_equal(x.h.out_unit, "ms");
	ask_release(&x.a);
}

static void negative_values_count_by_their_magnitude(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", -200, 9800);
}

static void without_nodes_no_unit_is_chosen(void **state)
{
	struct make m = make_start("cpu/ms");
	struct answered x;

	(void)state;
	ROW(&m, "", 5000);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.out_unit, "minimum");
	ask_release(&x.a);
}

static void an_unknown_unit_is_shown_as_it_is(void **state)
{
	(void)state;
	UNIT("things/widgets", NULL, "widgets", 5, 50000);
	UNIT("things/count", NULL, "count", 5, 5);
}

static void gcus_are_chosen_by_their_canonical_name(void **state)
{
	(void)state;
	UNIT("cpu/gcu", NULL, "k*GCU", 5000, 6000);
}

static void seconds(struct query *q)
{
	q->unit = "seconds";
}

static void a_given_unit_stays(void **state)
{
	(void)state;
	UNIT("cpu/ns", seconds, "seconds", 5, 5);
}

static void automatic(struct query *q)
{
	q->unit = "auto";
}

static void auto_stays_auto(void **state)
{
	(void)state;
	UNIT("cpu/ns", automatic, "auto", 5, 5000000);
}

static void thousandth(struct query *q)
{
	q->divide_by = 1000;
}

static void the_unit_is_that_of_the_divided_values(void **state)
{
	(void)state;
	UNIT("cpu/ns", thousandth, "us", 5000000, 6000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_about_the_profile_is_in_the_head),
		cmocka_unit_test(what_the_profile_does_not_say_is_empty),
		cmocka_unit_test(the_type_of_a_mean_says_so),
		cmocka_unit_test(texts_with_a_nul_are_spelt_out),
		cmocka_unit_test(divide_by_is_the_ratio),
		cmocka_unit_test(the_dropped_cum_is_a_magnitude_cut_toward_zero),
		cmocka_unit_test(filters_in_force_come_in_the_order_of_pprof),
		cmocka_unit_test(a_small_and_a_large_value_of_one_unit_share_it),
		cmocka_unit_test(far_apart_the_unit_of_a_hundred_times_the_smallest_is_taken),
		cmocka_unit_test(a_hundred_times_the_smallest_may_stay_in_its_unit),
		cmocka_unit_test(less_than_a_hundred_times_apart_the_smallest_decides),
		cmocka_unit_test(exactly_a_hundred_times_apart_the_smallest_decides),
		cmocka_unit_test(what_is_not_shown_does_not_decide),
		cmocka_unit_test(where_flat_is_zero_cum_counts),
		cmocka_unit_test(negative_values_count_by_their_magnitude),
		cmocka_unit_test(without_nodes_no_unit_is_chosen),
		cmocka_unit_test(an_unknown_unit_is_shown_as_it_is),
		cmocka_unit_test(gcus_are_chosen_by_their_canonical_name),
		cmocka_unit_test(a_given_unit_stays),
		cmocka_unit_test(auto_stays_auto),
		cmocka_unit_test(the_unit_is_that_of_the_divided_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
