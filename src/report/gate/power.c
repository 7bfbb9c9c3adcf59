/*
 * power.c - what a gate could have seen, and how many samples it would need
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The strict null hypothesis is a ratio of 1 + limit. Seen from there a ratio R is one of R / (1 + limit), with a
 * threshold of 0.
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/arena.h"
#include "base/mem.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double decision_median(double *a, size_t n, double otherwise)
{
	if (n)
		qsort(a, n, sizeof(*a), by_size);
	return n ? a[n / 2] : otherwise;
}

/* Is it a function that was tested? Those tell of the others. */
static bool tells(const struct decision *d, uint32_t i)
{
	return d->rows->source[i].kind != GATE_TOTAL && !isnan(d->judged->row[i].p);
}

/* Effective counts that a row has in one run, less its share of them: where a function differs by tau from run to run,
   its dispersion is 1 + tau^2 times this. */
static double per_run(const struct decision *d, uint32_t i)
{
	const struct stats_row *row = &d->judged->row[i];
	double count = 0, share = 0, runs = 0;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		count += row->count[side];
		share += row->value[side] / d->s->total[side] / N_STATS_SIDES;
		runs += fmax(1, d->out->side[side].n_files);
	}
	return count / runs * fmax(0, 1 - share);
}

/* What runs say of how much functions differ from one to the next: tau^2, by least squares over the rows. */
static double variation(const struct decision *d)
{
	double sum = 0, sum_2 = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (tells(d, i)) {
			double k = per_run(d, i);

			sum += k * (d->judged->row[i].phi - 1);
			sum_2 += k * k;
		}
	return sum_2 > 0 ? fmax(0, sum / sum_2) : 0;
}

/* What that does not explain: how much more rows differ than samples do, whatever their size. The median. */
static double dispersion(const struct decision *d, double tau2)
{
	double *phi = mem_alloc(d->rows->n + 1, sizeof(*phi)), found;
	size_t n = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (tells(d, i))
			phi[n++] = d->judged->row[i].phi - tau2 * per_run(d, i);
	found = fmax(1, decision_median(phi, n, 1));
	free(phi);
	return found;
}

/* Degrees of freedom of the tests; 0 for one pair. */
static double freedom(const struct decision *d)
{
	double *nu = mem_alloc(d->rows->n + 1, sizeof(*nu)), found;
	size_t n = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (tells(d, i))
			nu[n++] = d->judged->row[i].nu;
	found = decision_median(nu, n, 0);
	free(nu);
	return found;
}

/* What most rows have of a column, as limits and noise that lines of the file give; otherwise without tests. */
static double usual(const struct decision *d, const double *column, double otherwise)
{
	double *all = mem_alloc(d->rows->n + 1, sizeof(*all)), found;
	size_t n = 0;

	for (uint32_t i = 0; i < d->rows->n; i++)
		if (tells(d, i))
			all[n++] = column[i];
	found = decision_median(all, n, otherwise);
	free(all);
	return found;
}

/* Variation from run to run: of one pair what its reference shows; of several runs the means vary less. */
static double spread(const struct decision *d, double tau2)
{
	double noise = usual(d, d->rows->counts.row_noise, d->options->noise), runs = 0;

	if (!d->judged->has_replicates)
		return d->judged->tau > noise ? d->judged->tau : noise;
	for (int side = 0; side < N_STATS_SIDES; side++)
		runs += 1 / fmax(1, d->out->side[side].n_files);
	return sqrt((noise * noise + tau2) * runs / 2);
}

void decision_find_power(struct decision *d)
{
	static const double shares[] = { 0.2, 0.1, 0.05, 0.01 };
	enum { N_SHARES = sizeof(shares) / sizeof(shares[0]) };
	const struct gate_options *options = d->options;
	struct gate *g = d->out;
	double limit = usual(d, d->rows->counts.row_limit, options->threshold), over = options->strict ? 1 + limit : 1;
	double tau2 = variation(d), phi = dispersion(d, tau2), samples, rate;
	bool is_blind = g->n_tests == 0 || decision_unsure(d) || decision_contention(d);
	struct gate_power *power = arena_alloc(g->mem, N_SHARES, sizeof(*power));
	const struct stats_power now = {
		.alpha = options->alpha,
		.threshold = options->strict ? 0 : limit,
		.noise = spread(d, tau2),
		.tests = options->adjust == STATS_UNADJUSTED
				 ? 1
				 : fmax(1, g->n_tests), /* of BH, one alone has to pass all */
		.nu = freedom(d),
	};
	struct stats_power later = now; /* one pair that is noisy does not tell that the next will be */

	if (!d->judged->has_replicates)
		later.noise = usual(d, d->rows->counts.row_noise, options->noise);
	assert(over >= 1 && tau2 >= 0 && phi >= 1);
	samples = 2 / (1 / g->side[STATS_BASE].samples + 1 / g->side[STATS_NEW].samples);
	for (int i = 0; i < N_SHARES; i++)
		power[i] = (struct gate_power){
			shares[i],
			is_blind ? INFINITY : over * stats_power_ratio(&now, shares[i], samples / phi),
		};
	g->power = power;
	g->n_power = N_SHARES;
	g->need_share = options->has_need ? options->need_share : 0.05;
	g->need_ratio = options->has_need ? options->need_ratio : fmax(1.3, 1 + limit * 1.5);
	g->need_samples = phi * stats_power_need(&later, g->need_share, g->need_ratio / over);
	if (is_blind)
		g->need_samples = INFINITY;
	else if (samples >= g->need_samples &&
		 over * stats_power_ratio(&now, g->need_share, samples / phi) > g->need_ratio)
		g->need_samples = INFINITY; /* there are enough, but these runs differ too much */
	rate = g->side[STATS_BASE].seconds > 0 ? g->side[STATS_BASE].samples / g->side[STATS_BASE].seconds : 0;
	g->need_seconds = rate > 0 && isfinite(g->need_samples) ? g->need_samples / rate : 0;
	assert(g->need_samples >= 0 && g->need_seconds >= 0);
}
