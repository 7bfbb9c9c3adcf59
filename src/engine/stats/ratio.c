/*
 * ratio.c - is the ratio of two counts larger than a number?
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Given their sum, the new one of two Poisson counts is binomial with odds r0 * rho (Przyborowski and Wilenski 1940).
 * The binomial tail is an incomplete beta function, which takes counts that are no integers as well.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "engine/stats/stats_int.h"

#include <math.h>

static const double most_count = 1e9; /* the beta function takes its square root in steps */

/* Where the logarithm is normal enough and the beta function slow. */
static const double normal_sum = 1e6, normal_smaller = 1e5;

struct counts {
	double base, new;
};

static struct counts counts_of(double kb, double kn)
{
	return (struct counts){ fmin(fmax(kb, 0), most_count), fmin(fmax(kn, 0), most_count) };
}

/* Mid-p at odds of new over base; it rises with them. */
static double p_at_odds(const void *arg, double odds)
{
	const struct counts *k = arg;

	if (k->base + k->new > normal_sum && fmin(k->base, k->new) > normal_smaller)
		return stats_normal_tail((log(k->new) - log(k->base) - log(odds)) / sqrt(1 / k->base + 1 / k->new));
	return 0.5 * (stats_beta_odds(odds, k->new, k->base + 1) + stats_beta_odds(odds, k->new + 1, k->base));
}

double stats_ratio_p(double kb, double kn, double rho, double r0)
{
	struct counts k = counts_of(kb, kn);

	return p_at_odds(&k, r0 * rho);
}

void stats_ratio_interval(double kb, double kn, double rho, double tail, double *lo, double *hi)
{
	struct counts k = counts_of(kb, kn);

	*lo = stats_solve(p_at_odds, &k, tail) / rho;
	*hi = stats_solve(p_at_odds, &k, 1 - tail) / rho;
}
