/*
 * test_stats.c - distributions, the test of two counts and power
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Expected values without a cited source were computed with SciPy 1.10. tests/compat/stats.t compares thousands more with
 * SciPy.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Relative tolerance: 5e-7 is six and a half digits. */
static void near_to(double got, double want, double relative, int line)
{
	if (fabs(got - want) <= relative * fabs(want))
		return;
	print_error("line %d: %.17g is not %.17g\n", line, got, want);
	fail();
}
#define near(got, want) near_to(got, want, 5e-7, __LINE__)

static void interval_is(double kb, double kn, double rho, double lo, double hi, int line)
{
	double got[2];

	stats_ratio_interval(kb, kn, rho, 0.05, &got[0], &got[1]);
	near_to(got[0], lo, 5e-7, line);
	near_to(got[1], hi, 5e-7, line);
}
#define interval(kb, kn, rho, lo, hi) interval_is(kb, kn, rho, lo, hi, __LINE__)

static void the_ratio_test_agrees_with_the_worked_examples(void **state)
{
	(void)state;
	near(stats_ratio_p(100, 100, 1, 1), 0.5);
	near(stats_ratio_p(150, 195, 1, 1), 7.716433e-03);
	near(stats_ratio_p(150, 195, 1, 1.2), 2.310771e-01);
	near(stats_ratio_p(300, 700, 2, 1), 1.219830e-02);
	near(stats_ratio_p(300, 700, 2, 1.2), 6.598063e-01);
	near(stats_ratio_p(3, 12, 1, 1), 1.063538e-02);
	near(stats_ratio_p(0, 9, 1, 1), 0x1p-10); /* half of 2^-9: equality counts half */
	near(stats_ratio_p(5, 60, 0.8, 1.2), 4.196251e-14);
	near(stats_ratio_p(2534, 3368, 1.02, 1.2), 8.500903e-04);
}

static void counts_of_the_ratio_test_need_not_be_integers(void **state)
{
	(void)state;
	near(stats_ratio_p(40.5, 77.25, 1.1, 1), 1.945921e-03);
	interval(40.5, 77.25, 1.1, 1.262817, 2.397313);
	near(stats_ratio_p(126.623377, 202.597403, exp(0.05), 1), 8.927927e-05);
	near(stats_ratio_p(126.623377, 202.597403, exp(0.05), 1.2), 1.747058e-02);
}

static void exact_intervals_agree_with_the_worked_examples(void **state)
{
	(void)state;
	interval(100, 100, 1, 0.792018, 1.262598);
	interval(150, 195, 1, 1.087539, 1.555337);
	interval(300, 700, 2, 1.041984, 1.307688);
	interval(3, 12, 1, 1.434388, 13.307827);
	interval(2534, 3368, 1.02, 1.247930, 1.360706);
}

static void a_side_without_counts_makes_the_interval_half_open(void **state)
{
	double lo, hi;

	(void)state;
	stats_ratio_interval(9, 0, 1, 0.05, &lo, &hi);
	assert_true(lo == 0);
	near(stats_ratio_p(9, 0, 1, hi), 0.95);
	stats_ratio_interval(0, 9, 1, 0.05, &lo, &hi);
	near(lo, 1 / (pow(0.1, -1. / 9) - 1)); /* p = odds share ^ 9 / 2 */
	assert_true(isinf(hi) && hi > 0);
	stats_ratio_interval(0, 0, 1, 0.05, &lo, &hi);
	assert_true(lo == 0 && isinf(hi));
	near(stats_ratio_p(0, 0, 1, 1), 0.5);
}

static void the_ends_of_an_interval_have_the_requested_p(void **state)
{
	static const double k[] = { 0.01, 0.5, 1, 7.3, 500, 4e5, 9e5, 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++) {
		for (size_t j = 0; j < sizeof(k) / sizeof(*k); j++) {
			double lo, hi;

			stats_ratio_interval(k[i], k[j], 1.7, 0.05, &lo, &hi);
			assert_true(lo >= 0 && lo < hi);
			if (lo > 0)
				near(stats_ratio_p(k[i], k[j], 1.7, lo), 0.05);
			if (!isinf(hi))
				near(stats_ratio_p(k[i], k[j], 1.7, hi), 0.95);
		}
	}
}

static void p_values_of_both_directions_sum_to_1(void **state)
{
	static const double k[] = { 0, 0.25, 1, 13.5, 4000, 6e5, 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++)
		for (size_t j = 0; j < sizeof(k) / sizeof(*k); j++)
			near(stats_ratio_p(k[i], k[j], 1.25, 1.1) + stats_ratio_p(k[j], k[i], 0.8, 1 / 1.1), 1);
}

static void p_decreases_with_new_counts_and_increases_with_base_counts_ratio_and_exposure(void **state)
{
	static const double k[] = { 0, 0.25, 1, 13.5, 99, 4000, 6e4, 9e4, 2e5, 9e5, 3e6, 1e9 };
	enum { N = sizeof(k) / sizeof(*k) };

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j < N; j++) {
			double p = stats_ratio_p(k[i], k[j], 1, 1.1);

			assert_true(p >= 0 && p <= 1);
			assert_true(stats_ratio_p(k[i], k[j] * 1.01 + 0.01, 1, 1.1) <= p);
			assert_true(stats_ratio_p(k[i] * 1.01 + 0.01, k[j], 1, 1.1) >= p);
			assert_true(stats_ratio_p(k[i], k[j], 1, 1.11) >= p);
			assert_true(stats_ratio_p(k[i], k[j], 1.01, 1.1) >= p);
		}
	}
}

static void the_ratio_test_is_defined_for_every_exposure(void **state)
{
	(void)state;
	assert_true(stats_ratio_p(5, 5, 0, 1) == 0);
	assert_true(stats_ratio_p(5, 5, INFINITY, 1) == 1);
	assert_true(stats_ratio_p(1e300, 1e300, 1, 1.001) > 0.999999);
	assert_true(stats_ratio_p(INFINITY, INFINITY, 1, 1) == 0.5);
	assert_true(stats_ratio_p(1, 1e9, 1, 1) >= 0);
	assert_true(stats_ratio_p(-1, 9, 1, 1) == stats_ratio_p(0, 9, 1, 1));
}

/* A count of 1 in a million: the logarithm is far from normal, and mid-p is P(X > 1) + P(X = 1) / 2 of a Poisson
   distribution. */
static void few_counts_against_a_million_are_tested_exactly(void **state)
{
	(void)state;
	near_to(stats_ratio_p(2e6, 1, 1e-6, 1), 1 - exp(-2) * (1 + 2. / 2), 1e-5, __LINE__);
}

/* At the limit between the two methods, they agree. */
static void the_normal_tail_of_large_counts_is_close_to_the_exact_one(void **state)
{
	(void)state;
	for (double z = -3; z <= 3; z += 0.5) {
		double odds = exp(-z * sqrt(1 / 5.5e5 + 1 / 4.6e5)) * 4.6 / 5.5, x = odds / (1 + odds);
		double exact = 0.5 * (stats_beta(x, 4.6e5, 5.5e5 + 1) + stats_beta(x, 4.6e5 + 1, 5.5e5));

		near_to(stats_ratio_p(5.5e5, 4.6e5, 1, odds), exact, 3e-3, __LINE__);
	}
}

static void beta_is_exact_at_its_ends(void **state)
{
	(void)state;
	assert_true(stats_beta(0, 3, 4) == 0);
	assert_true(stats_beta(1, 3, 4) == 1);
	assert_true(stats_beta(0.3, 0, 4) == 1);
	assert_true(stats_beta(0.3, 4, 0) == 0);
	near(stats_beta(0.3, 1, 1), 0.3);
	near(stats_beta(0.3, 4, 1), 0.0081);
	near(stats_beta(0.3, 1, 4), 1 - 0.7 * 0.7 * 0.7 * 0.7);
	near(stats_beta(1e-300, 1, 1), 1e-300);
	near(stats_beta(1e-100, 3, 1), 1e-300);
	near(stats_beta(0.5, 0.5, 0.5), 0.5);
}

static void beta_is_accurate_for_counts_of_a_billion(void **state)
{
	(void)state;
	near(stats_beta(0.5, 1e9, 1e9), 0.5);
	near(stats_beta(0.50002, 1e9, 1e9), 9.631808642e-01);
	near(stats_beta(0.49996, 1e9, 1e9), 1.7330967207e-04);
	near(stats_beta(1e-9, 3, 1e9), 8.030139735e-02);
	assert_true(stats_beta(0.4, 1e9, 1e9) == 0);
	assert_true(stats_beta(0.6, 1e9, 1e9) == 1);
}

static void beta_increases_with_x(void **state)
{
	static const double shape[] = { 1e-8, 0.5, 1, 30.5, 1e4, 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof(shape) / sizeof(*shape); i++) {
		for (size_t j = 0; j < sizeof(shape) / sizeof(*shape); j++) {
			double last = 0;

			for (int x = 0; x <= 500; x++) {
				double now = stats_beta(x / 500., shape[i], shape[j]);

				assert_true(now >= last - 1e-12 && now <= 1);
				last = now;
			}
			assert_true(last == 1);
		}
	}
}

static void normal_quantiles_agree_with_tables(void **state)
{
	(void)state;
	near(stats_normal_quantile(1e-4), 3.719016485);
	near(stats_normal_quantile(0.05), 1.644853627);
	near(stats_normal_quantile(0.2), 0.841621234);
	near(stats_normal_quantile(0.01 / 25), 3.352794970);
	assert_true(stats_normal_quantile(0.5) < 1e-15);
	assert_true(stats_normal_quantile(0) == INFINITY && stats_normal_quantile(1) == -INFINITY);
	assert_true(isnan(stats_normal_quantile(NAN)));
}

static void normal_quantiles_invert_the_tail(void **state)
{
	(void)state;
	for (double p = 1e-300; p < 0.6; p *= 7)
		near_to(stats_normal_tail(stats_normal_quantile(p)), p, 1e-12, __LINE__);
	near(stats_normal_quantile(0.95), -1.644853627);
}

static void student_tails_agree_with_tables(void **state)
{
	(void)state;
	near(stats_t_quantile(0.05, 3), 2.353363435);
	near(stats_t_quantile(0.05, 75.0508), 1.6654112748);
	near(stats_t_tail(1, 1), 0.25);
	near(stats_t_tail(-1, 1), 0.75);
	near(stats_t_tail(0, 7), 0.5);
	near(stats_t_tail(2, INFINITY), stats_normal_tail(2));
	near(stats_t_tail(2, 1.0001e7), stats_t_tail(2, 0.9999e7)); /* just above and below the change of method */
	assert_true(stats_t_tail(INFINITY, 5) == 0 && stats_t_tail(-INFINITY, 5) == 1);
	assert_true(stats_t_tail(1e200, 5) == 0);
}

static void student_quantiles_invert_the_tail(void **state)
{
	static const double nu[] = { 1, 2, 3.7, 20, 200, 1e6, 1e8, INFINITY };

	(void)state;
	for (size_t i = 0; i < sizeof(nu) / sizeof(*nu); i++)
		for (double p = nu[i] < 2 ? 1e-150 : 1e-300; p < 1; p = p * 30 + 0.01 * (p > 1e-3))
			near(stats_t_tail(stats_t_quantile(p, nu[i]), nu[i]), p);
}

static void p_values_of_few_replicates_agree_with_the_worked_examples(void **state)
{
	(void)state;
	near(stats_p_to_t(1e-4, 14), 1.144749e-03);
	near(stats_p_to_t(0.01, 6), 2.946729e-02);
	near(stats_p_to_t(2.5e-7, 30), 1.081426e-05);
	near(stats_p_to_t(0.3, 14), 3.041018e-01);
	assert_true(stats_p_to_t(0.3, INFINITY) == 0.3);
	assert_true(stats_p_to_t(0, 14) == 0 && stats_p_to_t(1, 14) == 1 && isnan(stats_p_to_t(NAN, 14)));
}

static void the_exact_test_counts_equality_in_full(void **state)
{
	(void)state;
	near(stats_ratio_p_exact(0, 9, 1, 1), 0x1p-9);
	near(stats_ratio_p_exact(9, 0, 1, 1), 1);
	near(stats_ratio_p_exact(150, 195, 1, 1), 8.857223e-03);
	near(stats_ratio_p_exact(2534, 3368, 1.02, 1.2), 8.881338e-04);
	assert_true(stats_ratio_p_exact(50, 80, 1, 1) > stats_ratio_p(50, 80, 1, 1));
}

static void adjusted_p_values_agree_with_the_worked_example(void **state)
{
	double p[] = { .0004, .03, .011, .2, .0009, .6, NAN };
	static const double want[] = { .0024, .09, .044, .4, .0045, .6 };

	(void)state;
	stats_holm(p, 7);
	for (int i = 0; i < 6; i++)
		near(p[i], want[i]);
	assert_true(isnan(p[6]));
}

static void a_false_discovery_rate_is_the_minimum_over_larger_p_values(void **state)
{
	double p[] = { .01, .04, .03, .005, NAN };
	static const double want[] = { .02, .04, .04, .02 };

	(void)state;
	stats_bh(p, 5);
	for (int i = 0; i < 4; i++)
		near(p[i], want[i]);
	assert_true(isnan(p[4]));
}

static const struct stats_power study = { .alpha = 0.01, .threshold = 0.2, .noise = 0.02, .tests = 25 };

static void the_smallest_regression_agrees_with_the_table(void **state)
{
	static const double share[] = { .01, .02, .05, .10, .20 }, n[] = { 1e3, 3e3, 1e4, 3e4, 1e5 };
	static const int percent[5][5] = { { 561, 199, 84, 44, 25 },
					   { 284, 119, 55, 31, 24 },
					   { 138, 67, 35, 25, 24 },
					   { 89, 46, 26, 24, 23 },
					   { 62, 34, 25, 24, 23 } };

	(void)state;
	near(stats_power_ratio(&study, .05, 10000), 1.345683);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			assert_int_equal(lrint(100 * (stats_power_ratio(&study, share[i], n[j]) - 1)), percent[i][j]);
}

static void the_samples_needed_agree_with_the_table(void **state)
{
	static const double share[] = { .01, .02, .05, .10, .20 }, ratio[] = { 1.25, 1.3, 1.4, 1.5, 2 };
	static const int need[5][5] = { { 130114, 64904, 35850, 23643, 7621 },
					{ 65721, 32783, 18108, 11942, 3849 },
					{ 27119, 13527, 7472, 4928, 1588 },
					{ 14313, 7139, 3944, 2601, 838 },
					{ 8051, 4016, 2218, 1463, 472 } };

	(void)state;
	near(stats_power_samples(&study, .05, 1.3), 13527.325);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			assert_int_equal(lrint(stats_power_samples(&study, share[i], ratio[j])), need[i][j]);
}

static void the_samples_needed_detect_the_ratio(void **state)
{
	(void)state;
	for (double ratio = 1.25; ratio < 10; ratio *= 1.1)
		for (double share = 0.001; share < 0.9; share *= 1.7)
			near(stats_power_ratio(&study, share, stats_power_samples(&study, share, ratio)), ratio);
}

static void no_number_of_samples_detects_a_change_within_threshold_or_noise(void **state)
{
	struct stats_power noisy = study;

	(void)state;
	noisy.noise = 0.1;
	assert_true(isinf(stats_power_samples(&study, .05, 1.2)));
	assert_true(isinf(stats_power_samples(&study, .05, 0.5)));
	assert_true(isinf(stats_power_samples(&noisy, .05, 1.25)));
	assert_true(isinf(stats_power_samples(&study, 0, 2)) && isinf(stats_power_samples(&study, 1, 2)));
	assert_true(isinf(stats_power_ratio(&study, .05, 0)) && isinf(stats_power_ratio(&study, 0, 1000)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ratio_test_agrees_with_the_worked_examples),
		cmocka_unit_test(counts_of_the_ratio_test_need_not_be_integers),
		cmocka_unit_test(exact_intervals_agree_with_the_worked_examples),
		cmocka_unit_test(a_side_without_counts_makes_the_interval_half_open),
		cmocka_unit_test(the_ends_of_an_interval_have_the_requested_p),
		cmocka_unit_test(p_values_of_both_directions_sum_to_1),
		cmocka_unit_test(p_decreases_with_new_counts_and_increases_with_base_counts_ratio_and_exposure),
		cmocka_unit_test(the_ratio_test_is_defined_for_every_exposure),
		cmocka_unit_test(few_counts_against_a_million_are_tested_exactly),
		cmocka_unit_test(the_normal_tail_of_large_counts_is_close_to_the_exact_one),
		cmocka_unit_test(beta_is_exact_at_its_ends),
		cmocka_unit_test(beta_is_accurate_for_counts_of_a_billion),
		cmocka_unit_test(beta_increases_with_x),
		cmocka_unit_test(normal_quantiles_agree_with_tables),
		cmocka_unit_test(normal_quantiles_invert_the_tail),
		cmocka_unit_test(student_tails_agree_with_tables),
		cmocka_unit_test(student_quantiles_invert_the_tail),
		cmocka_unit_test(p_values_of_few_replicates_agree_with_the_worked_examples),
		cmocka_unit_test(the_exact_test_counts_equality_in_full),
		cmocka_unit_test(adjusted_p_values_agree_with_the_worked_example),
		cmocka_unit_test(a_false_discovery_rate_is_the_minimum_over_larger_p_values),
		cmocka_unit_test(the_smallest_regression_agrees_with_the_table),
		cmocka_unit_test(the_samples_needed_agree_with_the_table),
		cmocka_unit_test(the_samples_needed_detect_the_ratio),
		cmocka_unit_test(no_number_of_samples_detects_a_change_within_threshold_or_noise),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
