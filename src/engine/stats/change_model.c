/*
 * change_model.c - a step or a line through values over time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model is fitted by least squares. Its random part is simulated by permuting the residuals: of the step in each level,
 * of the line as a whole. So the tests assume no distribution.
 */
#include "config.h"

#include "engine/stats/change_int.h"

#include <math.h>
#include <string.h>

enum { SIMULATIONS = 999, SEED_STEP = 11, SEED_LINE, SEED_POSITION };

static double change_model_mean(const double *y, uint32_t n)
{
	double sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += y[i];
	return n ? sum / n : 0;
}

/* The sum of squares that two levels explain, of values [lo, n) before and after at. sum: of the first at values */
static double explained(double sum, uint32_t at, uint32_t n)
{
	return sum * sum * n / ((double)at * (n - at));
}

/* The largest explained sum of squares of all points, and of one point. The mean of y is 0. */
static double best_step(const double *y, uint32_t n, uint32_t point, double *at_point, uint32_t *best)
{
	double sum = 0, largest = 0;

	*at_point = 0;
	for (uint32_t i = 1; i < n; i++) {
		double gain;

		sum += y[i - 1];
		gain = explained(sum, i, n);
		if (i == point)
			*at_point = gain;
		if (i < STATS_CHANGE_SIDE || n - i < STATS_CHANGE_SIDE || gain <= largest)
			continue;
		largest = gain;
		*best = i;
	}
	return largest;
}

static void shuffle_values(double *y, uint32_t n, uint64_t *random)
{
	for (; n > 1; n--) {
		uint32_t k = (uint32_t)(stats_random_real(random) * n);
		double value = y[k];

		y[k] = y[n - 1];
		y[n - 1] = value;
	}
}

/* Sums of squares of both models, and their fits. */
struct change_fit {
	uint32_t at;
	double step, line, slope; /* remaining sums of squares */
};

static struct change_fit change_model_fit(const double *x, const double *y, uint32_t n)
{
	struct change_fit fit = { .at = 0 };
	double x0 = change_model_mean(x, n), xx = 0, xy = 0, yy = 0, unused;

	for (uint32_t i = 0; i < n; i++) {
		xx += (x[i] - x0) * (x[i] - x0);
		xy += (x[i] - x0) * y[i];
		yy += y[i] * y[i];
	}
	fit.slope = xx > 0 ? xy / xx : 0;
	fit.line = fmax(yy - fit.slope * xy, 0);
	fit.step = fmax(yy - best_step(y, n, 0, &unused, &fit.at), 0);
	return fit;
}

static void subtract_mean(double *y, uint32_t n)
{
	double mean = change_model_mean(y, n);

	for (uint32_t i = 0; i < n; i++)
		y[i] -= mean;
}

/* The remaining sum of squares of a model in units of that of the other one. */
static double change_model_ratio(const struct change_fit *fit, bool of_step)
{
	double own = of_step ? fit->step : fit->line, other = of_step ? fit->line : fit->step;

	return other > 0 ? own / other : own > 0 ? INFINITY : 1;
}

double stats_change_model_p(const double *x, const double *values, uint32_t n, bool of_step)
{
	double y[STATS_CHANGE_MAX], rest[STATS_CHANGE_MAX], made[STATS_CHANGE_MAX], before, after;
	uint64_t random = of_step ? SEED_STEP : SEED_LINE;
	struct change_fit fit;
	uint32_t larger = 0;

	memcpy(y, values, n * sizeof(*y));
	subtract_mean(y, n);
	fit = change_model_fit(x, y, n);
	before = change_model_mean(y, fit.at);
	after = change_model_mean(y + fit.at, n - fit.at);
	for (uint32_t i = 0; i < n; i++)
		rest[i] = y[i] - (!of_step ? fit.slope * x[i] : i < fit.at ? before : after);
	for (uint32_t i = 0; i < SIMULATIONS; i++) {
		struct change_fit own;

		shuffle_values(rest, of_step ? fit.at : n, &random);
		if (of_step)
			shuffle_values(rest + fit.at, n - fit.at, &random);
		for (uint32_t k = 0; k < n; k++)
			made[k] = rest[k] + (!of_step ? fit.slope * x[k] : k < fit.at ? before : after);
		subtract_mean(made, n);
		own = change_model_fit(x, made, n);
		larger += change_model_ratio(&own, of_step) >= change_model_ratio(&fit, of_step) * (1 - 1e-12);
	}
	return (1.0 + larger) / (1.0 + SIMULATIONS);
}

/* Is a point in the interval: is another point better by no more than by chance? */
static bool is_position(const double *values, uint32_t n, uint32_t at)
{
	const uint32_t most = (uint32_t)((1 - STATS_CHANGE_INTERVAL) * (SIMULATIONS + 1));
	double y[STATS_CHANGE_MAX], own, better;
	uint64_t random = SEED_POSITION;
	uint32_t larger = 0, best;

	memcpy(y, values, n * sizeof(*y));
	better = best_step(y, n, at, &own, &best) - own;
	for (uint32_t i = 0; i < SIMULATIONS && larger < most; i++) {
		shuffle_values(y, at, &random);
		shuffle_values(y + at, n - at, &random);
		larger += best_step(y, n, at, &own, &best) - own >= better * (1 - 1e-12);
	}
	return larger >= most;
}

void stats_change_best(const double *values, uint32_t n, uint32_t *at)
{
	double y[STATS_CHANGE_MAX], unused;

	memcpy(y, values, n * sizeof(*y));
	subtract_mean(y, n);
	*at = STATS_CHANGE_SIDE;
	best_step(y, n, 0, &unused, at);
}

void stats_change_position(const double *values, uint32_t n, struct stats_change *out)
{
	double y[STATS_CHANGE_MAX], unused;

	memcpy(y, values, n * sizeof(*y));
	subtract_mean(y, n);
	best_step(y, n, 0, &unused, &out->at);
	out->at_lo = out->at_hi = out->at;
	for (uint32_t at = 1; at < n; at++) {
		if (!is_position(y, n, at))
			continue;
		out->at_lo = at < out->at_lo ? at : out->at_lo;
		out->at_hi = at > out->at_hi ? at : out->at_hi;
	}
}
