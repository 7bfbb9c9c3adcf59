/*
 * test_normal.c - normalize the two sides of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/normal.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"

static double size_of(const char *mode, const struct graph_fixture *a, double ratio)
{
	struct normal_size size;
	struct normalize_options how;

	assert_int_equal(normalize_parse(mode, &how, NULL), 0);
	assert_int_equal(normal_size(&how, &a->v, ratio, &size, NULL), 0);
	return size.size;
}

static void a_label_can_be_given_with_a_value(void **state)
{
	struct normalize_options n;

	(void)state;
	assert_int_equal(normalize_parse("label:job=a=b", &n, NULL), 0);
	assert_int_equal(n.n_key, 3);
	assert_memory_equal(n.key, "job", 3);
	assert_string_equal(n.value, "a=b");
}

static void sums_only_rows_with_the_label(void **state)
{
	struct make m = make_start("samples/count");
	struct builder_label job = { 0 }, size = { .num = 7 };
	struct graph_fixture a;
	uint32_t id[2];

	(void)state;
	job.key = make_text(&m, "job", 3);
	job.text = make_text(&m, "steady", 6);
	job.is_text = true;
	size.key = make_text(&m, "size", 4);
	builder_label(m.b, &job, &id[0], NULL);
	builder_label(m.b, &size, &id[1], NULL);
	make_row(&m, "a", (int64_t[]){ 10 }, id, 1);
	make_row(&m, "b", (int64_t[]){ -5 }, id, 2);
	make_row(&m, "c", (int64_t[]){ 100 }, NULL, 0);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	assert_float_equal(size_of("label:job", &a, 2), 30, 0);
	assert_float_equal(size_of("label:job=steady", &a, 1), 15, 0);
	assert_float_equal(size_of("label:job=other", &a, 1), 0, 0);
	assert_float_equal(size_of("label:size=7", &a, 2), 10, 0);
	assert_float_equal(size_of("label:size", &a, 2), 7, 0); /* sum of the numbers, regardless of the values */
	graph_fixture_release(&a);
}

static void the_factor_is_the_ratio_of_known_sizes(void **state)
{
	const struct normal_size base = { .size = 30 }, target = { .size = 60 }, unknown = { 0 };
	const struct normalize_options n = { .by = NORMALIZE_DURATION };
	bool by_period;
	double factor;
	struct err err;

	(void)state;
	assert_int_equal(normal_factor(&n, &base, &target, &factor, &by_period, NULL), 0);
	assert_float_equal(factor, 0.5, 0);
	assert_false(by_period);
	assert_int_equal(normal_factor(&n, &base, &unknown, &factor, &by_period, &err), ERR_USAGE);
	assert_int_equal(normal_factor(&n, &unknown, &target, &factor, &by_period, &err), ERR_USAGE);
}

static void sample_counts_are_weighted_by_their_period(void **state)
{
	const struct normal_size base = { .size = 10, .period_ns = 1e7 }, target = { .size = 20, .period_ns = 1e6 };
	const struct normalize_options n = { .by = NORMALIZE_DURATION };
	bool by_period;
	double factor;

	(void)state;
	assert_int_equal(normal_factor(&n, &base, &target, &factor, &by_period, NULL), 0);
	assert_float_equal(factor, 0.05, 1e-12);
	assert_true(by_period);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_can_be_given_with_a_value),
		cmocka_unit_test(sums_only_rows_with_the_label),
		cmocka_unit_test(the_factor_is_the_ratio_of_known_sizes),
		cmocka_unit_test(sample_counts_are_weighted_by_their_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
