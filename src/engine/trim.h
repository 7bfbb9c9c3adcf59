/*
 * trim.h - which nodes a report shows, and in which order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TRIM_H
#define ENGINE_TRIM_H

#include "base/arena.h"
#include "engine/graph.h"
#include "engine/nodes.h"
#include "engine/query.h"

#include <stdbool.h>
#include <stdint.h>

struct trimmed {
	uint32_t n;
	uint32_t *node;              /* [n] nodes that are shown, in their order */
	const char **name;           /* [n] as printed */
	bool *keep;                  /* [nodes] stacks do not run through it unseen; the shown ones, and before
	                                anything is cut also those that have nothing to show */
	uint32_t n_dropped;          /* nodes whose cum was below the cutoff */
	uint32_t n_before;           /* nodes that were left then, before nodecount */
	uint64_t node_cut, edge_cut; /* cutoffs as magnitudes */
};

/*
 * Leave out the nodes with nothing (and with drop_negative those that lost), then those below
 * nodefraction of the sum of flat. Nothing is sorted yet and names are not set.
 *
 * mem     the result lives there
 * Like    pprof internal/report newTrimmedGraph, first step
 */
void trim_cut(const struct nodes *nodes, const struct query *q, struct arena *mem, struct trimmed *out);

/*
 * Sort what is shown by weight, the larger magnitude first, then by name, then by all else there is.
 *
 * score   [nodes] the weight; NULL for flat, or cum when the question says so
 * Like    pprof internal/graph, Nodes.Sort
 */
void trim_sort(const struct nodes *nodes, const struct query *q, const int64_t *score, struct node_names *names,
	       struct trimmed *t);

/* Let stacks run unseen through all that is not shown; pprof leads calls to a node N0 there. */
void trim_keep_shown(const struct nodes *nodes, struct trimmed *t);

/* Keep the first n of what is shown; gives true when that left some out. */
bool trim_limit(const struct nodes *nodes, uint32_t n, struct trimmed *t);

/* All three: nodecount 0 shows all. For reports without pictures. */
void trim_make(const struct nodes *nodes, const struct query *q, struct node_names *names, struct arena *mem,
	       struct trimmed *out);

/* How a shown node is called: inlined into its callers always, sometimes or never. */
enum inlined { INLINED_NEVER, INLINED_PARTLY, INLINED_ALWAYS };

/*
 * Tell for each shown node how it is called, by the calls that are left after trimming.
 *
 * out     [t->n] in the arena
 */
enum inlined *trim_inlined(const struct graph *g, const struct trimmed *t, struct arena *mem);

#endif
