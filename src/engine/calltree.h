/*
 * calltree.h - call tree: one node for each path to a place
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_CALLTREE_H
#define ENGINE_CALLTREE_H

#include "base/err.h"
#include "engine/nodes.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stdint.h>

/* The parent of a root of the forest; the leaf of a stack that is empty or has no value. */
#define CALLTREE_NONE UINT32_MAX

/* Stacks folded into a forest. A parent has a lower number than its children. */
struct calltree {
	const struct places *places;
	uint32_t n;
	uint32_t *parent, *place;    /* [n] */
	bool *inlined;               /* [n] is the node inlined into its parent in every sample? */
	int64_t *flat, *cum;         /* [n] sums of the new side */
	int64_t *flat_div, *cum_div; /* [n] divisors for a mean; else NULL */
	uint32_t *leaf;              /* [stacks] node of the leaf of each stack */
};

/*
 * Fold the stacks that have a value. Nodes are numbered in order of the stacks.
 *
 * out     freed with calltree_release
 * Fails   ERR_LIMIT past 2^32 - 1 nodes; ERR_STOPPED
 * Like    pprof internal/graph newTree
 */
int calltree_make(const struct view *v, const struct places *pl, struct calltree *out, struct err *err);
void calltree_release(struct calltree *t);

struct nodes calltree_nodes(const struct calltree *t);

#endif
