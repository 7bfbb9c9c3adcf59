/*
 * test_bench_rank.c - intervals of the comparison of two programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bench/bench_rank.h"

/* Hollander and Wolfe, Nonparametric Statistical Methods, example 3.1, a 96.1 % interval of nine differences. */
static void an_interval_is_that_of_a_textbook(void **state)
{
	static const double x[] = { -0.952, 0.147, -1.022, -0.430, -0.620, -0.590, -0.490, 0.080, -0.010 };
	struct rank_interval r;

	(void)state;
	assert_true(rank_interval(x, 9, 0.04, &r));
	assert_float_equal(r.mid, -0.46, 1e-9);
	assert_float_equal(r.lo, -0.786, 1e-9);
	assert_float_equal(r.hi, -0.010, 1e-9);
}

static void seven_pairs_are_too_few_for_99_percent_and_eight_are_enough(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct rank_interval r;

	(void)state;
	assert_false(rank_interval(x, 7, 0.01, &r));
	assert_float_equal(r.mid, 4, 1e-9);
	assert_true(rank_interval(x, 8, 0.01, &r));
	assert_float_equal(r.lo, 1, 1e-9);
	assert_float_equal(r.hi, 8, 1e-9);
}

static void one_extreme_pair_does_not_move_the_estimate_far(void **state)
{
	static const double x[] = { 0, 0.01, -0.01, 0.02, -0.02, 0, 0.01, -0.01, 0, 0.01, 50 };
	struct rank_interval r;

	(void)state;
	assert_true(rank_interval(x, 11, 0.01, &r));
	assert_float_equal(r.mid, 0, 0.011);
	assert_true(r.lo < 0);
}

static double next_noise(uint64_t *random)
{
	*random = *random * 6364136223846793005 + 1442695040888963407;
	return (double)(*random >> 33) / (1U << 31) - 0.5;
}

/* 4000 intervals of equal programs at 95 %: 200 false differences are expected, with a standard deviation of 13.8. */
static void equal_programs_differ_as_often_as_the_level_says(void **state)
{
	double x[20];
	int n_false = 0;
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		struct rank_interval r;

		for (int k = 0; k < 20; k++) {
			double noise = next_noise(&random);

			x[k] = noise * noise * noise; /* heavy tails */
		}
		assert_true(rank_interval(x, 20, 0.05, &r));
		n_false += r.lo > 0 || r.hi < 0;
	}
	assert_in_range(n_false, 150, 245);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_is_that_of_a_textbook),
		cmocka_unit_test(seven_pairs_are_too_few_for_99_percent_and_eight_are_enough),
		cmocka_unit_test(one_extreme_pair_does_not_move_the_estimate_far),
		cmocka_unit_test(equal_programs_differ_as_often_as_the_level_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
