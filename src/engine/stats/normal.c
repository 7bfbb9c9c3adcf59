/*
 * normal.c - tails and quantiles of the normal and of Student's distribution
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "engine/stats/stats_int.h"

#include <math.h>

/* From here on the fraction of the beta function loses more than Abramowitz and Stegun 26.7.8. */
static const double many_degrees = 1e7;

double stats_normal_tail(double z)
{
	return 0.5 * erfc(z * M_SQRT1_2);
}

/* Abramowitz and Stegun 26.2.23, wrong by at most 4.5e-4; 0 < p <= 1/2. */
static double quantile_start(double p)
{
	double t = sqrt(-2 * log(p));

	return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

double stats_normal_quantile(double p)
{
	double z;

	if (!(p > 0 && p < 1))
		return p <= 0 ? INFINITY : p >= 1 ? -INFINITY : p;
	if (p > 0.5)
		return -stats_normal_quantile(1 - p);
	z = quantile_start(p);
	for (int i = 0; i < 4; i++) { /* Halley */
		double density = exp(-0.5 * z * z) / sqrt(2 * M_PI);
		double e = (stats_normal_tail(z) - p) / density;

		z += e / (1 + 0.5 * z * e);
	}
	return z;
}

double stats_t_tail(double t, double nu)
{
	if (isinf(nu) || isinf(t) || isnan(t))
		return stats_normal_tail(t);
	if (nu > many_degrees)
		return stats_normal_tail(t * (1 - 0.25 / nu) / hypot(1, t / sqrt(2 * nu)));
	if (t < 0)
		return 1 - stats_t_tail(-t, nu);
	return 0.5 * stats_beta_odds(nu / t / t, 0.5 * nu, 0.5);
}

static double t_below(const void *arg, double t)
{
	const double *nu = arg;

	return -stats_t_tail(t, *nu);
}

double stats_t_quantile(double p, double nu)
{
	if (isinf(nu))
		return stats_normal_quantile(p);
	if (p > 0.5)
		return -stats_t_quantile(1 - p, nu);
	return p < 0.5 ? stats_solve(t_below, &nu, -p) : 0;
}

double stats_p_to_t(double p, double nu)
{
	return isinf(nu) ? p : stats_t_tail(stats_normal_quantile(p), nu);
}
