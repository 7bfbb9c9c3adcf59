/*
 * stats.h - distributions, tests and power for two counts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers only: nothing here knows what a profile is. Counts are real numbers: a profile whose samples have
 * weights is as good as so many equal samples (its effective count).
 */
#ifndef ENGINE_STATS_STATS_H
#define ENGINE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Regularized incomplete beta function I_x(a, b), 0 <= x <= 1, a and b up to 1e9; a = 0 gives 1, b = 0 gives 0.
   Lentz's continued fraction, Numerical Recipes 6.4. */
double stats_beta(double x, double a, double b);

double stats_normal_tail(double z);           /* P(Z > z) */
double stats_normal_quantile(double p);       /* the z of which P(Z > z) = p; INFINITY for 0 */
double stats_t_tail(double t, double nu);     /* P(T > t), Student with nu degrees of freedom */
double stats_t_quantile(double p, double nu); /* the t of which P(T > t) = p; nu is at least 1 */
double stats_digamma(double x);               /* x > 0 */
double stats_trigamma(double x);              /* x > 0 */
double stats_trigamma_inverse(double y);      /* y > 0; Newton as in Smyth 2004 */

/*
 * Is the ratio of two counts larger than r0 times rho? The p-value of a conditional binomial test, mid-p.
 *
 * kb, kn  counts of base and new, at least 0, cut at 1e9; above 1e6 together, and 1e5 each, a normal tail of the
 *         logarithm is taken
 * rho     exposure of new over that of base
 * Gives   the probability of so large a kn, counted half at equality, when the ratio is r0
 */
double stats_ratio_p(double kb, double kn, double rho, double r0);

/* The ratios at which that p is tail and 1 - tail: for tail 0.05 the exact interval of 90 %. lo may be 0, hi INFINITY. */
void stats_ratio_interval(double kb, double kn, double rho, double tail, double *lo, double *hi);

/* A p-value of a normal test taken for one of Student with nu degrees of freedom: P(T > z(p)). */
double stats_p_to_t(double p, double nu);

/* Make p-values of m tests adjusted ones, in place: Holm 1979, or Benjamini and Hochberg 1995. NAN stays and is no test. */
void stats_holm(double *p, size_t n);
void stats_bh(double *p, size_t n);

/* Lower bound of a share of which k of n were seen, one-sided with error alpha; Clopper and Pearson 1934. */
double stats_share_lower(double k, double n, double alpha);

/* What dispersions of many rows, each with df degrees of freedom, say of a single one. Like limma's squeezeVar. */
struct stats_prior {
	double d0; /* degrees of freedom that the other rows are worth */
	double s0; /* the dispersion they have */
	double df;
};
/* phi has n numbers that are not negative, df > 0. Fewer than 6 rows give d0 = 2. */
struct stats_prior stats_prior(const double *phi, size_t n, double df);
/* The dispersion of one row, at least 1, and its degrees of freedom in nu. */
double stats_moderate(const struct stats_prior *prior, double phi, double *nu);

/* What a gate can see. */
struct stats_power {
	double alpha;     /* of the gate */
	double threshold; /* 0.2 is 20 % */
	double noise;     /* tau0, standard deviation of a function from run to run: 0.02 */
	double tests;     /* rows that are tested */
	double nu;        /* degrees of freedom of several runs; 0 for a normal test */
};
/* The smallest ratio that is caught 8 times of 10, for a function with this share and n samples a side. */
double stats_power_ratio(const struct stats_power *power, double share, double n);
/* Samples a side that catch a ratio 8 times of 10; INFINITY when no number does. */
double stats_power_need(const struct stats_power *power, double share, double ratio);

#endif
