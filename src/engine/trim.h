/*
 * trim.h - which nodes a report shows, and in which order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TRIM_H
#define ENGINE_TRIM_H

#include "base/arena.h"
#include "engine/graph.h"
#include "engine/query.h"

#include <stdbool.h>
#include <stdint.h>

struct trimmed {
	uint32_t n;
	uint32_t *node;              /* [n] places that are shown, in their order */
	const char **name;           /* [n] as printed; may hold anything but NUL */
	bool *keep;                  /* [places] is shown */
	uint32_t n_dropped;          /* nodes whose cum was below the cutoff */
	uint32_t n_before;           /* nodes that were left then, before nodecount */
	uint64_t node_cut, edge_cut; /* cutoffs as magnitudes */
};

/*
 * Drop the nodes with nothing, then those below nodefraction of the sum of flat, sort, keep the
 * first nodecount.
 *
 * nodecount  0 for all
 * mem        the result lives there
 * Like       pprof internal/report newTrimmedGraph, for all reports but pictures
 */
void trim_make(const struct graph *g, const struct query *q, int64_t nodecount, struct arena *mem, struct trimmed *out);

/* A node is shown, and how it is called: inlined into its callers always, sometimes or never. */
enum inlined { INLINED_NEVER, INLINED_PARTLY, INLINED_ALWAYS };

/*
 * Tell for each shown node how it is called, by the calls that are left after trimming.
 *
 * out     [t->n] in the arena
 */
enum inlined *trim_inlined(const struct graph *g, const struct trimmed *t, struct arena *mem);

#endif
