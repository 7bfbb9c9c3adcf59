/*
 * centre.c - the robust centre of the cells of a program, and their spread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "engine/stats/judge_int.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Mean and standard deviation of min(4, Z * Z), Z standard normal. */
#define SPREAD_CAP 4.0
#define SPREAD_MEAN 0.920537
#define SPREAD_SD 1.110121
/* Min points for a spread, in total and on a side. */
#define SPREAD_CELLS_MIN 8
#define SPREAD_SIDE_MIN 3
#define SPREAD_STEPS_MAX 200

/* The excess of the mean of min(4, d * d / (v + 2 tau2)) over its expectation, and its slope. */
static double excess(const struct stats_point *p, uint32_t n, double mu, double tau2, double *slope)
{
	double sum = 0, sum_slope = 0;

	for (uint32_t i = 0; i < n; i++) {
		double d = p[i].x - mu, by = 1 / (p[i].v + 2 * tau2), q = d * d * by;

		if (q < SPREAD_CAP) {
			sum += q;
			sum_slope -= 2 * q * by;
		} else {
			sum += SPREAD_CAP;
		}
	}
	*slope = sum_slope / n;
	return sum / n - (SPREAD_MEAN + 0.5 * SPREAD_SD / sqrt(n));
}

/* The smallest tau2, at least floor, that explains the distances of the points of one side. Newton within bounds. */
static double side_spread(const struct stats_point *p, uint32_t n, double mu, double floor)
{
	double lo = floor, max_distance = 0, at = floor, slope;

	if (excess(p, n, mu, floor, &slope) <= 0)
		return floor;
	for (uint32_t i = 0; i < n; i++)
		max_distance = fmax(max_distance, fabs(p[i].x - mu));
	double hi = 0.5 * max_distance * max_distance / (SPREAD_MEAN + 0.5 * SPREAD_SD / sqrt(n));

	for (int i = 0; i < SPREAD_STEPS_MAX; i++) {
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

/* The spread of sorted points about mu beyond sampling, on the side where it is smaller; at least noise. */
static double points_spread(const struct stats_point *p, uint32_t n, double mu, double noise)
{
	uint32_t n_below = n, n_above = n;
	double tau2 = INFINITY;

	if (n < SPREAD_CELLS_MIN)
		return noise;
	while (n_below && p[n_below - 1].x > mu)
		n_below--;
	while (n_above && p[n - n_above].x < mu)
		n_above--;
	if (n_below >= SPREAD_SIDE_MIN)
		tau2 = side_spread(p, n_below, mu, noise * noise);
	if (n_above >= SPREAD_SIDE_MIN)
		tau2 = fmin(tau2, side_spread(p + (n - n_above), n_above, mu, noise * noise));
	assert(n_below + n_above >= n && tau2 >= 0);
	return isinf(tau2) ? noise : fmax(noise, sqrt(tau2));
}

/* Half of a sum of weights, with a tolerance for rounding. */
#define HALF (0.5 * (1 - 1e-9))
/* Tolerance for equal numbers: choices must not depend on rounding. */
#define TOLERANCE 1e-9
#define CENTRE_STEPS_MAX 1000
/* Steps before slow convergence is extrapolated. */
#define PLAIN_STEPS 50
#define CUTS_MAX 64

double stats_count(double value, double var)
{
	if (!(value > 0))
		return 0;
	return var > 0 ? fmin(STATS_COUNT_MAX, value / (var / value)) : STATS_COUNT_MAX;
}

/* The expected ratio of counts new / base of an unchanged cell; k contains the counts of both sides. */
static double odds_of(const struct stats_cell *cell, const double k[N_SIDES], double rho)
{
	double per[N_SIDES]; /* effective counts per unit of value */

	for (int side = 0; side < N_SIDES; side++) {
		int from = cell->value[side] > 0 ? side : !side;

		per[side] = k[from] / cell->value[from];
	}
	return rho * per[SIDE_NEW] / per[SIDE_BASE];
}

static bool is_balanced(double odds)
{
	return odds >= 1 / STATS_IMBALANCE_MAX && odds <= STATS_IMBALANCE_MAX;
}

/* The variance of ln ratio times the counts of both sides together; 4 if the sides are equal. */
static double imbalance(double odds)
{
	return (1 + odds) * (1 + 1 / odds);
}

double stats_cell_counts(const struct stats_cell *cell)
{
	return stats_count(cell->value[SIDE_BASE], cell->var[SIDE_BASE]) +
	       stats_count(cell->value[SIDE_NEW], cell->var[SIDE_NEW]);
}

static void count_both(const struct stats_cell *cell, double k[N_SIDES])
{
	for (int side = 0; side < N_SIDES; side++)
		k[side] = stats_count(cell->value[side], cell->var[side]);
}

enum stats_point_kind stats_point_find(const struct stats_cell *cell, double noise, double rho, bool may_be_small,
				       struct stats_point *out)
{
	double with_half[N_SIDES], k[N_SIDES], odds, sum;

	count_both(cell, k);
	sum = k[SIDE_BASE] + k[SIDE_NEW];
	if (!may_be_small && sum < STATS_CELL_MIN)
		return STATS_SMALL;
	odds = odds_of(cell, k, rho);
	if (!may_be_small && !is_balanced(odds) && 4 * sum < STATS_CELL_MIN * imbalance(odds))
		return STATS_SMALL;
	out->v = 0;
	for (int side = 0; side < N_SIDES; side++) {
		if (!(k[side] > 0))
			return STATS_ONE_SIDED;
		with_half[side] = cell->value[side] + 0.5 * cell->var[side] / cell->value[side];
		out->v += 1 / (k[side] + 0.5);
	}
	if (!is_balanced(odds))
		out->v = imbalance(odds) / (sum + 1);
	assert(out->v > 0);
	out->x = log(with_half[SIDE_NEW] / with_half[SIDE_BASE]);
	out->w = 1 / (out->v + 2 * noise * noise);
	return STATS_POINT;
}

/* The weighted mean of the shortest interval that contains half of the weight; the lowest of equal ones. */
static double centre_start(const struct stats_point *p, uint32_t n, double *before)
{
	double best = INFINITY, sum = 0, sum_x = 0;
	uint32_t from = 0, to = n;

	before[0] = 0;
	for (uint32_t i = 0; i < n; i++)
		before[i + 1] = before[i] + p[i].w;
	for (uint32_t lo = 0, hi = 0; lo < n; lo++) {
		while (hi < n && before[hi] - before[lo] < HALF * before[n])
			hi++;
		if (before[hi] - before[lo] < HALF * before[n])
			break;
		if (p[hi - 1].x - p[lo].x < best - TOLERANCE) {
			best = p[hi - 1].x - p[lo].x;
			from = lo;
			to = hi;
		}
	}
	while (from && p[from].x - p[from - 1].x < TOLERANCE)
		from--;
	while (to < n && p[to].x - p[to - 1].x < TOLERANCE)
		to++;
	for (uint32_t i = from; i < to; i++) {
		sum += p[i].w;
		sum_x += p[i].w * (p[i].x - p[from].x);
	}
	return p[from].x + sum_x / sum;
}

static int centre_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Quickselect: move the k-th smallest to index k, smaller numbers before it. */
static void put_kth(double *a, int64_t n, int64_t k)
{
	int64_t lo = 0, hi = n - 1;

	assert(0 <= k && k < n);
	for (int cuts = 0; lo < hi; cuts++) {
		int64_t i = lo, j = hi;
		double pivot = a[lo + (hi - lo) / 2];

		if (cuts == CUTS_MAX) {
			qsort(a + lo, (size_t)(hi - lo + 1), sizeof(*a), centre_by_value);
			return;
		}
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i > j)
				break;
			double t = a[i];

			a[i++] = a[j];
			a[j--] = t;
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			return;
	}
}

static double median(double *a, uint32_t n)
{
	uint32_t k = n / 2;
	double below;

	put_kth(a, n, k);
	if (n % 2)
		return a[k];
	below = a[0];
	for (uint32_t i = 1; i < k; i++)
		below = fmax(below, a[i]);
	return 0.5 * (below + a[k]);
}

void stats_cells_add_ratio(const struct stats_cell *cell, double *ratio, uint32_t *n)
{
	const double *v = cell->value;

	if (v[SIDE_BASE] > 0 && v[SIDE_NEW] > 0)
		ratio[(*n)++] = log(v[SIDE_NEW] / v[SIDE_BASE]);
}

double stats_cells_rho(double *ratio, uint32_t n)
{
	return n ? exp(median(ratio, n)) : 1;
}

static double centre_scale(const struct stats_point *p, uint32_t n, double mu, double *scratch)
{
	for (uint32_t i = 0; i < n; i++)
		scratch[i] = fabs(p[i].x - mu) * sqrt(p[i].w);
	return fmax(1, 1.4826 * median(scratch, n));
}

/* The sum of the remaining steps if steps shrink by a constant factor; else this step. */
static double centre_extrapolate(double step, double last, double *factor)
{
	double old_factor = *factor;

	*factor = step / last;
	if (!(*factor > 0 && *factor < 1 && fabs(*factor - old_factor) < 1e-3 * (1 - *factor)))
		return step;
	old_factor = *factor;
	*factor = 0;
	return step / (1 - old_factor);
}

void stats_points_centre(const struct stats_point *p, uint32_t n, double noise, double *scratch,
			 struct stats_centre *out)
{
	double mu = centre_start(p, n, scratch), scale = centre_scale(p, n, mu, scratch), step = 1, factor = 0;
	double reach = 1 / (9 * scale * scale);

	assert(n >= STATS_CELLS_MIN && p[0].x <= p[n - 1].x && scale >= 1);
	out->var = INFINITY;
	for (int i = 0; i < CENTRE_STEPS_MAX && fabs(step) >= 1e-12; i++) {
		double sum = 0, sum_x = 0, sum_2 = 0, last = step;

		for (uint32_t j = 0; j < n; j++) {
			double d = p[j].x - mu, left = 1 - d * d * p[j].w * reach, h = left * left, wh = p[j].w * h;

			if (!(left > 0))
				continue;
			sum += wh;
			sum_x += wh * d;
			sum_2 += wh * h;
		}
		if (!(sum > 0))
			break;
		step = sum_x / sum;
		mu += i < PLAIN_STEPS ? step : centre_extrapolate(step, last, &factor);
		out->var = scale * scale * sum_2 / (sum * sum);
	}
	assert(isfinite(mu) && out->var >= 0);
	out->mu = mu;
	out->n_cells = n;
	out->tau = points_spread(p, n, mu, noise);
	assert(out->tau >= noise);
}

bool stats_centre_find(const struct stats_cell *cell, uint32_t n, double noise, struct stats_centre *out)
{
	struct stats_point *p = mem_alloc(2 * ((size_t)n + 1), sizeof(*p));
	double *scratch = mem_alloc((size_t)n + 2, sizeof(*scratch));
	struct stats_cell tail = { 0 };
	uint32_t m = 0;
	double rho;

	for (uint32_t i = 0; i < n; i++)
		stats_cells_add_ratio(&cell[i], scratch, &m);
	rho = stats_cells_rho(scratch, m);
	m = 0;
	for (uint32_t i = 0; i < n; i++)
		switch (stats_point_find(&cell[i], noise, rho, false, &p[m])) {
		case STATS_SMALL:
			stats_cell_add(&tail, &cell[i]);
			break;
		case STATS_POINT:
			m++;
			break;
		case STATS_ONE_SIDED:
			break;
		}
	if (stats_point_find(&tail, noise, rho, true, &p[m]) == STATS_POINT)
		m++;
	assert(m <= n + 1);
	*out = (struct stats_centre){ .n_cells = m };
	if (m >= STATS_CELLS_MIN) {
		stats_points_sort(p, m, p + n + 1);
		stats_points_centre(p, m, noise, scratch, out);
	}
	free(scratch);
	free(p);
	return m >= STATS_CELLS_MIN;
}
