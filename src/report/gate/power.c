/*
 * power.c - what a gate could have seen, and how many samples it would need
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The strict null hypothesis is a ratio of 1 + limit. Seen from there a ratio R is one of R / (1 + limit), with a
 * threshold of 0.
 */
#include "config.h"

#include "report/gate/decide_int.h"

#include "base/arena.h"
#include "base/mem.h"
#include "engine/stats/stats.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How much more the rows differ between runs than samples do: their median. */
static double dispersion(const struct deciding *d)
{
	double *phi = mem_alloc(d->rows->n + 1, sizeof(*phi)), median = 1;
	uint32_t n = 0;

	for (uint32_t i = 0; d->judged->has_replicates && i < d->rows->n; i++)
		if (!isnan(d->judged->row[i].p))
			phi[n++] = d->judged->row[i].phi;
	qsort(phi, n, sizeof(*phi), by_size);
	if (n)
		median = fmax(1, phi[n / 2]);
	free(phi);
	return median;
}

/* Variation from run to run: of one pair what its reference shows; of replicates the means vary less. */
static double spread(const struct deciding *d)
{
	double noise = d->how->noise, runs = 0;

	if (!d->judged->has_replicates)
		return d->judged->tau > noise ? d->judged->tau : noise;
	for (int side = 0; side < N_STATS_SIDES; side++)
		runs += 1 / fmax(1, d->out->side[side].n_files);
	return noise * sqrt(runs / 2);
}

void decide_power(struct deciding *d)
{
	static const double shares[] = { 0.2, 0.1, 0.05, 0.01 };
	enum { N_SHARES = sizeof(shares) / sizeof(shares[0]) };
	const struct gate_how *how = d->how;
	struct gate *g = d->out;
	double over = how->strict ? 1 + how->threshold : 1, phi = dispersion(d), samples, rate;
	struct gate_power *power = arena_alloc(g->mem, N_SHARES, sizeof(*power));
	const struct stats_power now = {
		.alpha = how->alpha,
		.threshold = how->strict ? 0 : how->threshold,
		.noise = spread(d),
		.tests = how->adjust == STATS_HOLM ? fmax(1, g->n_tests) : 1,
	};
	struct stats_power later = now; /* one pair that is noisy does not tell that the next will be */

	later.noise = fmin(now.noise, how->noise);
	samples = 2 / (1 / g->side[STATS_BASE].samples + 1 / g->side[STATS_NEW].samples);
	for (int i = 0; i < N_SHARES; i++)
		power[i] = (struct gate_power){ shares[i], over * stats_power_ratio(&now, shares[i], samples / phi) };
	if (decide_unsure(d) || decide_contention(d))
		for (int i = 0; i < N_SHARES; i++)
			power[i].ratio = INFINITY;
	g->power = power;
	g->n_power = N_SHARES;
	g->need_share = how->has_need ? how->need_share : 0.05;
	g->need_ratio = how->has_need ? how->need_ratio : fmax(1.3, 1 + how->threshold * 1.5);
	g->need_samples = phi * stats_power_need(&later, g->need_share, g->need_ratio / over);
	if (decide_unsure(d) || decide_contention(d))
		g->need_samples = INFINITY;
	else if (samples >= g->need_samples &&
		 over * stats_power_ratio(&now, g->need_share, samples / phi) > g->need_ratio)
		g->need_samples = INFINITY; /* there are enough, but these runs differ too much */
	rate = g->side[STATS_BASE].seconds > 0 ? g->side[STATS_BASE].samples / g->side[STATS_BASE].seconds : 0;
	g->need_seconds = rate > 0 && isfinite(g->need_samples) ? g->need_samples / rate : 0;
}
