/*
 * ranks.c - ranks of values over time, and their largest change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/stats/change_int.h"

#include <math.h>

/* splitmix64, from Steele, Lea and Flood 2014. */
static uint64_t ranks_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

double stats_random_real(uint64_t *random)
{
	return ((double)(ranks_random(random) >> 11) + 0.5) * 0x1p-53;
}

/* Sort the values by phase; within a phase they stay in order. */
static void ranks_find_members(const uint32_t *phase, uint32_t n, struct stats_ranks *out)
{
	bool is_done[STATS_CHANGE_MAX] = { false };
	uint32_t n_members = 0;

	out->n_phases = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (is_done[i])
			continue;
		out->phase[out->n_phases++] = n_members;
		for (uint32_t k = i; k < n; k++) {
			if (phase[k] != phase[i])
				continue;
			is_done[k] = true;
			out->member[n_members++] = k;
		}
	}
	out->phase[out->n_phases] = n_members;
}

/* Set the scores of the members of a phase. Returns the variance of a score. */
static double ranks_score(const double *y, const uint32_t *member, uint32_t n, struct stats_ranks *out)
{
	double var = 0;

	for (uint32_t i = 0; i < n; i++) {
		double below = 0, equal = 0;

		for (uint32_t k = 0; k < n; k++) {
			below += y[member[k]] < y[member[i]];
			equal += y[member[k]] == y[member[i]];
		}
		out->has_ties |= equal > 1;
		out->score[member[i]] = (2 * below + equal - n) / n; /* mid-rank, centred */
		var += out->score[member[i]] * out->score[member[i]];
	}
	return var / n;
}

void stats_ranks_make(const double *y, const uint32_t *phase, uint32_t n, struct stats_ranks *out)
{
	double var[STATS_CHANGE_MAX] = { 0 };

	out->n = n;
	out->has_ties = false;
	ranks_find_members(phase, n, out);
	for (uint32_t p = 0; p < out->n_phases; p++) {
		const uint32_t *member = out->member + out->phase[p];
		uint32_t all = out->phase[p + 1] - out->phase[p], before = 0;
		double of_one = ranks_score(y, member, all, out);

		/* of a sample without replacement */
		for (uint32_t i = 0; i < n; i++) {
			if (all > 1)
				var[i] += of_one * before * (all - before) / (all - 1);
			before += before < all && member[before] == i;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		out->sd[i] = sqrt(var[i]);
}

void stats_ranks_shuffle(struct stats_ranks *r, uint64_t *random)
{
	for (uint32_t p = 0; p < r->n_phases; p++) {
		const uint32_t *member = r->member + r->phase[p];

		for (uint32_t n = r->phase[p + 1] - r->phase[p]; n > 1; n--) {
			/* The bias of a 32 bit product is below 1e-7 for these numbers. */
			uint32_t k = (uint32_t)(((ranks_random(random) >> 32) * n) >> 32);
			double score = r->score[member[k]];

			r->score[member[k]] = r->score[member[n - 1]];
			r->score[member[n - 1]] = score;
		}
	}
}

double stats_ranks_largest(const struct stats_ranks *r, uint32_t *at)
{
	double sum = 0, largest = 0;

	if (at)
		*at = 0;
	for (uint32_t i = 1; i < r->n; i++) {
		double z;

		sum += r->score[i - 1];
		if (i < STATS_CHANGE_SIDE || r->n - i < STATS_CHANGE_SIDE || r->sd[i] <= STATS_RANKS_EQUAL)
			continue;
		z = fabs(sum) / r->sd[i];
		if (z <= largest + STATS_RANKS_EQUAL)
			continue;
		largest = z;
		if (at)
			*at = i;
	}
	return largest;
}
