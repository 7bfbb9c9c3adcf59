/*
 * dict_order.c - the order of the nodes of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chapters have their nodes in depth-first order: a query then needs only the path of a node while it reads them.
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <stdlib.h>

/* Does each node follow its parent, or a descendant of an earlier child of that? */
static bool dict_is_depth_first(const struct dict *d)
{
	uint32_t at = PROFILE_NONE;

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		while (at != d->node_parent[i] && at != PROFILE_NONE)
			at = d->node_parent[at];
		if (at != d->node_parent[i])
			return false;
		at = i;
	}
	return true;
}

/*
 * Find the depth-first position of each node, children in the order of their ids. This needs no links from node to node, whose
 * cache misses could not overlap.
 *
 * next      [n_nodes] buffer
 * position  [n_nodes]
 */
static void dict_find_positions(const struct dict *d, uint32_t *next, uint32_t *position)
{
	uint32_t root = 0;

	for (uint32_t i = 0; i < d->n_nodes; i++)
		next[i] = 1;
	for (uint32_t i = d->n_nodes; i-- > 0;) /* the sizes of subtrees */
		if (d->node_parent[i] != PROFILE_NONE)
			next[d->node_parent[i]] += next[i];
	for (uint32_t i = 0; i < d->n_nodes; i++) { /* then the positions of the next children */
		uint32_t *at = d->node_parent[i] == PROFILE_NONE ? &root : &next[d->node_parent[i]];

		position[i] = *at;
		*at += next[i];
		next[i] = position[i] + 1;
	}
	assert(root == d->n_nodes);
}

void dict_sort_nodes(struct dict *d)
{
	uint32_t n = d->n_nodes, *position, *parent;

	if (dict_is_depth_first(d))
		return;
	dict_drop_index(d);
	position = mem_alloc_large(n, sizeof(*position));
	parent = mem_alloc(n, sizeof(*parent));
	dict_find_positions(d, parent, position);
	for (uint32_t i = 0; i < n; i++)
		parent[position[i]] = d->node_parent[i] == PROFILE_NONE ? PROFILE_NONE : position[d->node_parent[i]];
	for (uint32_t i = 0; i < n; i++)
		d->node_parent[position[i]] = d->node_loc[i]; /* a buffer now */
	free(d->node_loc);
	d->node_loc = d->node_parent;
	d->node_parent = parent;
	d->cap.nodes = n;
	for (uint32_t row = 0; row < d->n_rows; row++)
		if (d->row_node[row] != PROFILE_NONE)
			d->row_node[row] = position[d->row_node[row]];
	free(position);
	dict_count_memory(d);
}
