/*
 * trim.h - choose and sort the nodes of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TRIM_H
#define ENGINE_TRIM_H

#include "base/arena.h"
#include "engine/graph.h"
#include "engine/nodes.h"

#include <stdbool.h>
#include <stdint.h>

struct trim_result {
	uint32_t n;
	uint32_t *node;     /* [n] shown nodes, in order */
	const char **name;  /* [n] names as printed */
	bool *keep;         /* [nodes] shown, or all nodes if none was below the cutoff; stacks pass through others */
	uint32_t n_dropped; /* nodes with cum below the cutoff */
	uint32_t n_before_limit;     /* nodes that remained before nodecount */
	uint64_t node_cut, edge_cut; /* cutoffs as magnitudes */
};

/*
 * Remove the nodes with value 0 (and with drop_negative those that got smaller), then those below nodefraction of the
 * sum of flat. Does not sort nodes or set names.
 *
 * mem     owns the result
 * Like    pprof internal/report newTrimmedGraph, first step
 */
void trim_cut(const struct nodes *nodes, const struct query_filter *q, struct arena *mem, struct trim_result *out);

/*
 * Sort the shown nodes by weight, larger magnitude first, then by name, then by all other fields.
 *
 * score   [nodes] the weight; NULL for flat or cum, as in the query
 * Like    pprof internal/graph, Nodes.Sort
 */
void trim_sort(const struct nodes *nodes, const struct query_filter *q, const int64_t *score, struct node_names *names,
	       struct trim_result *t);

/* Make stacks pass through all hidden nodes; pprof draws calls to a node N0 there. */
void trim_keep_shown(const struct nodes *nodes, struct trim_result *t);

/* Keep only the first n shown nodes. Returns true if nodes were removed. */
bool trim_limit(const struct nodes *nodes, uint32_t n, struct trim_result *t);

/* Trim and sort the nodes of a report that is not a picture, and apply nodecount; 0 shows all nodes. */
void trim_make(const struct nodes *nodes, const struct query_filter *q, struct node_names *names, struct arena *mem,
	       struct trim_result *out);

/* Roles of a place in locations: inlined call, outermost function. */
enum { ROLE_INLINED = 1, ROLE_OUTERMOST = 2 };

/* The roles of each place: [places] in the arena. */
uint8_t *trim_find_roles(const struct places *pl, struct arena *mem);

/* Is a shown node never, sometimes or always inlined into its callers? */
enum inlined { INLINED_NEVER, INLINED_PARTLY, INLINED_ALWAYS };

/*
 * Find for each shown node whether it is inlined, by the calls that remain after trimming.
 *
 * Returns [t->n] in the arena; NULL if that takes stacks, and the profile has sums instead (profile/sums.h)
 */
enum inlined *trim_inlined(const struct graph *g, const struct trim_result *t, struct arena *mem);

#endif
