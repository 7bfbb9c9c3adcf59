/*
 * diff.h - two profiles side by side: flat and cum of every function in each
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sides stay two profiles: only their functions have to meet, not their stacks, so that nothing
 * is merged and sums are scaled instead of samples, which would round each of them.
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
	struct places places; /* their numbers are rows of the match */
	struct graph graph;
	double ratio;  /* from values of the view to those of the comparison */
	int64_t total; /* what 100 % of this side is, scaled */
};

struct diff {
	struct match *match;
	const char *unit; /* of all values: the finer one of the sides' */
	struct normalize normal;
	double factor;  /* by which the new side was multiplied for it */
	bool by_period; /* part of that factor is the ratio of the periods */
	struct diff_side side[N_SIDES];
};

/*
 * Compare target with base.
 *
 * p       [N_SIDES] borrowed, must live longer
 * q       its sample type, or else the default one of the target that both sides have
 * mem     the result lives there; diff_release frees what does not
 * notes   lines for the user are appended
 * Fails   ERR_USAGE when the sides have no sample type in common or a question has no answer,
 *         ERR_RANGE, ERR_LIMIT
 */
int diff_make(const struct profile *const p[N_SIDES], const struct query *q, struct arena *mem, struct diff *out,
	      struct buf *notes, struct err *err);
void diff_release(struct diff *d);

/* Sums of a row on a side, scaled, halves away from zero; 0 where the side does not know the row. */
int64_t diff_flat(const struct diff *d, enum side side, uint32_t row);
int64_t diff_cum(const struct diff *d, enum side side, uint32_t row);

/* a - b, at most what an int64_t holds. */
int64_t diff_minus(int64_t a, int64_t b);

/*
 * Choose a type that two profiles have and whose units agree: by name as view_type does, else the
 * default one of the first profile, else its last one that fits.
 *
 * type    set to its place in either
 * Fails   ERR_USAGE
 */
int diff_common_type(const struct profile *p, const struct profile *other, const char *name, uint32_t type[2],
		     struct err *err);

#endif
