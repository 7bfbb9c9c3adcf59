/*
 * test_head.c - fill in the head of a report
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

/* A query and the head of its report. */
struct head_fixture {
	struct graph_fixture a;
	struct trim_result t;
	struct head h;
};

static void answer(struct head_fixture *x, struct make *m, void (*change)(struct query *q))
{
	struct nodes nodes;
	struct node_names names;

	x->a = graph_fixture_start(m);
	if (change)
		change(&x->a.q);
	graph_fixture_run(&x->a);
	nodes = x->a.g.nodes;
	node_names_init(&names, &x->a.pl, x->a.mem);
	trim_make(&nodes, &x->a.q.filter, &names, x->a.mem, &x->t);
	x->h = (struct head){ 0 };
	report_head_fill(&x->h, &x->a.v, &x->a.q, x->a.mem);
	report_head_choose_unit(&x->h, &nodes, &x->t, false);
}

/* Compare the unit of a profile with one sample per value, each in its own function. */
static void expect_unit(const char *type, const int64_t *value, size_t n, void (*change)(struct query *q),
			const char *unit)
{
	struct make m = make_start(type);
	struct head_fixture x;

	for (size_t i = 0; i < n; i++)
		make_row(&m, (const char[]){ (char)('a' + i), 0 }, &value[i], NULL, 0);
	answer(&x, &m, change);
	assert_string_equal(x.h.out_unit, unit);
	graph_fixture_release(&x.a);
}
#define UNIT(type, change, unit, ...)                                                                                  \
	expect_unit(type, (const int64_t[]){ __VA_ARGS__ },                                                            \
		    sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), change, unit)

static void no_trim(struct query *q)
{
	q->nodefraction = q->edgefraction = 0;
}

static void the_head_contains_all_metadata_of_the_profile(void **state)
{
	struct make m = make_start("samples/count cpu/ns");
	struct profile_meta *meta = builder_meta(m.b);
	struct mapping map = { .id = 1,
			       .file = make_text(&m, "/usr/bin/app", 12),
			       .build_id = make_text(&m, "abcdef", 6) };
	struct head_fixture x;

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
	graph_fixture_release(&x.a);
}

static void unknown_metadata_is_empty(void **state)
{
	struct make m = make_start("cpu/ns");
	struct head_fixture x;

	(void)state;
	ROW(&m, "f", 1);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.file, "");
	assert_string_equal(x.h.build_id, "");
	assert_string_equal(x.h.doc_url, "");
	assert_int_equal(x.h.n_comments, 0);
	graph_fixture_release(&x.a);
}

static void mean(struct query *q)
{
	q->mean = true;
}

static void the_type_of_a_mean_has_a_prefix(void **state)
{
	struct make m = make_start("contentions/count delay/ns");
	struct head_fixture x;

	(void)state;
	ROW(&m, "f", 2, 10);
	answer(&x, &m, mean);
	assert_string_equal(x.h.type, "mean_delay");
	assert_int_equal(x.h.total, 5);
	graph_fixture_release(&x.a);
}

static void nul_characters_are_escaped(void **state)
{
	struct make m = make_start("cpu/ns");
	struct head_fixture x;

	(void)state;
	builder_comment(m.b, make_text(&m, "a\0b", 3));
	ROW(&m, "f", 1);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.comment[0], "a\\x00b");
	graph_fixture_release(&x.a);
}

static void half(struct query *q)
{
	q->divide_by = 2;
}

static void divide_by_is_the_ratio(void **state)
{
	struct make m = make_start("cpu/ns");
	struct head_fixture x;

	(void)state;
	ROW(&m, "f", 10);
	answer(&x, &m, half);
	assert_float_equal(x.h.ratio, 0.5, 0);
	assert_int_equal(x.h.total, 10);
	graph_fixture_release(&x.a);
}

static void the_dropped_cum_is_an_absolute_value_rounded_toward_zero(void **state)
{
	struct make m = make_start("cpu/ns");
	struct head_fixture x;

	(void)state;
	ROW(&m, "f", -1390);
	answer(&x, &m, NULL);
	assert_int_equal(x.h.dropped_cum, 6); /* 6.95 */
	graph_fixture_release(&x.a);
}

static void some_filters(struct query *q)
{
	q->prune_from = "p";
	q->taghide = "t";
	q->focus = "f";
	q->noinlines = true;
}

static void active_filters_are_in_the_order_of_pprof(void **state)
{
	struct make m = make_start("cpu/count");
	struct head_fixture x;

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
	graph_fixture_release(&x.a);
}

static void values_of_similar_size_are_shown_in_the_same_unit(void **state)
{
	(void)state;
	UNIT("cpu/ns", NULL, "ms", 20000000, 50000000);
	UNIT("space/bytes", NULL, "kB", 2048, 900000);
}

/* 50 ms of 10 s: a hundred times 50 ms is 5 s, which is less than the total, so the unit is s. */
static void distant_values_use_the_unit_of_a_hundred_times_the_smallest_value(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "s", 50, 9950);
}

/* 9 ms of 10 s: a hundred times 9 ms is 900 ms, so the unit is ms. */
static void a_hundred_times_the_smallest_value_may_have_the_same_unit(void **state)
{
	(void)state;
	UNIT("cpu/ms", no_trim, "ms", 9, 9991);
}

/* 200 ms of 10 s: a hundred times 200 ms exceeds the total. */
static void below_a_factor_of_100_the_smallest_value_determines_the_unit(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", 200, 9800);
}

static void at_a_factor_of_100_the_smallest_value_determines_the_unit(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", 100, 9900);
	UNIT("cpu/ms", NULL, "s", 99, 9901);
}

static void hidden_nodes_do_not_affect_the_unit(void **state)
{
	(void)state;
	UNIT("cpu/ns", NULL, "s", 1, INT64_C(5000000000)); /* 1 ns is below nodefraction */
}

/* h has no flat and a cum of 2 ms; all flat values are in seconds. */
static void cum_is_used_if_flat_is_zero(void **state)
{
	struct make m = make_start("cpu/ms");
	struct head_fixture x;

	(void)state;
	ROW(&m, "f", 5000);
	ROW(&m, "g;h", -4900);
	ROW(&m, "k;h", 4902);
	answer(&x, &m, no_trim);
	assert_string_equal(x.h.out_unit, "ms");
	graph_fixture_release(&x.a);
}

static void negative_values_count_by_their_absolute_value(void **state)
{
	(void)state;
	UNIT("cpu/ms", NULL, "ms", -200, 9800);
}

static void no_unit_is_chosen_without_nodes(void **state)
{
	struct make m = make_start("cpu/ms");
	struct head_fixture x;

	(void)state;
	ROW(&m, "", 5000);
	answer(&x, &m, NULL);
	assert_string_equal(x.h.out_unit, "minimum");
	graph_fixture_release(&x.a);
}

static void an_unknown_unit_is_unchanged(void **state)
{
	(void)state;
	UNIT("things/widgets", NULL, "widgets", 5, 50000);
	UNIT("things/count", NULL, "count", 5, 5);
}

static void gcu_units_are_printed_with_their_canonical_name(void **state)
{
	(void)state;
	UNIT("cpu/gcu", NULL, "k*GCU", 5000, 6000);
}

static void seconds(struct query *q)
{
	q->unit = "seconds";
}

static void a_given_unit_is_unchanged(void **state)
{
	(void)state;
	UNIT("cpu/ns", seconds, "seconds", 5, 5);
}

static void automatic(struct query *q)
{
	q->unit = "auto";
}

static void the_unit_auto_is_unchanged(void **state)
{
	(void)state;
	UNIT("cpu/ns", automatic, "auto", 5, 5000000);
}

static void thousandth(struct query *q)
{
	q->divide_by = 1000;
}

static void the_unit_is_chosen_for_the_divided_values(void **state)
{
	(void)state;
	UNIT("cpu/ns", thousandth, "us", 5000000, 6000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_head_contains_all_metadata_of_the_profile),
		cmocka_unit_test(unknown_metadata_is_empty),
		cmocka_unit_test(the_type_of_a_mean_has_a_prefix),
		cmocka_unit_test(nul_characters_are_escaped),
		cmocka_unit_test(divide_by_is_the_ratio),
		cmocka_unit_test(the_dropped_cum_is_an_absolute_value_rounded_toward_zero),
		cmocka_unit_test(active_filters_are_in_the_order_of_pprof),
		cmocka_unit_test(values_of_similar_size_are_shown_in_the_same_unit),
		cmocka_unit_test(distant_values_use_the_unit_of_a_hundred_times_the_smallest_value),
		cmocka_unit_test(a_hundred_times_the_smallest_value_may_have_the_same_unit),
		cmocka_unit_test(below_a_factor_of_100_the_smallest_value_determines_the_unit),
		cmocka_unit_test(at_a_factor_of_100_the_smallest_value_determines_the_unit),
		cmocka_unit_test(hidden_nodes_do_not_affect_the_unit),
		cmocka_unit_test(cum_is_used_if_flat_is_zero),
		cmocka_unit_test(negative_values_count_by_their_absolute_value),
		cmocka_unit_test(no_unit_is_chosen_without_nodes),
		cmocka_unit_test(an_unknown_unit_is_unchanged),
		cmocka_unit_test(gcu_units_are_printed_with_their_canonical_name),
		cmocka_unit_test(a_given_unit_is_unchanged),
		cmocka_unit_test(the_unit_auto_is_unchanged),
		cmocka_unit_test(the_unit_is_chosen_for_the_divided_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
