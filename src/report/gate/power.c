/*
 * power.c - smallest changes that a gate can detect, and number of samples it would need
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The strict null hypothesis is a ratio of 1 + limit. Relative to it, a ratio R is R / (1 + limit) with a threshold of
 * 0.
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/arena.h"
#include "base/mem.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int power_compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double decision_median(double *a, size_t n, double fallback)
{
	if (n)
		qsort(a, n, sizeof(*a), power_compare_numbers);
	return n ? a[n / 2] : fallback;
}

/* Returns true if the row is a function that was tested. The power for other functions is derived from these. */
static bool is_tested(const struct decision *d, uint32_t i)
{
	return d->rows->source[i].kind != GATE_TOTAL && !isnan(d->judged->row[i].p);
}

/* Returns true if the larger share of a row is close to this share. */
static bool has_share(const struct decision *d, uint32_t i, double share)
{
	const struct stats_row *row = &d->judged->row[i];
	double own = 0;

	for (int side = 0; side < N_SIDES; side++)
		own = fmax(own, row->value[side] / d->s->total[side]);
	return own >= share / 2 && own <= share * 2;
}

/* Median variance between runs, as used by the tests, of rows with a share close to this one; of all rows if only few
 * rows have such a share. */
static double run_variance(const struct decision *d, double share)
{
	enum { ROWS_MIN = 3 };
	double *tau2 = mem_alloc(d->rows->n + 1, sizeof(*tau2)), found;
	size_t n = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (is_tested(d, i) && has_share(d, i, share))
			tau2[n++] = d->judged->row[i].tau2_high;
	if (n < ROWS_MIN) {
		n = 0;
		for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
			if (is_tested(d, i))
				tau2[n++] = d->judged->row[i].tau2_high;
	}
	found = decision_median(tau2, n, 0);
	free(tau2);
	return found;
}

/* Median degrees of freedom of the tests; 0 for one pair. */
static double median_freedom(const struct decision *d)
{
	double *nu = mem_alloc(d->rows->n + 1, sizeof(*nu)), found;
	size_t n = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (is_tested(d, i))
			nu[n++] = d->judged->row[i].nu;
	found = decision_median(nu, n, 0);
	free(nu);
	return found;
}

/*
 * Median of a column of the tested rows, such as limits or noise set by lines of the file; fallback if no row was
 * tested.
 */
static double median_of(const struct decision *d, const double *column, double fallback)
{
	double *all = mem_alloc(d->rows->n + 1, sizeof(*all)), found;
	size_t n = 0;

	for (uint32_t i = 0; i < d->rows->n; i++)
		if (is_tested(d, i))
			all[n++] = column[i];
	found = decision_median(all, n, fallback);
	free(all);
	return found;
}

/*
 * Standard deviation between runs. For one pair, it is the spread of the centre, at least the noise. Means of several
 * runs vary less.
 */
static double run_deviation(const struct decision *d, double tau2)
{
	double noise = median_of(d, d->rows->counts.row_noise, d->options->noise);
	const double *weight = d->judged->run_weight;

	if (!d->judged->has_replicates)
		return d->judged->tau > noise ? d->judged->tau : noise;
	return sqrt((noise * noise + tau2) * (weight[SIDE_BASE] + weight[SIDE_NEW]) / 2);
}

double decision_samples(const struct decision *d)
{
	const struct gate_side *side = d->out->side;

	return 2 / (1 / side[SIDE_BASE].samples + 1 / side[SIDE_NEW].samples);
}

double decision_power_ratio(const struct decision *d, double share)
{
	struct stats_power power = d->power;

	if (d->has_no_power)
		return INFINITY;
	power.noise = run_deviation(d, run_variance(d, share));
	return d->null_ratio * stats_power_ratio(&power, share, decision_samples(d));
}

/*
 * Set the regression that a PASS must be able to detect: --need, or by default a larger one for heap and lock
 * contention profiles.
 */
static void find_need(struct decision *d)
{
	static const double weak_share = 0.2, weak_ratio = 2;
	bool is_weak = !d->options->has_need && !d->s->is_time && !gate_is_exact(d->s);

	d->out->need_share = is_weak ? weak_share : d->options->need_share;
	d->out->need_ratio = is_weak ? fmax(weak_ratio, d->options->need_ratio) : d->options->need_ratio;
}

void decision_find_power(struct decision *d)
{
	static const double shares[] = { 0.2, 0.1, 0.05, 0.01 };
	enum { N_SHARES = sizeof(shares) / sizeof(shares[0]) };
	const struct gate_options *options = d->options;
	struct gate *g = d->out;
	double limit = median_of(d, d->rows->counts.row_limit, options->threshold), samples = decision_samples(d), rate;
	struct gate_power *power = arena_alloc(g->mem, N_SHARES, sizeof(*power));
	struct stats_power future; /* power of future runs; the noise of this pair may be accidental */

	d->null_ratio = options->strict ? 1 + limit : 1;
	d->has_no_power = g->n_tests == 0 || decision_unreliable(d) || decision_contention(d);
	d->power = (struct stats_power){
		.alpha = options->alpha,
		.threshold = options->strict ? 0 : limit,
		/* with any correction, the p-value of a single regression must be below alpha / tests */
		.tests = options->adjust == STATS_UNADJUSTED ? 1 : fmax(1, g->n_tests),
		.nu = median_freedom(d),
	};
	for (int i = 0; i < N_SHARES; i++)
		power[i] = (struct gate_power){ shares[i], decision_power_ratio(d, shares[i]) };
	g->power = power;
	g->n_power = gate_is_exact(d->s) ? 0 : N_SHARES;
	find_need(d);
	future = d->power;
	future.noise = d->judged->has_replicates ? run_deviation(d, run_variance(d, g->need_share))
						 : median_of(d, d->rows->counts.row_noise, options->noise);
	g->need_samples = stats_power_samples(&future, g->need_share, g->need_ratio / d->null_ratio);
	if (gate_is_exact(d->s))
		g->need_samples = 0;
	else if (d->has_no_power ||
		 (samples >= g->need_samples && decision_power_ratio(d, g->need_share) > g->need_ratio))
		g->need_samples = INFINITY; /* more samples do not help: these runs differ too much */
	else if (isfinite(g->need_samples))
		g->need_samples = fmin(g->need_samples, STATS_COUNT_MAX);
	rate = g->side[SIDE_BASE].seconds > 0 ? g->side[SIDE_BASE].samples / g->side[SIDE_BASE].seconds : 0;
	g->need_seconds = rate > 0 && isfinite(g->need_samples) ? g->need_samples / rate : 0;
	assert(g->need_samples >= 0 && g->need_seconds >= 0);
}
