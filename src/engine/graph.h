/*
 * graph.h - flat and cum of every place, and the calls between them
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

/* Sums per place; a node is a place. Columns that the view does not have are NULL. */
struct graph {
	const struct view *view;
	const struct places *places;
	uint32_t n;                                    /* places */
	int64_t *flat[N_SIDES], *cum[N_SIDES];         /* [n] */
	int64_t *flat_div[N_SIDES], *cum_div[N_SIDES]; /* [n] only for a mean */
	int64_t *weight[N_SIDES];                      /* [stacks] sum of the rows of each stack */
	int64_t *div[N_SIDES];                         /* [stacks] the same of the divisors, only for a mean */
	bool *live;                                    /* [stacks] some row of it has a value or a divisor */
};

/*
 * Add up flat and cum: a stack counts once for every place on it, however often it stands there,
 * and its flat goes to the innermost line of its first location.
 *
 * mem     the result lives there; when v->stop is set, sums lack stacks
 * Like    pprof internal/graph newGraph
 */
void graph_make(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out);

/*
 * Add up what is above and what is below 0 each for itself: the sides of a profile whose base keeps apart
 * (answer/sides.h). The sums of both are not negative, and the difference of a place's is what graph_make gives it.
 * weight is that difference in the target side, NULL in the base, and only stacks where it is not 0 are live.
 *
 * v       not of a mean, whose parts do not add up
 */
void graph_make_sides(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out);

/* The target side as nodes: node i is place i. */
struct nodes graph_nodes(const struct graph *g);

/* nodes_flat and nodes_cum of them. */
int64_t graph_flat(const struct graph *g, uint32_t node);
int64_t graph_cum(const struct graph *g, uint32_t node);

/* A call between two kept nodes. */
struct edge {
	uint32_t src, dst;
	int64_t weight; /* of the target side */
	int64_t div;    /* what to divide it by for a mean; 0 when there is none */
	bool residual;  /* some samples passed through nodes that are not kept */
	bool inlined;   /* in every sample dst was inlined into what called it */
};

struct edges {
	size_t n;
	struct edge *edge; /* [n] by dst, then src */
};

/*
 * The calls between nodes that are kept, counted once per stack.
 *
 * keep    [g->n] nodes that remain; stacks run through the others
 * wanted  [g->n] kept nodes whose calls are needed; NULL wants all
 * both    calls out of them too, not only into them
 * mem     the result lives there; when the stop of the view is set, stacks are lacking
 * Like    pprof internal/graph newGraph with kept nodes
 */
void graph_edges(const struct graph *g, const bool *keep, const bool *wanted, bool both, struct arena *mem,
		 struct edges *out);

#endif
