/*
 * gamma.c - derivatives of ln Gamma
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All go up to x >= 12 by recurrence and sum the asymptotic series there.
 */
#include "config.h"

#include "engine/stats/stats.h"

#include <math.h>

static const double series_from = 12;

double stats_digamma(double x)
{
	double sum = 0, y;

	for (; x < series_from; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
	       y * (1. / 12 - y * (1. / 120 - y * (1. / 252 - y * (1. / 240 - y * (1. / 132 - y * 691 / 32760)))));
}

double stats_trigamma(double x)
{
	double sum = 0, y;

	for (; x < series_from; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 0.5 * y +
	       (1 + y * (1. / 6 - y * (1. / 30 - y * (1. / 42 - y * (1. / 30 - y * (5. / 66 - y * 691 / 2730)))))) / x;
}

static double tetragamma(double x)
{
	double sum = 0, y;

	for (; x < series_from; x++)
		sum -= 2 / (x * x * x);
	y = 1 / (x * x);
	return sum -
	       y * (1 + 1 / x + y * (0.5 - y * (1. / 6 - y * (1. / 6 - y * (3. / 10 - y * (5. / 6 - y * 691 / 210))))));
}

double stats_trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	if (y > 1e7) /* the ends, where Newton has nothing to gain */
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y + 0.5;
	for (int i = 0; i < 50; i++) { /* on 1 / trigamma, which is convex: steps go one way */
		double t = stats_trigamma(x), step = t * (1 - t / y) / tetragamma(x);

		x += step;
		if (fabs(step) < 1e-14 * x)
			break;
	}
	return x;
}
