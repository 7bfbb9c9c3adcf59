/*
 * share.c - the lower bound of a share that was counted
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/stats.h"

#include "engine/stats/stats_int.h"

#include <math.h>

struct seen {
	double k, n;
};

/* The probability to see as many as k of n, or more. */
static double p_of_more(const void *arg, double odds)
{
	const struct seen *s = arg;

	return stats_beta_odds(odds, s->k, s->n - s->k + 1);
}

double stats_share_lower(double k, double n, double alpha)
{
	struct seen s = { fmin(k, n), n };

	if (!(s.k > 0))
		return 0;
	return 1 / (1 + 1 / stats_solve(p_of_more, &s, alpha));
}
