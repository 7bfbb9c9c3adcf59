/*
 * stats.h - distributions, tests and power for two counts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This file handles numbers only, not profiles. Counts are real numbers: a profile with weighted samples is as precise
 * as its effective count of equal samples.
 */
#ifndef ENGINE_STATS_STATS_H
#define ENGINE_STATS_STATS_H

#include <stddef.h>

/* Regularized incomplete beta function I_x(a, b), 0 <= x <= 1, a and b up to 1e9; a = 0 gives 1, b = 0 gives 0.
   Lentz's continued fraction, Numerical Recipes 6.4. */
double stats_beta(double x, double a, double b);

double stats_normal_tail(double z);           /* P(Z > z) */
double stats_normal_quantile(double p);       /* z with P(Z > z) = p; INFINITY for p = 0 */
double stats_t_tail(double t, double nu);     /* P(T > t), Student with nu degrees of freedom */
double stats_t_quantile(double p, double nu); /* t with P(T > t) = p; nu >= 1 */

/*
 * Is the ratio of two counts larger than r0 times rho? The p-value of a conditional binomial test, mid-p.
 *
 * kb, kn  counts of base and new, >= 0, clamped to 1e9; above 1e6 together, and 1e5 each, the normal tail of the
 *         logarithm is used
 * rho     exposure of new / exposure of base
 * Returns the probability of a kn this large if the ratio is r0; equality counts half
 */
double stats_ratio_p(double kb, double kn, double rho, double r0);

/* The p-value of the same test, but equality counts in full. It is never below the true probability, so it is used to
   fail builds. */
double stats_ratio_p_exact(double kb, double kn, double rho, double r0);

/* The ratios at which this p is tail and 1 - tail: for tail 0.05 the exact 90 % interval. lo may be 0, hi INFINITY. */
void stats_ratio_interval(double kb, double kn, double rho, double tail, double *lo, double *hi);

/* Convert the p-value of a normal test to a Student test with nu degrees of freedom: P(T > z(p)). */
double stats_p_to_t(double p, double nu);

/* Adjust the p-values of n tests in place: Holm 1979, or Benjamini and Hochberg 1995. A NAN means no test and is
 * unchanged. */
void stats_holm(double *p, size_t n);
void stats_bh(double *p, size_t n);

/* Parameters of the power of a gate. */
struct stats_power {
	double alpha;     /* significance level of the gate */
	double threshold; /* 0.2 for 20 % */
	double noise;     /* tau0, the standard deviation of a function between runs, such as 0.02 */
	double tests;     /* number of rows that are tested */
	double nu;        /* degrees of freedom of several runs; 0 for a normal test */
};
/* The smallest ratio detected with a power of 80 %, for a function with this share and n samples per side. */
double stats_power_ratio(const struct stats_power *power, double share, double n);
/* Samples per side for detecting a ratio with a power of 80 %; INFINITY if no number suffices. */
double stats_power_samples(const struct stats_power *power, double share, double ratio);

#endif
