/*
 * change_int.h - ranks of values over time, and their largest change
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_STATS_CHANGE_INT_H
#define ENGINE_STATS_CHANGE_INT_H

#include "engine/stats/change.h"

#include <stdbool.h>
#include <stdint.h>

/* Statistics that differ less than this are equal. */
#define STATS_RANKS_EQUAL 1e-9

/* Scores of n values, from their ranks in their phases. */
struct stats_ranks {
	uint32_t n;
	double score[STATS_CHANGE_MAX];       /* [n] */
	double sd[STATS_CHANGE_MAX];          /* [n] of the sum of the first i scores */
	uint32_t member[STATS_CHANGE_MAX];    /* [n] values, by phase */
	uint32_t phase[STATS_CHANGE_MAX + 1]; /* [n_phases + 1] members of phase i: member[phase[i] .. phase[i + 1]) */
	uint32_t n_phases;
	bool has_ties;
};

void stats_ranks_make(const double *y, const uint32_t *phase, uint32_t n, struct stats_ranks *out);

/* Permute the scores within their phases. *random is the state. */
void stats_ranks_shuffle(struct stats_ranks *r, uint64_t *random);

/* The largest sum of the scores before a point, in standard deviations. at: NULL, or set to that point; 0 if none is */
double stats_ranks_largest(const struct stats_ranks *r, uint32_t *at);

/* Set at to the step that fits best by least squares. */
void stats_change_best(const double *y, uint32_t n, uint32_t *at);

/*
 * Find the step that fits best by least squares, and the interval of its position: the points at which the best step is not
 * significantly better than one at this point. Under the hypothesis of a point the values before it are exchangeable, and those
 * after it; it is in the interval if in 1 - STATS_CHANGE_INTERVAL of the permutations another point is as much better.
 *
 * out   at, at_lo and at_hi are set
 */
void stats_change_position(const double *y, uint32_t n, struct stats_change *out);

/*
 * The p-value of a model, a step or a line: how often values simulated by it are better fitted by the other model than these.
 *
 * From   Williams, Discrimination between regression models to determine the pattern of enzyme synthesis in synchronous cell
 *        cultures, Biometrics 26 (1970); Hinde, Choosing between nonnested models: a simulation approach, Advances in GLIM
 *        and Statistical Modelling (1992)
 */
double stats_change_model_p(const double *x, const double *y, uint32_t n, bool of_step);

/* A random number above 0 and below 1. *random is the state. */
double stats_random_real(uint64_t *random);

#endif
