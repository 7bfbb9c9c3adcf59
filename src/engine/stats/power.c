/*
 * power.c - what a gate can see
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row is caught when its ratio is past the threshold and far enough from 1 for all tests together.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include <math.h>

static double z_alpha(const struct stats_power *how)
{
	double p = how->alpha / fmax(1, how->tests);

	return how->nu > 0 && isfinite(how->nu) ? stats_t_quantile(p, how->nu) : stats_normal_quantile(p);
}

static double z_beta(void)
{
	return stats_normal_quantile(0.2);
}

double stats_power_ratio(const struct stats_power *how, double share, double n)
{
	double se;

	if (!(share > 0 && share < 1 && n > 0))
		return INFINITY;
	se = sqrt(2 / (share * (1 - share) * n) + 2 * how->noise * how->noise);
	return exp(fmax(z_alpha(how) * se, log1p(how->threshold)) + z_beta() * se);
}

double stats_power_need(const struct stats_power *how, double share, double ratio)
{
	double past = log(ratio) - log1p(how->threshold), se, room;

	if (!(share > 0 && share < 1 && past > 0))
		return INFINITY;
	se = fmin(log(ratio) / (z_alpha(how) + z_beta()), past / z_beta());
	room = se * se - 2 * how->noise * how->noise;
	return room > 0 ? 2 / (share * (1 - share) * room) : INFINITY;
}
