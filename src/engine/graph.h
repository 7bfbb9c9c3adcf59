/*
 * graph.h - flat and cum of every place, and the calls between places
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "base/arena.h"
#include "engine/nodes.h"
#include "engine/places.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stdint.h>

/* Sums per place. Columns that the view lacks are NULL. */
struct graph {
	const struct view *view;
	struct nodes nodes;    /* node i is place i */
	const int64_t *weight; /* [stacks] sum of the rows of each stack */
	const int64_t *div;    /* [stacks] sum of the divisors, only for a mean */
	const bool *
		live; /* [stacks] does a row of the stack have a value or a divisor? NULL if stack i is that of row i */
	const int64_t
		*several; /* [places_n_several] sum of the stacks with a location of several places; NULL if unknown */
};

/* Does a row of the stack have a value or a divisor? */
static inline bool graph_is_live(const struct graph *g, uint32_t stack)
{
	return g->live ? g->live[stack] : g->weight[stack] || (g->div && g->div[stack]);
}

/*
 * Add up flat and cum. A stack counts once for every place on it, even if the place recurs. Its flat value is that of
 * the innermost line of its first location.
 *
 * mem     owns the result; when v->stop is set, stacks are missing from sums
 * Like    pprof internal/graph newGraph
 */
void graph_make(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out);

/* The sides of a profile that keeps its base separate (answer/sides.h). */
struct graph_sides {
	struct graph net;                            /* the difference; only stacks where it is not 0 are live */
	const int64_t *flat[N_SIDES], *cum[N_SIDES]; /* [places] sums of the values above and below 0, each >= 0 */
};

/*
 * Add up values above and below 0 separately.
 *
 * v       not of a mean: means do not add up
 */
void graph_make_sides(const struct view *v, const struct places *pl, struct arena *mem, struct graph_sides *out);

/* A call between two kept nodes. */
struct edge {
	uint32_t src, dst;
	int64_t weight; /* weight of the stacks */
	int64_t div;    /* divisor of weight for a mean; else 0 */
	bool residual;  /* some samples passed through removed nodes */
	bool inlined;   /* dst was inlined into its caller in every sample */
};

struct edges {
	size_t n;
	struct edge *edge; /* [n] sorted by dst, then src */
};

/*
 * Find the calls between kept nodes, each counted once per stack.
 *
 * keep    [places] nodes that remain; stacks pass through the others
 * wanted  [places] kept nodes whose calls are needed; NULL wants all
 * both    also calls out of wanted nodes, not only into them
 * mem     owns the result; when the view's stop is set, stacks are missing
 * Like    pprof internal/graph newGraph with kept nodes
 */
void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, bool both, struct arena *mem,
		 struct edges *out);

/*
 * Find the calls into wanted nodes whose weight has a magnitude of at least limit, in any order. Others may be missing.
 *
 * enough  [places] nodes of which one such call is enough, whose weight may be too small, but not below limit
 * Returns false if that takes stacks, and the profile has sums instead (profile/sums.h)
 */
bool graph_edges_above(const struct graph *g, const bool *keep, const bool *wanted, const bool *enough, uint64_t limit,
		       struct arena *mem, struct edges *out);

#endif
