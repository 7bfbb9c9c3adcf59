/*
 * forest.h - the callers of samples as packed trees, for reports that only add up
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile with a forest has a row per leaf location, and no other frames in its stacks; the forest has the frames and the
 * values of all samples. A node is a location called by its parent. Equal stacks may occur in several trees, in one only once.
 * No value is below 0.
 *
 * Packed, nodes are in depth-first order: a node is followed by its callees and theirs. A node is a number of 7-bit
 * groups: the number of its location, a bit if the next node is called by it, a bit if samples end there. Then,
 * unless the first bit is set, the number of nodes that end here: itself, its caller if this was the last callee of
 * that, and so on. Then the values, if any, of each type that is not a multiple of another one.
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
	uint32_t *loc;   /* [n_locs] location of the profile for each number; PROFILE_NONE without nodes */
	uint32_t *like;  /* [types] the type that a type is a multiple of; its own number if its values are stored */
	int64_t *factor; /* [types] */
	const uint8_t *data; /* [size] packed nodes */
	size_t size;
};

struct forest {
	uint32_t n_types, n_trees;
	struct forest_tree *tree; /* [n_trees] */
};

/* Packs the nodes of a tree from the last one to the first: each after its callees and theirs. */
struct forest_packer {
	struct forest_tree tree; /* like and factor are set */
	uint32_t n_stored;
	const int64_t **value; /* [n_stored] of the types that are no multiples */
	uint8_t *memory, *at;  /* nodes are packed from the end of [cap] to the start; the last one is at */
	size_t cap, room;      /* room: max bytes of a node */
	uint32_t next_depth;   /* of the node that was packed last; 0 at first */
};

/*
 * Begin a tree.
 *
 * like, factor  [n_types] as in a tree
 * value         [n_types] borrowed; not used for multiples
 * bytes         expected size
 */
void forest_packer_init(struct forest_packer *p, uint32_t n_types, const uint32_t *like, const int64_t *factor,
			const int64_t *const *value, size_t bytes);

/* Pack a node. depth: number of its callers. value: index of its values, or PROFILE_NONE. */
static inline void forest_pack(struct forest_packer *p, uint32_t depth, uint32_t number, uint32_t value);

/* The caller fills in n_locs and loc, and frees the fields with forest_tree_release. */
void forest_packer_finish(struct forest_packer *p, struct forest_tree *out);
void forest_tree_release(struct forest_tree *t);

/* Reads the nodes of a tree. */
struct forest_reader {
	const struct forest_tree *tree;
	uint32_t n_stored; /* types whose values are stored */
	const uint8_t *at, *end;
};

void forest_reader_init(struct forest_reader *r, const struct forest_tree *t, uint32_t n_types);

/* The values of a type are those of a stored column times a factor. Returns the number of the column. */
uint32_t forest_find_column(const struct forest_tree *t, uint32_t type, int64_t *factor);

/* A node. */
struct forest_node {
	uint32_t n_ends; /* nodes of the path that end here; 0 if the next node is called by this one */
	uint32_t loc;    /* of the profile */
	bool has_value;
};

/* value: [n_stored] of the samples that end here; set if has_value */
static inline bool forest_read(struct forest_reader *r, struct forest_node *node, int64_t *value);

/* --- inline, because a window has millions of nodes --- */

enum { FOREST_HAS_VALUES = 1, FOREST_IS_CALLER = 2, FOREST_FLAGS = 2 /* bits */, FOREST_NUMBER_MAX = 10 /* bytes */ };

/* Make room for a node. */
void forest_packer_grow(struct forest_packer *p);

/* Write a number that ends before at. */
static inline uint8_t *forest_put_number(uint8_t *at, uint64_t v)
{
	unsigned shift = 7;

	if (v < 0x80) {
		*--at = (uint8_t)v;
		return at;
	}
	while (v >> shift >= 0x80)
		shift += 7;
	for (*--at = (uint8_t)(v >> shift); shift > 0; *--at = (uint8_t)(v >> shift) | 0x80)
		shift -= 7;
	return at;
}

static inline void forest_pack(struct forest_packer *p, uint32_t depth, uint32_t number, uint32_t value)
{
	uint32_t n_ends = depth + 1 - p->next_depth;
	uint64_t code = (uint64_t)number << FOREST_FLAGS;
	uint8_t *at;

	if ((size_t)(p->at - p->memory) < p->room)
		forest_packer_grow(p);
	at = p->at;
	if (value != PROFILE_NONE) {
		code |= FOREST_HAS_VALUES;
		for (uint32_t k = p->n_stored; k-- > 0;)
			at = forest_put_number(at, (uint64_t)p->value[k][value]);
	}
	if (n_ends)
		at = forest_put_number(at, n_ends);
	else
		code |= FOREST_IS_CALLER;
	p->at = forest_put_number(at, code);
	p->next_depth = depth;
}

static inline uint64_t forest_read_number(const uint8_t **at)
{
	const uint8_t *p = *at;
	uint64_t v = *p++;

	if (v >= 0x80) {
		v = (v & 0x7f) | (uint64_t)(*p & 0x7f) << 7;
		for (unsigned shift = 14; *p++ & 0x80; shift += 7)
			v |= (uint64_t)(*p & 0x7f) << shift;
	}
	*at = p;
	return v;
}

static inline bool forest_read(struct forest_reader *r, struct forest_node *node, int64_t *value)
{
	uint64_t code;

	if (r->at == r->end)
		return false;
	code = forest_read_number(&r->at);
	node->loc = r->tree->loc[code >> FOREST_FLAGS];
	node->n_ends = code & FOREST_IS_CALLER ? 0 : (uint32_t)forest_read_number(&r->at);
	node->has_value = code & FOREST_HAS_VALUES;
	for (uint32_t k = 0; node->has_value && k < r->n_stored; k++)
		value[k] = (int64_t)forest_read_number(&r->at);
	return true;
}

#endif
