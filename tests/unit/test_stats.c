/*
 * test_stats.c - distributions, the test of two counts, priors and power
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers without another source were worked with SciPy 1.10; tests/compat/stats.t asks it again for thousands.
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

/* To so many of the digits that are written: 5e-7 is six and a half. */
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

static void the_ratio_test_is_that_of_the_worked_examples(void **state)
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

static void exact_intervals_are_those_of_the_worked_examples(void **state)
{
	(void)state;
	interval(100, 100, 1, 0.792018, 1.262598);
	interval(150, 195, 1, 1.087539, 1.555337);
	interval(300, 700, 2, 1.041984, 1.307688);
	interval(3, 12, 1, 1.434388, 13.307827);
	interval(2534, 3368, 1.02, 1.247930, 1.360706);
}

static void a_side_without_counts_leaves_an_end_of_the_interval_open(void **state)
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

static void the_ends_of_an_interval_have_the_asked_p(void **state)
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

static void both_sides_of_a_change_sum_to_one(void **state)
{
	static const double k[] = { 0, 0.25, 1, 13.5, 4000, 6e5, 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof(k) / sizeof(*k); i++)
		for (size_t j = 0; j < sizeof(k) / sizeof(*k); j++)
			near(stats_ratio_p(k[i], k[j], 1.25, 1.1) + stats_ratio_p(k[j], k[i], 0.8, 1 / 1.1), 1);
}

static void p_falls_with_new_counts_and_rises_with_base_ratio_and_exposure(void **state)
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

static void the_ratio_test_has_an_answer_for_every_exposure(void **state)
{
	(void)state;
	assert_true(stats_ratio_p(5, 5, 0, 1) == 0);
	assert_true(stats_ratio_p(5, 5, INFINITY, 1) == 1);
	assert_true(stats_ratio_p(1e300, 1e300, 1, 1.001) > 0.999999);
	assert_true(stats_ratio_p(INFINITY, INFINITY, 1, 1) == 0.5);
	assert_true(stats_ratio_p(1, 1e9, 1, 1) >= 0);
	assert_true(stats_ratio_p(-1, 9, 1, 1) == stats_ratio_p(0, 9, 1, 1));
}

/* A count 1 of a million: the logarithm is far from normal, and mid-p is P(X > 1) + P(X = 1) / 2 of a Poisson. */
static void few_counts_against_a_million_are_tested_exactly(void **state)
{
	(void)state;
	near_to(stats_ratio_p(2e6, 1, 1e-6, 1), 1 - exp(-2) * (1 + 2. / 2), 1e-5, __LINE__);
}

/* Where the normal tail begins, it is what the exact test says. */
static void the_normal_tail_of_large_counts_is_near_the_exact_one(void **state)
{
	(void)state;
	for (double z = -3; z <= 3; z += 0.5) {
		double odds = exp(-z * sqrt(1 / 5.5e5 + 1 / 4.6e5)) * 4.6 / 5.5, x = odds / (1 + odds);
		double exact = 0.5 * (stats_beta(x, 4.6e5, 5.5e5 + 1) + stats_beta(x, 4.6e5 + 1, 5.5e5));

		near_to(stats_ratio_p(5.5e5, 4.6e5, 1, odds), exact, 3e-3, __LINE__);
	}
}

static void beta_has_its_ends(void **state)
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

static void beta_is_right_for_counts_of_a_billion(void **state)
{
	(void)state;
	near(stats_beta(0.5, 1e9, 1e9), 0.5);
	near(stats_beta(0.50002, 1e9, 1e9), 9.631808642e-01);
	near(stats_beta(0.49996, 1e9, 1e9), 1.7330967207e-04);
	near(stats_beta(1e-9, 3, 1e9), 8.030139735e-02);
	assert_true(stats_beta(0.4, 1e9, 1e9) == 0);
	assert_true(stats_beta(0.6, 1e9, 1e9) == 1);
}

static void beta_rises_with_x(void **state)
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

static void normal_quantiles_are_those_of_tables(void **state)
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

static void normal_quantiles_go_back_to_their_tails(void **state)
{
	(void)state;
	for (double p = 1e-300; p < 0.6; p *= 7)
		near_to(stats_normal_tail(stats_normal_quantile(p)), p, 1e-12, __LINE__);
	near(stats_normal_quantile(0.95), -1.644853627);
}

static void student_is_that_of_tables(void **state)
{
	(void)state;
	near(stats_t_quantile(0.05, 3), 2.353363435);
	near(stats_t_quantile(0.05, 75.0508), 1.6654112748);
	near(stats_t_tail(1, 1), 0.25);
	near(stats_t_tail(-1, 1), 0.75);
	near(stats_t_tail(0, 7), 0.5);
	near(stats_t_tail(2, INFINITY), stats_normal_tail(2));
	near(stats_t_tail(2, 1.0001e7), stats_t_tail(2, 0.9999e7)); /* on both sides of the change of method */
	assert_true(stats_t_tail(INFINITY, 5) == 0 && stats_t_tail(-INFINITY, 5) == 1);
	assert_true(stats_t_tail(1e200, 5) == 0);
}

static void student_quantiles_go_back_to_their_tails(void **state)
{
	static const double nu[] = { 1, 2, 3.7, 20, 200, 1e6, 1e8, INFINITY };

	(void)state;
	for (size_t i = 0; i < sizeof(nu) / sizeof(*nu); i++)
		for (double p = nu[i] < 2 ? 1e-150 : 1e-300; p < 1; p = p * 30 + 0.01 * (p > 1e-3))
			near(stats_t_tail(stats_t_quantile(p, nu[i]), nu[i]), p);
}

static void a_p_of_few_replicates_is_weaker_by_the_worked_examples(void **state)
{
	(void)state;
	near(stats_p_to_t(1e-4, 14), 1.144749e-03);
	near(stats_p_to_t(0.01, 6), 2.946729e-02);
	near(stats_p_to_t(2.5e-7, 30), 1.081426e-05);
	near(stats_p_to_t(0.3, 14), 3.041018e-01);
	assert_true(stats_p_to_t(0.3, INFINITY) == 0.3);
	assert_true(stats_p_to_t(0, 14) == 0 && stats_p_to_t(1, 14) == 1 && isnan(stats_p_to_t(NAN, 14)));
}

static void derivatives_of_ln_gamma_have_the_known_values(void **state)
{
	(void)state;
	near_to(stats_digamma(7), 1.8727843350984671, 1e-14, __LINE__);
	near_to(stats_digamma(1), -0.57721566490153286, 1e-13, __LINE__);
	near_to(stats_digamma(0.5), -0.57721566490153286 - 2 * M_LN2, 1e-13, __LINE__);
	near_to(stats_digamma(1e9), 20.723265836446410, 1e-14, __LINE__);
	near_to(stats_trigamma(7), 0.15354517795933754, 1e-14, __LINE__);
	near_to(stats_trigamma(1), M_PI * M_PI / 6, 1e-14, __LINE__);
	near_to(stats_trigamma(1e-150), 1e300, 1e-14, __LINE__);
}

static void the_inverse_of_trigamma_goes_back(void **state)
{
	(void)state;
	near_to(stats_trigamma_inverse(0.25), 4.479394210, 1e-9, __LINE__);
	for (double y = 1e-12; y < 1e200; y *= 7)
		near_to(stats_trigamma(stats_trigamma_inverse(y)), y, 2e-4 * (y > 1e7) + 1e-9, __LINE__);
}

static void adjusted_p_values_are_those_of_the_worked_example(void **state)
{
	double p[] = { .0004, .03, .011, .2, .0009, .6, NAN };
	static const double want[] = { .0024, .09, .044, .4, .0045, .6 };

	(void)state;
	stats_holm(p, 7);
	for (int i = 0; i < 6; i++)
		near(p[i], want[i]);
	assert_true(isnan(p[6]));
}

static void a_false_discovery_rate_takes_the_least_of_those_above(void **state)
{
	double p[] = { .01, .04, .03, .005, NAN };
	static const double want[] = { .02, .04, .04, .02 };

	(void)state;
	stats_bh(p, 5);
	for (int i = 0; i < 4; i++)
		near(p[i], want[i]);
	assert_true(isnan(p[4]));
}

static void a_lower_bound_of_a_share_has_the_asked_error(void **state)
{
	(void)state;
	near(stats_share_lower(10, 10, 0.01), pow(0.01, 0.1));
	near(stats_share_lower(1, 100, 0.01), 1 - pow(0.99, 0.01));
	near(stats_share_lower(97, 1000, 0.01), 0.0763653946);
	assert_true(stats_share_lower(0, 10, 0.01) == 0 && stats_share_lower(0, 0, 0.01) == 0);
	near(stats_share_lower(11, 10, 0.01), pow(0.01, 0.1)); /* not more than all */
	for (double k = 1; k < 1e9; k *= 10)
		assert_true(stats_share_lower(k, 1e9, 0.01) < k / 1e9);
}

static void dispersions_of_the_worked_example_are_moderated(void **state)
{
	static const double phi[] = { .72, 1.31, .95, 1.08, 2.90, .60, 1.22, .88, 1.02, .79 };
	static const double want[] = { 1.028188, 1.138247, 1.071092, 1.095342, 1.434846,
				       1.005803, 1.121458, 1.058034, 1.084150, 1.041246 };
	struct stats_prior prior = stats_prior(phi, 10, 14);
	double nu;

	(void)state;
	near(prior.d0, 61.050847);
	near(prior.s0, 1.098861);
	for (int i = 0; i < 10; i++)
		near(stats_moderate(&prior, phi[i], &nu), want[i]);
	near(nu, 75.050847);
}

static void few_rows_say_little_of_another(void **state)
{
	static const double phi[] = { 1, 1, 1, 1, 1, 1 };

	(void)state;
	assert_true(stats_prior(phi, 5, 4).d0 == 2);
	assert_true(stats_prior(phi, 6, 4).d0 == 200); /* six that agree say all */
	assert_true(stats_prior(NULL, 0, 4).d0 == 2 && stats_prior(NULL, 0, 4).s0 == 1);
}

static void dispersions_of_zero_and_of_a_million_stay_numbers(void **state)
{
	static const double phi[] = { 0, 1e6, 0, 1e6, 0, 1e6, 0, 1e6 };
	struct stats_prior prior = stats_prior(phi, 8, 1);
	double nu;

	(void)state;
	assert_true(prior.d0 == 2 && isfinite(prior.s0) && prior.s0 > 0);
	assert_true(stats_moderate(&prior, 0, &nu) >= 1 && nu == 3);
	assert_true(isfinite(stats_moderate(&prior, 1e300, &nu)));
}

static const struct stats_power study = { .alpha = 0.01, .threshold = 0.2, .noise = 0.02, .tests = 25 };

static void the_smallest_regression_is_that_of_the_table(void **state)
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

static void the_samples_needed_are_those_of_the_table(void **state)
{
	static const double share[] = { .01, .02, .05, .10, .20 }, ratio[] = { 1.25, 1.3, 1.4, 1.5, 2 };
	static const int need[5][5] = { { 130114, 64904, 35850, 23643, 7621 },
					{ 65721, 32783, 18108, 11942, 3849 },
					{ 27119, 13527, 7472, 4928, 1588 },
					{ 14313, 7139, 3944, 2601, 838 },
					{ 8051, 4016, 2218, 1463, 472 } };

	(void)state;
	near(stats_power_need(&study, .05, 1.3), 13527.325);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			assert_int_equal(lrint(stats_power_need(&study, share[i], ratio[j])), need[i][j]);
}

static void what_is_needed_is_what_catches(void **state)
{
	(void)state;
	for (double ratio = 1.25; ratio < 10; ratio *= 1.1)
		for (double share = 0.001; share < 0.9; share *= 1.7)
			near(stats_power_ratio(&study, share, stats_power_need(&study, share, ratio)), ratio);
}

static void no_number_of_samples_catches_what_is_within_the_threshold_or_the_noise(void **state)
{
	struct stats_power noisy = study;

	(void)state;
	noisy.noise = 0.1;
	assert_true(isinf(stats_power_need(&study, .05, 1.2)));
	assert_true(isinf(stats_power_need(&study, .05, 0.5)));
	assert_true(isinf(stats_power_need(&noisy, .05, 1.25)));
	assert_true(isinf(stats_power_need(&study, 0, 2)) && isinf(stats_power_need(&study, 1, 2)));
	assert_true(isinf(stats_power_ratio(&study, .05, 0)) && isinf(stats_power_ratio(&study, 0, 1000)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ratio_test_is_that_of_the_worked_examples),
		cmocka_unit_test(counts_of_the_ratio_test_need_not_be_integers),
		cmocka_unit_test(exact_intervals_are_those_of_the_worked_examples),
		cmocka_unit_test(a_side_without_counts_leaves_an_end_of_the_interval_open),
		cmocka_unit_test(the_ends_of_an_interval_have_the_asked_p),
		cmocka_unit_test(both_sides_of_a_change_sum_to_one),
		cmocka_unit_test(p_falls_with_new_counts_and_rises_with_base_ratio_and_exposure),
		cmocka_unit_test(the_ratio_test_has_an_answer_for_every_exposure),
		cmocka_unit_test(few_counts_against_a_million_are_tested_exactly),
		cmocka_unit_test(the_normal_tail_of_large_counts_is_near_the_exact_one),
		cmocka_unit_test(beta_has_its_ends),
		cmocka_unit_test(beta_is_right_for_counts_of_a_billion),
		cmocka_unit_test(beta_rises_with_x),
		cmocka_unit_test(normal_quantiles_are_those_of_tables),
		cmocka_unit_test(normal_quantiles_go_back_to_their_tails),
		cmocka_unit_test(student_is_that_of_tables),
		cmocka_unit_test(student_quantiles_go_back_to_their_tails),
		cmocka_unit_test(a_p_of_few_replicates_is_weaker_by_the_worked_examples),
		cmocka_unit_test(derivatives_of_ln_gamma_have_the_known_values),
		cmocka_unit_test(the_inverse_of_trigamma_goes_back),
		cmocka_unit_test(adjusted_p_values_are_those_of_the_worked_example),
		cmocka_unit_test(a_false_discovery_rate_takes_the_least_of_those_above),
		cmocka_unit_test(a_lower_bound_of_a_share_has_the_asked_error),
		cmocka_unit_test(dispersions_of_the_worked_example_are_moderated),
		cmocka_unit_test(few_rows_say_little_of_another),
		cmocka_unit_test(dispersions_of_zero_and_of_a_million_stay_numbers),
		cmocka_unit_test(the_smallest_regression_is_that_of_the_table),
		cmocka_unit_test(the_samples_needed_are_those_of_the_table),
		cmocka_unit_test(what_is_needed_is_what_catches),
		cmocka_unit_test(no_number_of_samples_catches_what_is_within_the_threshold_or_the_noise),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
