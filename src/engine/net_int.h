/*
 * net_int.h - the steps of net_make
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For engine/net*.c alone.
 */
#ifndef ENGINE_NET_INT_H
#define ENGINE_NET_INT_H

#include "engine/net.h"

/* Sort the edges, the heaviest first, and list them by node. */
void net_list_edges(struct net *net, struct arena *mem);

/* Remove edges into listed nodes that are lighter than the cutoff; gives how many. */
uint32_t net_cut_edges(struct net *net);

/* Leave out residual edges whose nodes are connected without them. Like pprof RemoveRedundantEdges. */
void net_remove_redundant(struct net *net, struct stop *stop);

/*
 * How much a picture gains by each node.
 *
 * Gives   [nodes] in the arena
 * Like    pprof internal/graph entropyScore; a node with a call that weighs nothing, as comparisons
 *         have them, gets the least score when its flat is 0, else nearly the greatest
 */
int64_t *net_scores(const struct net *net, struct arena *mem);

/*
 * The edges of a call tree, where nodes that are not kept are spliced out: their children become
 * those of the nearest kept parent.
 *
 * Like    pprof internal/graph, TrimTree
 */
void net_tree_start(struct net *net, struct arena *mem);
void net_tree_cut(struct net *net); /* forget the parents of listed nodes whose call is too light */
void net_tree_splice(struct net *net);
void net_tree_edges(struct net *net, struct arena *mem);

#endif
