/*
 * spread.c - how far cells lie from their centre beyond what sampling explains
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/judge_int.h"

#include <math.h>

/* Mean and standard deviation of min(4, Z * Z), Z standard normal. */
#define CAP 4.0
#define MEAN 0.920537
#define SD 1.110121
/* Fewer points in all, or on a side, say nothing. */
#define MIN_CELLS 8
#define MIN_SIDE 3
#define MAX_STEPS 200

/* What the mean of min(4, d * d / (v + 2 tau2)) is too large by, and its slope. */
static double excess(const struct stats_point *p, uint32_t n, double mu, double tau2, double *slope)
{
	double sum = 0, sum_slope = 0;

	for (uint32_t i = 0; i < n; i++) {
		double d = p[i].x - mu, by = 1 / (p[i].v + 2 * tau2), q = d * d * by;

		if (q < CAP) {
			sum += q;
			sum_slope -= 2 * q * by;
		} else {
			sum += CAP;
		}
	}
	*slope = sum_slope / n;
	return sum / n - (MEAN + 0.5 * SD / sqrt(n));
}

/* The smallest tau2, at least floor, at which the points of one side are not too far away. Newton within bounds. */
static double side_spread(const struct stats_point *p, uint32_t n, double mu, double floor)
{
	double lo = floor, most = 0, at = floor, slope;

	if (excess(p, n, mu, floor, &slope) <= 0)
		return floor;
	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, fabs(p[i].x - mu));
	double hi = 0.5 * most * most / (MEAN + 0.5 * SD / sqrt(n));

	for (int i = 0; i < MAX_STEPS; i++) {
		double over = excess(p, n, mu, at, &slope), next = at - over / slope;

		if (over > 0)
			lo = at;
		else
			hi = at;
		if (!(next > lo && next < hi))
			next = 0.5 * (lo + hi);
		if (fabs(next - at) <= 1e-14 * hi)
			return next;
		at = next;
	}
	return at;
}

double stats_points_spread(const struct stats_point *p, uint32_t n, double mu, double noise)
{
	uint32_t n_below = n, n_above = n;
	double tau2 = INFINITY;

	if (n < MIN_CELLS)
		return noise;
	while (n_below && p[n_below - 1].x > mu)
		n_below--;
	while (n_above && p[n - n_above].x < mu)
		n_above--;
	if (n_below >= MIN_SIDE)
		tau2 = side_spread(p, n_below, mu, noise * noise);
	if (n_above >= MIN_SIDE)
		tau2 = fmin(tau2, side_spread(p + (n - n_above), n_above, mu, noise * noise));
	return isinf(tau2) ? noise : fmax(noise, sqrt(tau2));
}
