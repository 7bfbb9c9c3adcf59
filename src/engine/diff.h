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
 * Replace the samples of the base by sums, before the new side is in memory, so that only one side is. The sample type is
 * chosen as if the new side had the same types.
 *
 * p       not shared
 * Returns false if it is unchanged: the query needs samples, or a value is below 0
 */
bool diff_reduce(struct profile *p, const struct query_filter *q);

/*
 * Compare new with base.
 *
 * p       [N_SIDES] borrowed; must outlive the result
 * q       without a sample type, the default of the new side is used if both sides have it
 * mem     owns most of the result; diff_release frees the rest
 * notes   messages for the user are appended, a line each
 * Fails   ERR_USAGE when the sides have no common sample type or the query cannot be answered, ERR_RANGE, ERR_LIMIT;
 *         ERR_UNKNOWN if a side has sums (diff_reduce) of another sample type
 */
int diff_make(const struct profile *const p[N_SIDES], const struct query_filter *q, struct arena *mem, struct diff *out,
	      struct buf *notes, struct err *err);
void diff_release(struct diff *d);

/* Sums of a row on a side, scaled and rounded half away from zero; 0 if the side does not contain the row. */
int64_t diff_flat(const struct diff *d, enum side side, uint32_t row);
int64_t diff_cum(const struct diff *d, enum side side, uint32_t row);

/* a - b, clamped to int64_t. */
int64_t diff_subtract(int64_t a, int64_t b);

#endif
