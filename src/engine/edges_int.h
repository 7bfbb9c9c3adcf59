/*
 * edges_int.h - the parts of edges.c and edges_above.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_EDGES_INT_H
#define ENGINE_EDGES_INT_H

#include "base/idtab.h"
#include "engine/graph.h"
#include "engine/sketch.h"

#include <stdatomic.h>

#define NO_NODE UINT32_MAX

struct call {
	struct edge edge;
	uint32_t seen; /* last stack that counted this call, + 1; 0: none */
};

struct calls {
	struct idtab ids;
	const struct call_pairs *pairs;
	uint32_t *of_pair; /* [pairs->n * pairs->n] call + 1, 0: none; NULL: calls are found with ids */
	struct call *call; /* [n] calls in order of first appearance, so that frequent ones are close together */
	size_t cap;
	uint32_t n;
};

/* The kept nodes are numbered if they are so few that calls are found in an array, which causes fewer cache misses. */
struct call_pairs {
	uint32_t n;
	uint32_t *number; /* [places] undefined for other nodes; NULL: they are many */
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
	uint32_t first, n;     /* wanted calls between its places: inner_call[first .. first + n) of spots */
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
	uint8_t *mark; /* [n_locs] those of spots, less LOC_WANTED if all its places are settled; or those of spots */
	uint32_t *of_inner_call; /* [n_inner_calls] call + 1 */
	uint32_t *of_spot;       /* [n] call + 1 into outer, as in the last stack */
	uint32_t *frame;         /* [cap_frame] space for the lists of frames of the current stack */
	size_t cap_frame;
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

/* Nodes of which no more calls are needed. */
struct settled {
	uint64_t limit;
	const bool *enough;   /* [places] wanted nodes that are settled by a call that reaches the limit */
	atomic_bool *is;      /* [places] */
	bool may_shrink;      /* values are below 0, so no node is settled in the walk */
	atomic_size_t n_left; /* wanted nodes that are not settled */
	struct calls calls;   /* those that settled nodes before the walk */
};

struct edge_walk {
	const struct graph *g;
	const bool *wanted; /* [places] nodes whose calls are needed; NULL for all */
	bool both;          /* also the calls out of these */
	struct spots spots;
	struct bounds *bounds;   /* [parts] in the first walk, then one; NULL counts all calls */
	struct settled *settled; /* NULL if all calls are needed */
	struct call_pairs pairs;
	atomic_uint_fast64_t next; /* stack; each thread takes the next STOP_CHECK_INTERVAL */
	unsigned parts;
	struct edge_part *part;
};

/* The spot of a location; NULL if it has no kept place. */
static inline const struct spot *spot_at(const struct spots *spots, uint32_t loc)
{
	return spots->mark[loc] ? &spots->spot[spots->of[loc]] : NULL;
}

static inline bool is_settled(const struct edge_walk *w, uint32_t node)
{
	return w->settled && atomic_load_explicit(&w->settled->is[node], memory_order_relaxed);
}

/* Settle the node that is called if the sum of this thread has reached the limit. Returns true if that is new. */
bool edges_settle(const struct edge_walk *w, uint32_t dst, int64_t weight);

/* pairs: borrowed; NULL: the kept nodes are many */
void edges_calls_init(struct calls *c, const struct call_pairs *pairs);
void edges_calls_release(struct calls *c);

/* The index of a call; added if it is new, which may reallocate the calls. */
uint32_t edges_find_call(struct calls *c, uint32_t src, uint32_t dst);

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
	if (c->of_pair || *hint == 0 || c->call[*hint - 1].edge.src != src || c->call[*hint - 1].edge.dst != dst)
		*hint = edges_find_call(c, src, dst) + 1;
	return &c->call[*hint - 1];
}

/* Is this call between locations wanted, and can it reach the limit? */
static inline bool is_counted(const struct edge_walk *w, uint32_t parent, const struct spot *spot)
{
	if (parent == NO_NODE || parent == spot->outer || !(spot->outer_wanted || w->wanted[parent]))
		return false;
	return !w->bounds || sketch_accepts(&w->bounds->sketch, sketch_hash(parent, spot->outer));
}

/* Count the calls of a stack of n locations, leaf first, that are packed with this width (profile/stack_lists.h). */
void edges_walk_stack(const struct edge_walk *w, struct edge_part *part, const uint8_t *at, uint32_t n, uint32_t width,
		      const struct share *share);

/* edges_forest.c: count the calls of a view with a forest, in the parts of w. */
void edges_forest_run(struct edge_walk *w);

/* Prepare a walk as for graph_edges; released with edges_end. */
struct edge_walk edges_start(const struct graph *g, const bool *keep, const bool *wanted, bool both);
void edges_end(struct edge_walk *w);

/* Count the calls, in no order. */
void edges_count(struct edge_walk *w, struct arena *mem, struct edges *out);

#endif
