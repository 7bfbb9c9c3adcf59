/*
 * edges_int.h - parts of edges*.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_EDGES_INT_H
#define ENGINE_EDGES_INT_H

#include "base/idtab.h"
#include "engine/graph.h"
#include "engine/sketch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_NODE UINT32_MAX

struct call {
	struct edge edge;
	uint32_t seen; /* last stack that counted this call, + 1; 0: none */
};

struct calls {
	struct idtab ids;
	struct call *call; /* [n] calls in order of first appearance, so that frequent ones are close together */
	size_t cap;
	uint32_t n;
};

/* Flags of a location, in one byte each: most locations have no kept place. LOC_CALLS: all calls from its innermost
   kept place are wanted. */
enum { LOC_KEPT = 1, LOC_WANTED = 2, LOC_CALLS = 4 };

/* The calls into and inside a location with a kept place, computed once per location. */
struct spot {
	uint32_t inner, outer; /* innermost and outermost kept place */
	bool inner_cut;        /* places inlined into inner were removed */
	bool outer_cut;        /* places that outer is inlined into were removed */
	bool outer_wanted;     /* the call into outer is wanted */
	uint32_t first, n;     /* wanted calls between its places: fixed[first .. first + n) */
};

struct inner_call {
	uint32_t src, dst;
	bool residual;
};

struct spots {
	uint8_t *mark; /* [n_locs] LOC_ flags */
	uint32_t *of;  /* [n_locs] spot of a location that is LOC_KEPT */
	struct spot *spot;
	struct inner_call *inner_call;
	size_t n, cap, n_inner_calls, cap_inner_calls;
};

/* The calls of a share of the stacks. The last call of each entry of spots is stored as a hint. */
struct edge_part {
	struct calls calls;
	uint32_t *of_inner_call; /* [n_inner_calls] call + 1 */
	uint32_t *of_spot;       /* [n] call + 1 into outer, as in the last stack */
};

/* The places of a location that the first walk needs, and the bound for each call inside it. */
struct bound {
	uint32_t outer; /* place that is called, or NO_NODE if the call is not wanted */
	uint32_t inner; /* place that calls, or NO_NODE if no place is kept */
	uint64_t sum;
};

/* Bounds that a thread finds in the first walk. */
struct bounds {
	struct sketch sketch; /* of the calls between locations */
	struct bound *bound;  /* [n_locs] */
};

struct edge_walk {
	const struct graph *g;
	const bool *wanted; /* [places] nodes whose calls are needed; NULL for all */
	bool both;          /* also the calls out of these */
	struct spots spots;
	struct bounds *bounds; /* [parts] in the first walk, then one; NULL counts all calls */
	unsigned parts;
	struct edge_part *part;
};

/* The id of a call, which is added if it is new. */
uint32_t calls_find(struct calls *c, uint32_t src, uint32_t dst);

/* Weight that a stack adds to each of its calls. */
struct share {
	uint32_t stack;
	int64_t weight, div;
};

static inline void count_call(struct call *call, const struct share *share, bool residual, bool inlined)
{
	if (call->seen == share->stack + 1)
		return;
	call->seen = share->stack + 1;
	call->edge.weight += share->weight;
	call->edge.div += share->div;
	call->edge.residual |= residual;
	call->edge.inlined &= inlined;
}

/* Find a call. *hint is tried first, which avoids most look-ups. */
static inline struct call *hinted_call(struct calls *c, uint32_t *hint, uint32_t src, uint32_t dst)
{
	if (*hint == 0 || c->call[*hint - 1].edge.src != src || c->call[*hint - 1].edge.dst != dst)
		*hint = calls_find(c, src, dst) + 1;
	return &c->call[*hint - 1];
}

/* Is this call between locations wanted, and can it reach the limit? */
static inline bool is_counted(const struct edge_walk *w, uint32_t parent, const struct spot *spot)
{
	if (parent == NO_NODE || parent == spot->outer || !(spot->outer_wanted || w->wanted[parent]))
		return false;
	return !w->bounds || sketch_accepts(&w->bounds->sketch, sketch_hash(parent, spot->outer));
}

/* edges_forest.c: count the calls of a view with a forest, in the parts of w. */
void edges_forest_run(struct edge_walk *w);

#endif
