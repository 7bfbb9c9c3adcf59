/*
 * net.h - the nodes a report shows, with the calls between them
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
#include "engine/query.h"
#include "engine/tags.h"
#include "engine/trim.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_LABELS = 4 }; /* labels drawn at a node, and as many again for each group of numbers */

/* The calls into or out of each node, the heaviest first. */
struct call_lists {
	size_t *off;    /* [nodes + 1] */
	uint32_t *call; /* [off[nodes]] numbers of edges */
};

struct net {
	struct stop *stop;
	struct places places;
	struct graph graph;   /* unless the nodes are those of a tree */
	struct calltree tree; /* with call_tree */
	bool is_tree, picture;
	bool limited;                   /* nodecount left nodes out */
	uint32_t *parent;               /* [nodes] of a tree, as splicing left it */
	bool *is_inlined, *is_residual; /* [nodes] the call from that parent */
	struct nodes nodes;
	struct node_names names;
	struct trimmed shown;
	uint32_t *position; /* [nodes] place in shown from 1; 0 for what is not shown */
	struct edges edges; /* heaviest first; between kept nodes, of which not all need to be shown */
	struct call_lists in, out;
	uint32_t n_dropped_edges; /* calls left out because their weight was too small */
	struct tags tags;         /* of the shown nodes, only for a picture */
};

/*
 * Choose and sort the nodes of a report; their calls come from net_calls.
 *
 * picture  choose and order nodes as suits a drawing, with labels counted as nodes, and leave out
 *          calls that are implied by others
 * units    of numeric labels; only for a picture
 * mem      what is not freed by net_release lives there
 * net      must stay where it is, since its parts point at each other; nothing to release on failure
 * Fails    ERR_LIMIT, ERR_STOPPED
 * Like     pprof internal/report newTrimmedGraph
 */
int net_make(const struct view *v, const struct query *q, bool picture, const struct label_units *units,
	     struct arena *mem, struct net *net, struct err *err);
void net_release(struct net *net);

/*
 * Fill in the calls: edges, in, out, n_dropped_edges. When q->stop is set, calls may be lacking.
 *
 * wanted  [nodes] only calls into or out of these; NULL for all, as always for a picture
 */
void net_calls(struct net *net, const struct query *q, const bool *wanted, struct arena *mem);

#endif
