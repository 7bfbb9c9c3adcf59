/*
 * forest.h - the callers of samples as packed trees, for reports that only add up
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile with a forest has a row per leaf location, and no other frames in its stacks; the forest has the frames and the
 * values of all samples. A node is a location called by its parent. Equal stacks may occur in several trees, in one only once.
 * No value is below 0.
 *
 * Packed, nodes are in depth-first order: each follows its parent or a descendant of an earlier sibling. A node is a number of
 * 7-bit groups: the number of its location, a bit if the node before it is its parent, a bit if samples end there. Then, unless
 * the first bit is set, the levels from the node before it up to its siblings, which is 1 for a sibling; then the values, if
 * any, of each type that is not a multiple of another one.
 */
#ifndef PROFILE_FOREST_H
#define PROFILE_FOREST_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tree of some samples, or several: nodes may be roots. */
struct forest_tree {
	uint32_t n_locs;
	uint32_t *loc;   /* [n_locs] location of the profile for each number of the packed nodes */
	uint32_t *like;  /* [types] the type that a type is a multiple of; its own number if its values are stored */
	int64_t *factor; /* [types] */
	const uint8_t *data; /* [size] packed nodes */
	size_t size;
};

struct forest {
	uint32_t n_types, n_trees;
	struct forest_tree *tree; /* [n_trees] */
};

/* Nodes to pack. */
struct forest_source {
	uint32_t n_nodes;
	const uint32_t *parent; /* [n_nodes] PROFILE_NONE for a root; the nodes are in depth-first order */
	const uint32_t *loc;    /* [n_nodes] */
	const bool *is_used;    /* [n_nodes] only these are packed; parents of used nodes are used */
	const uint32_t *number; /* number of each location of a used node */
	const uint32_t *slot;   /* [n_nodes] index of its values + 1; 0 without values */
	uint32_t n_types;
	size_t n_values;
	const int64_t *const *value; /* [n_types][n_values] not below 0 */
};

/* Pack nodes. The caller fills in n_locs and loc, and frees the fields with forest_tree_release. */
void forest_pack(const struct forest_source *s, struct forest_tree *out);
void forest_tree_release(struct forest_tree *t);

/* Reads the nodes of a tree. */
struct forest_reader {
	const struct forest_tree *tree;
	uint32_t n_types;
	const uint8_t *at;
};

/* A node. */
struct forest_node {
	uint32_t up; /* levels from the node before it to its siblings; 0 for a child of that node, or the first node */
	uint32_t loc; /* of the profile */
	bool has_value;
};

/* value: [n_types] of the samples that end here; 0 without any */
static inline bool forest_read(struct forest_reader *r, struct forest_node *node, int64_t *value);

/* --- inline, because a window has millions of nodes --- */

enum { FOREST_HAS_VALUES = 1, FOREST_IS_CHILD = 2, FOREST_FLAGS = 2 /* bits */ };

static inline uint64_t forest_read_number(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = *p & 0x7f;

	for (unsigned shift = 7; *p++ & 0x80; shift += 7)
		v |= (uint64_t)(*p & 0x7f) << shift;
	*at = p;
	return v;
}

static inline bool forest_read(struct forest_reader *r, struct forest_node *node, int64_t *value)
{
	const struct forest_tree *t = r->tree;
	uint64_t code;

	if (r->at == t->data + t->size)
		return false;
	code = forest_read_number(&r->at);
	node->loc = t->loc[code >> FOREST_FLAGS];
	node->up = code & FOREST_IS_CHILD ? 0 : (uint32_t)forest_read_number(&r->at);
	node->has_value = code & FOREST_HAS_VALUES;
	for (uint32_t k = 0; k < r->n_types; k++) {
		value[k] = 0;
		if (node->has_value)
			value[k] = t->like[k] == k ? (int64_t)forest_read_number(&r->at)
						   : value[t->like[k]] * t->factor[k];
	}
	return true;
}

#endif
