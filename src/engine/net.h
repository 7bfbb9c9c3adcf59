/*
 * net.h - the nodes of a report, with the calls between them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_NET_H
#define ENGINE_NET_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/calltree.h"
#include "engine/graph.h"
#include "engine/label_unit.h"
#include "engine/nodes.h"
#include "engine/tags.h"
#include "engine/trim.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_LABELS_MAX = 4 }; /* max labels drawn at a node, and per group of numbers */

/* The calls into or out of each node, heaviest first. */
struct call_lists {
	size_t *off;    /* [nodes + 1] */
	uint32_t *call; /* [off[nodes]] indices of edges */
};

struct net {
	struct stop *stop;
	struct places places;
	struct graph graph;   /* used unless is_tree */
	struct calltree tree; /* used if is_tree (-call_tree) */
	bool is_tree, is_picture;
	bool is_limited;                /* nodecount removed nodes */
	uint32_t *parent;               /* [nodes] parents in a tree, with removed parents skipped */
	bool *is_inlined, *is_residual; /* [nodes] properties of the call from that parent */
	struct nodes nodes;
	struct node_names names;
	struct trim_result shown;
	uint32_t *position; /* [nodes] index in shown, + 1; 0 for hidden nodes */
	struct edges edges; /* calls between kept nodes, some of which may be hidden, heaviest first */
	struct call_lists in, out;
	uint32_t n_dropped_edges; /* number of calls removed because of their small weight */
	struct tags tags;         /* labels of the shown nodes, only for a picture */
};

/*
 * Choose and sort the nodes of a report. net_calls adds their calls.
 *
 * picture  choose and sort nodes for a drawing, count labels as nodes, and remove redundant calls
 * units    of numeric labels; only for a picture
 * mem      owns the parts that net_release does not free
 * net      must not be moved, since its parts point to each other; needs no release on failure
 * Fails    ERR_LIMIT, ERR_STOPPED
 * Like     pprof internal/report newTrimmedGraph
 */
int net_make(const struct view *v, const struct query_filter *q, bool picture, const struct label_units *units,
	     struct arena *mem, struct net *net, struct err *err);
void net_release(struct net *net);

/*
 * Fill in the calls: edges, in, out, n_dropped_edges. When q->stop is set, calls may be missing.
 *
 * wanted  [nodes] only calls into or out of these; NULL for all; always NULL for a picture
 */
void net_calls(struct net *net, const struct query_filter *q, const bool *wanted, struct arena *mem);

#endif
