/*
 * change.c - the slope of values over time, and the point at which their level changed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/change.h"

#include "base/mem.h"
#include "engine/stats/change_int.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NULL_WORK = 6000000, /* permutations times values of the distribution without a change */
	NULL_MIN = 9999,
	NULL_MAX = 99999,        /* permutations */
	TIES_LARGER = 400,       /* with ties: no more permutations once so many are as large */
	SIDE_PERMUTATIONS = 999, /* for a side of a point */
	POWER_RUNS = 200,        /* simulated series for the step that is found */
	OUTLIER_SD = 3,
	CYCLE_ROUNDS = 4,
	SEED_NULL = 1,
	SEED_POWER,
	SEED_SIDE, /* of the random numbers of each purpose */
};

/* The part of the level that p-values can reach, whatever the error of the number of permutations. */
#define PERMUTED_ALPHA 0.9

struct stats_change_plan {
	uint32_t n;
	double *x;       /* [n] */
	uint32_t *phase; /* [n] */
	double *null;    /* [n_null] ascending: the statistic of permutations without ties; NULL for too few values */
	uint32_t n_null;
	double step_sd; /* a step in the middle that is found with a power of 80 %, in standard deviations; NAN if unknown */
};

static int change_compare(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return l < r ? -1 : l > r;
}

double stats_change_median(double *a, uint32_t n)
{
	if (n == 0)
		return NAN;
	qsort(a, n, sizeof(*a), change_compare);
	return n % 2 ? a[n / 2] : (a[n / 2 - 1] + a[n / 2]) / 2;
}

static double change_median_of(const double *a, uint32_t n)
{
	double copy[STATS_CHANGE_MAX];

	memcpy(copy, a, n * sizeof(*a));
	return stats_change_median(copy, n);
}

/* The logarithm of the number of ways to choose the values from t on, among those of their phases. */
static double change_ways(const uint32_t *phase, uint32_t n, uint32_t t)
{
	double ways = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t all = 0, before = 0, first = n;

		for (uint32_t k = 0; k < n; k++) {
			if (phase && phase[k] != phase[i])
				continue;
			first = k < first ? k : first;
			before += k < t;
			all++;
		}
		if (first == i)
			ways += lgamma(all + 1.0) - lgamma(before + 1.0) - lgamma(all - before + 1.0);
	}
	return ways;
}

bool stats_change_can_decide(const uint32_t *phase, uint32_t n)
{
	for (uint32_t t = STATS_CHANGE_SIDE; t + STATS_CHANGE_SIDE <= n; t++)
		if (change_ways(phase, n, t) >= log(2 / (PERMUTED_ALPHA * STATS_CHANGE_ALPHA)))
			return true;
	return false;
}

/* Values of a side after a step, with noise of a standard deviation of 1. */
static void change_draw(const struct stats_change_plan *plan, double step, uint64_t *random, double *y)
{
	for (uint32_t i = 0; i < plan->n; i++)
		y[i] = stats_normal_quantile(1 - stats_random_real(random)) + (i < plan->n / 2 ? 0 : step);
}

/* The share of series with a step in the middle that are found. */
static double change_power(const struct stats_change_plan *plan, double step)
{
	uint64_t random = SEED_POWER;
	double y[STATS_CHANGE_MAX];
	uint32_t found = 0;

	for (int i = 0; i < POWER_RUNS; i++) {
		change_draw(plan, step, &random, y);
		found += stats_change_p(plan, y) <= STATS_CHANGE_ALPHA;
	}
	return (double)found / POWER_RUNS;
}

/* The smallest step that is found with a power of 80 %, in standard deviations. */
static double change_step_sd(const struct stats_change_plan *plan)
{
	double lo = 0, hi = 8;

	if (change_power(plan, hi) < 0.8)
		return NAN;
	while (hi - lo > 0.02) {
		double mid = (lo + hi) / 2;

		*(change_power(plan, mid) < 0.8 ? &lo : &hi) = mid;
	}
	return hi;
}

struct stats_change_plan *stats_change_plan_new(const double *x, const uint32_t *phase, uint32_t n)
{
	struct stats_change_plan *plan = mem_zalloc(1, sizeof(*plan));
	struct stats_ranks ranks;
	uint64_t random = SEED_NULL;

	assert(n <= STATS_CHANGE_MAX);
	plan->n = n;
	plan->x = mem_alloc(n + 1, sizeof(*plan->x));
	plan->phase = mem_zalloc(n + 1, sizeof(*plan->phase));
	memcpy(plan->x, x, n * sizeof(*x));
	for (uint32_t i = 0; phase && i < n; i++)
		plan->phase[i] = phase[i];
	plan->step_sd = NAN;
	if (!stats_change_can_decide(plan->phase, n))
		return plan;
	plan->n_null = NULL_WORK / n < NULL_MIN ? NULL_MIN : NULL_WORK / n > NULL_MAX ? NULL_MAX : NULL_WORK / n;
	plan->null = mem_alloc(plan->n_null, sizeof(*plan->null));
	stats_ranks_make(plan->x, plan->phase, n, &ranks);
	for (uint32_t i = 0; i < plan->n_null; i++) {
		stats_ranks_shuffle(&ranks, &random);
		plan->null[i] = stats_ranks_largest(&ranks, NULL);
	}
	qsort(plan->null, plan->n_null, sizeof(*plan->null), change_compare);
	plan->step_sd = change_step_sd(plan);
	return plan;
}

void stats_change_plan_free(struct stats_change_plan *plan)
{
	if (!plan)
		return;
	free(plan->x);
	free(plan->phase);
	free(plan->null);
	free(plan);
}

/* The p-value if so many of n permutations are as large. Two standard errors of their number are added. */
static double change_permuted(uint32_t larger, uint32_t n)
{
	return fmin((1 + larger + 2 * sqrt(larger)) / (1.0 + n), 1);
}

/* The p-value by the distribution without ties. */
static double change_p_of(const struct stats_change_plan *plan, double largest)
{
	uint32_t lo = 0, hi = plan->n_null;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (plan->null[mid] < largest - STATS_RANKS_EQUAL)
			lo = mid + 1;
		else
			hi = mid;
	}
	return change_permuted(plan->n_null - lo, plan->n_null);
}

/* The p-value by permutations of these ranks; none beyond most, when that many were as large. */
static double permuted_p(struct stats_ranks *ranks, double largest, uint32_t n, uint32_t most, uint64_t random)
{
	uint32_t larger = 0, i;

	for (i = 0; i < n && larger < most; i++) {
		stats_ranks_shuffle(ranks, &random);
		larger += stats_ranks_largest(ranks, NULL) >= largest - STATS_RANKS_EQUAL;
	}
	return change_permuted(larger, i);
}

double stats_change_p(const struct stats_change_plan *plan, const double *y)
{
	struct stats_ranks ranks;
	double largest;

	if (!plan->null)
		return 1;
	stats_ranks_make(y, plan->phase, plan->n, &ranks);
	largest = stats_ranks_largest(&ranks, NULL);
	if (!ranks.has_ties)
		return change_p_of(plan, largest);
	return largest > 0 ? permuted_p(&ranks, largest, plan->n_null, TIES_LARGER, SEED_NULL) : 1;
}

/* Does a part [lo, hi) of the values show a change, at half of STATS_CHANGE_ALPHA? */
static bool side_changes(const struct stats_change_plan *plan, const double *y, uint32_t lo, uint32_t hi)
{
	const double alpha = STATS_CHANGE_ALPHA / 2;
	struct stats_ranks ranks;
	double largest;

	stats_ranks_make(y + lo, plan->phase + lo, hi - lo, &ranks);
	largest = stats_ranks_largest(&ranks, NULL);
	if (!(largest > 0))
		return false;
	/* with so many of the permutations as large, the p-value is above alpha */
	return permuted_p(&ranks, largest, SIDE_PERMUTATIONS, (uint32_t)(alpha * (SIDE_PERMUTATIONS + 1)) + 1,
			  SEED_SIDE) <= alpha;
}

/* --- slope --- */

/* The slopes of the pairs of a phase, and the variance of Kendall's S. Returns their number. */
static uint32_t change_list_slopes(const struct stats_change_plan *plan, const double *y, double *slope, double *var)
{
	uint32_t n = 0;

	*var = 0;
	for (uint32_t i = 0; i < plan->n; i++) {
		double same = 0, equal = 0, first = 1;

		for (uint32_t k = 0; k < plan->n; k++) {
			if (plan->phase[k] != plan->phase[i])
				continue;
			first = k < i ? 0 : first;
			same++;
			equal += y[k] == y[i];
			if (k > i && plan->x[k] > plan->x[i])
				slope[n++] = (y[k] - y[i]) / (plan->x[k] - plan->x[i]);
		}
		if (first > 0)
			*var += same * (same - 1) * (2 * same + 5) / 18;
		*var -= (equal - 1) * (2 * equal + 5) / 18; /* each group of ties counts once in all */
	}
	return n;
}

static void change_find_slope(const struct stats_change_plan *plan, const double *y, struct stats_change *out)
{
	double *slope = mem_alloc((size_t)plan->n * plan->n / 2 + 1, sizeof(*slope)), var, half;
	uint32_t n = change_list_slopes(plan, y, slope, &var);

	out->slope = stats_change_median(slope, n);
	half = var > 0 ? stats_normal_quantile((1 - STATS_CHANGE_INTERVAL) / 2) * sqrt(var) : 0;
	if (n) {
		double lo = floor((n - half) / 2) - 1, hi = ceil((n + half) / 2);

		out->slope_lo = lo < 0 ? -INFINITY : slope[(uint32_t)lo];
		out->slope_hi = hi >= n ? INFINITY : slope[(uint32_t)hi];
	}
	free(slope);
}

/* The standard deviation of values, from the differences of neighbours of a phase, on which one step has no influence. */
static double change_sd(const struct stats_change_plan *plan, const double *y)
{
	double step[STATS_CHANGE_MAX];
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n; i++) {
		uint32_t k = i + 1;

		while (k < plan->n && plan->phase[k] != plan->phase[i])
			k++;
		if (k < plan->n)
			step[n++] = fabs(y[k] - y[i]);
	}
	return 1.4826 * stats_change_median(step, n) / sqrt(2);
}

/* --- result --- */

/* Move outliers to within OUTLIER_SD standard deviations of the median of five neighbours. A level of two values remains. */
static void limit_outliers(double *y, uint32_t n, double sd)
{
	double own[STATS_CHANGE_MAX];

	memcpy(own, y, n * sizeof(*y));
	for (uint32_t i = 0; i < n && n >= 5; i++) {
		uint32_t first = i < 2 ? 0 : i + 3 > n ? n - 5 : i - 2;
		double middle = change_median_of(own + first, 5);

		y[i] = fmin(fmax(own[i], middle - OUTLIER_SD * sd), middle + OUTLIER_SD * sd);
	}
}

/* A step in values, as a factor or as a difference, and the median of each value's phase without it. */
struct change_cycle {
	uint32_t at;
	double step;
	bool divides; /* all medians are above 0: a cycle is a factor, else a term */
	double centre[STATS_CHANGE_MAX];
};

static double change_without(const struct change_cycle *c, double value, double by)
{
	return c->divides ? value / by : value - by;
}

/* Find the medians of the phases. */
static void change_find_centres(const struct stats_change_plan *plan, const double *y, struct change_cycle *c)
{
	bool divides = true;

	for (uint32_t i = 0; i < plan->n; i++) {
		double same[STATS_CHANGE_MAX];
		uint32_t n = 0;

		for (uint32_t k = 0; k < plan->n; k++)
			if (plan->phase[k] == plan->phase[i])
				same[n++] = k < c->at ? y[k] : change_without(c, y[k], c->step);
		c->centre[i] = stats_change_median(same, n);
		divides &= c->centre[i] > 0;
	}
	if (divides || !c->divides)
		return;
	c->divides = false;
	c->step = 0;
	change_find_centres(plan, y, c);
}

/*
 * Remove the cycle: divide each value by the median of its phase, or subtract that. Phases do not have the same number of
 * values before and after a step, so the step is removed first; it and the medians are found in turn.
 */
static void remove_cycle(const struct stats_change_plan *plan, const double *y, double *out)
{
	struct change_cycle c = { .at = plan->n, .step = 1, .divides = true };
	uint32_t at = 0;

	for (int round = 0; round < CYCLE_ROUNDS; round++) {
		double ratio;

		change_find_centres(plan, y, &c);
		for (uint32_t i = 0; i < plan->n; i++)
			out[i] = change_without(&c, y[i], c.centre[i]);
		limit_outliers(out, plan->n, change_sd(plan, out));
		stats_change_best(out, plan->n, &at);
		ratio = change_without(&c, change_median_of(out + at, plan->n - at), change_median_of(out, at));
		c.at = at;
		c.step = c.divides && !(ratio > 0) ? 1 : ratio;
	}
}

static bool line_fits(const struct stats_change_plan *plan, const double *y, double slope, const double *flat)
{
	double rest[STATS_CHANGE_MAX];

	for (uint32_t i = 0; i < plan->n; i++)
		rest[i] = y[i] - slope * plan->x[i];
	return stats_change_model_p(plan->x, flat, plan->n, false) > STATS_CHANGE_ALPHA &&
	       stats_change_p(plan, rest) > STATS_CHANGE_ALPHA;
}

/* Find the position of a step. Returns false if a step does not explain the values. */
static bool find_step(const struct stats_change_plan *plan, const double *y, const double *flat,
		      struct stats_change *out)
{
	stats_change_position(flat, plan->n, out);
	if (stats_change_model_p(plan->x, flat, plan->n, true) <= STATS_CHANGE_ALPHA ||
	    side_changes(plan, y, 0, out->at) || side_changes(plan, y, out->at, plan->n)) {
		out->at = out->at_lo = out->at_hi = 0;
		return false;
	}
	out->before = change_median_of(y, out->at);
	out->after = change_median_of(y + out->at, plan->n - out->at);
	return true;
}

void stats_change_find(const struct stats_change_plan *plan, const double *y, double p, struct stats_change *out)
{
	double flat[STATS_CHANGE_MAX];
	bool is_point, is_line;

	*out = (struct stats_change){ .kind = STATS_CHANGE_TOO_FEW,
				      .slope = NAN,
				      .slope_lo = -INFINITY,
				      .slope_hi = INFINITY,
				      .p = p,
				      .before = NAN,
				      .after = NAN,
				      .detectable = NAN };
	if (plan->n < 2)
		return;
	change_find_slope(plan, y, out);
	if (!plan->null)
		return;
	out->detectable = plan->step_sd * change_sd(plan, y);
	out->kind = STATS_CHANGE_NONE;
	if (p > STATS_CHANGE_ALPHA)
		return;
	remove_cycle(plan, y, flat);
	is_line = line_fits(plan, y, out->slope, flat);
	is_point = find_step(plan, y, flat, out);
	out->kind = is_point  ? (is_line ? STATS_CHANGE_EITHER : STATS_CHANGE_POINT)
		    : is_line ? STATS_CHANGE_STEADY
			      : STATS_CHANGE_SEVERAL;
}
