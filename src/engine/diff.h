/*
 * diff.h - compare two profiles: flat and cum of every function in each
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sides stay two profiles, since only functions have to be matched, not stacks. So nothing is merged, and sums are
 * scaled instead of samples, each of which would be rounded.
 */
#ifndef ENGINE_DIFF_H
#define ENGINE_DIFF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/graph.h"
#include "engine/match.h"
#include "engine/normal.h"

struct diff_side {
	struct view view;
	struct places places; /* indexed by row of the match */
	struct graph graph;
	double ratio;  /* multiplies values of the view to get those of the comparison */
	int64_t total; /* 100 % of this side, scaled */
};

struct diff {
	struct match *match;
	const char *unit; /* unit of all values: the finer one of the two sides */
	struct normalize_options normal;
	double factor;  /* factor of the normalization; multiplies the new side */
	bool by_period; /* the factor includes the ratio of the periods */
	struct diff_side side[N_SIDES];
};

/*
 * Compare target with base.
 *
 * p       [N_SIDES] borrowed; must outlive the result
 * q       without a sample type, the target's default is used if both sides have it
 * mem     owns most of the result; diff_release frees the rest
 * notes   messages for the user are appended, a line each
 * Fails   ERR_USAGE when the sides have no common sample type or the query cannot be answered, ERR_RANGE, ERR_LIMIT
 */
int diff_make(const struct profile *const p[N_SIDES], const struct query *q, struct arena *mem, struct diff *out,
	      struct buf *notes, struct err *err);
void diff_release(struct diff *d);

/* Sums of a row on a side, scaled and rounded half away from zero; 0 if the side does not contain the row. */
int64_t diff_flat(const struct diff *d, enum side side, uint32_t row);
int64_t diff_cum(const struct diff *d, enum side side, uint32_t row);

/* a - b, clamped to int64_t. */
int64_t diff_subtract(int64_t a, int64_t b);

#endif
