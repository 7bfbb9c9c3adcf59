/*
 * net_tree.c - the edges of a call tree
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node has one parent, so its call weighs what the node does. Parents have lower numbers, which
 * lets one sweep find the nearest kept one for all nodes.
 */
#include "config.h"

#include "engine/net_int.h"

#include "base/num.h"

#include <string.h>

void net_tree_start(struct net *net, struct arena *mem)
{
	uint32_t n = net->nodes.n;

	net->parent = arena_alloc(mem, n, sizeof(*net->parent));
	net->is_inlined = arena_alloc(mem, n, sizeof(*net->is_inlined));
	net->is_residual = arena_zalloc(mem, n, sizeof(*net->is_residual));
	if (n) {
		memcpy(net->parent, net->tree.parent, n * sizeof(*net->parent));
		memcpy(net->is_inlined, net->tree.inlined, n * sizeof(*net->is_inlined));
	}
	if (net->shown.n_dropped)
		net_tree_splice(net);
}

void net_tree_splice(struct net *net)
{
	for (uint32_t i = 0; i < net->nodes.n; i++) {
		uint32_t parent = net->parent[i];

		if (parent == CALLTREE_NONE || net->shown.keep[parent])
			continue;
		net->parent[i] = net->parent[parent];
		net->is_inlined[i] &= net->is_inlined[parent];
		net->is_residual[i] = true;
	}
}

void net_tree_cut(struct net *net)
{
	for (uint32_t i = 0; i < net->shown.n; i++) {
		uint32_t node = net->shown.node[i];

		if (num_abs(net->nodes.cum[node]) < net->shown.edge_cut)
			net->parent[node] = CALLTREE_NONE;
	}
}

void net_tree_edges(struct net *net, struct arena *mem)
{
	struct edges e = { .edge = arena_alloc(mem, net->nodes.n, sizeof(*e.edge)) };

	for (uint32_t i = 0; i < net->nodes.n; i++)
		if (net->shown.keep[i] && net->parent[i] != CALLTREE_NONE)
			e.edge[e.n++] = (struct edge){ .src = net->parent[i],
						       .dst = i,
						       .weight = net->nodes.cum[i],
						       .div = net->nodes.cum_div ? net->nodes.cum_div[i] : 0,
						       .residual = net->is_residual[i],
						       .inlined = net->is_inlined[i] };
	net->edges = e;
}
