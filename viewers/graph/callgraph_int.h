/*
 * callgraph_int.h - makes the boxes of a call graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For viewers/graph only.
 */
#ifndef VIEWERS_GRAPH_CALLGRAPH_INT_H
#define VIEWERS_GRAPH_CALLGRAPH_INT_H

#include "viewers/graph/callgraph.h"

#include <stddef.h>
#include <stdint.h>

struct callgraph_builder {
	const struct net *net;
	struct arena *mem;
	struct callgraph_box *box; /* [n] */
	size_t n, cap;
};

/* Add a box; its id is copied. Returns its index. */
uint32_t callgraph_add_box(struct callgraph_builder *b, struct callgraph_box box);

/* Add boxes for the labels of a node, given by its box. Returns true if there are any. Like pprof addNodelets. */
bool callgraph_add_labels(struct callgraph_builder *b, uint32_t box);

#endif
