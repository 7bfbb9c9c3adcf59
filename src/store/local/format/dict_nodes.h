/*
 * dict_nodes.h - read the nodes of a dictionary one after the other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A query that makes trees of a chapter needs each node once, in order. So it need not decode them into the columns
 * of the dictionary, which take several times the memory of their encoding.
 */
#ifndef STORE_LOCAL_FORMAT_DICT_NODES_H
#define STORE_LOCAL_FORMAT_DICT_NODES_H

#include "store/local/format/dict.h"
#include "store/local/format/varint.h"

#include <stdbool.h>
#include <stdint.h>

struct dict_nodes {
	const struct dict *d;
	const uint8_t *parent, *loc, *end; /* of the encoded columns; NULL if the nodes are decoded */
	uint32_t id, last_loc;             /* of the next node; of the last one */
};

/* Begin with node 0. */
void dict_nodes_begin(struct dict_nodes *n, const struct dict *d);

/* Read the next of d->n_nodes nodes. parent: its id + 1; 0 for a root. Returns false if the encoding is damaged. */
static inline bool dict_nodes_next(struct dict_nodes *n, uint32_t *parent, uint32_t *loc);

/* --- inline, because a window has millions of nodes --- */

static inline bool dict_nodes_next(struct dict_nodes *n, uint32_t *parent, uint32_t *loc)
{
	uint32_t id = n->id++;
	uint64_t distance, step, at;

	if (!n->parent) {
		*parent = n->d->node_parent[id] + 1; /* PROFILE_NONE + 1 is 0 */
		*loc = n->d->node_loc[id];
		return true;
	}
	if (!varint_get(&n->parent, n->end, &distance) || distance > id || !varint_get(&n->loc, n->end, &step))
		return false;
	at = n->last_loc + (uint64_t)varint_unzigzag(step);
	*parent = distance ? id + 1 - (uint32_t)distance : 0;
	*loc = n->last_loc = (uint32_t)at;
	return at < n->d->n_locs;
}

#endif
