/*
 * grand_calls.h - the callers of the callers of places, and the callees of their callees
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_GRAND_CALLS_H
#define ENGINE_GRAND_CALLS_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRAND_CALL_NONE UINT32_MAX /* near has no caller, or no callee, on these stacks */

/* The part of the call between a place and its caller or callee (near) that continues with the caller or callee of near. */
struct grand_call {
	uint32_t place, near, far;
	bool is_callee; /* place calls near, which calls far; else far calls near, which calls place */
	int64_t weight;
	bool inlined; /* in every sample: far is inlined into near, or near into far */
};

struct grand_calls {
	size_t n;
	struct grand_call *call; /* [n] sorted by place, is_callee, near, far */
};

/*
 * Divide the calls into and out of places. A stack counts once for each pair of place and near, as in graph_edges; of
 * several such calls the outermost counts. So the weights of a pair add up to the weight of its edge.
 *
 * keep    [g->n] nodes that remain; stacks pass through the others
 * g       not of a mean
 * wanted  [g->n] the places
 * mem     owns the result; when the view's stop is set, stacks are missing
 * Fails   ERR_LIMIT past 2^32 - 1 pairs
 */
int grand_calls_make(const struct graph *g, const bool *keep, const bool *wanted, struct arena *mem,
		     struct grand_calls *out, struct err *err);

/* The calls of a pair: call[first .. first + n); n is 0 if there are none. */
size_t grand_calls_find(const struct grand_calls *c, uint32_t place, uint32_t near, bool is_callee, size_t *n);

#endif
