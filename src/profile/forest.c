/*
 * forest.c - pack and unpack the callers of samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/forest.h"

#include "base/buf.h"
#include "base/mem.h"
#include "wire/wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FOREST_NUMBER_MAX = 10 /* bytes */ };

/* Is type t a multiple of type of? */
static bool forest_is_multiple(const struct forest_source *s, uint32_t t, uint32_t of, int64_t *factor)
{
	const int64_t *v = s->value[t], *base = s->value[of];
	int64_t product;
	size_t i = 0;

	while (i < s->n_values && base[i] == 0)
		i++;
	*factor = i < s->n_values ? v[i] / base[i] : 0;
	for (i = 0; i < s->n_values; i++)
		if (__builtin_mul_overflow(base[i], *factor, &product) || product != v[i])
			return false;
	return true;
}

static void forest_find_multiples(const struct forest_source *s, struct forest_tree *out)
{
	out->like = mem_alloc(s->n_types, sizeof(*out->like));
	out->factor = mem_alloc(s->n_types, sizeof(*out->factor));
	for (uint32_t t = 0; t < s->n_types; t++) {
		out->like[t] = t;
		out->factor[t] = 1;
		for (uint32_t of = 0; of < t && out->like[t] == t; of++)
			if (out->like[of] == of && forest_is_multiple(s, t, of, &out->factor[t]))
				out->like[t] = of;
	}
}

/* A node while the order is found. */
struct forest_place {
	uint32_t size; /* nodes of its subtree; then the position of its next child */
	uint32_t depth;
};

/* A node in depth-first order. */
struct forest_record {
	uint32_t number, depth, slot;
};

/*
 * List the used nodes in depth-first order, without following links from node to node: their cache misses could not overlap.
 * Returns the number of nodes.
 */
static uint32_t forest_sort(const struct forest_source *s, struct forest_place *place, struct forest_record *out)
{
	uint32_t n = 0;

	for (uint32_t i = s->n_nodes; i-- > 0;) {
		assert(s->parent[i] == PROFILE_NONE || s->parent[i] < i);
		place[i].size += s->is_used[i];
		if (s->parent[i] != PROFILE_NONE)
			place[s->parent[i]].size += place[i].size;
	}
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		struct forest_place *parent = s->parent[i] == PROFILE_NONE ? NULL : &place[s->parent[i]];
		uint32_t size = place[i].size, *next = parent ? &parent->size : &n, at = *next;

		if (!s->is_used[i])
			continue;
		*next += size;
		place[i] = (struct forest_place){ at + 1, parent ? parent->depth + 1 : 1 };
		out[at] = (struct forest_record){ s->number[s->loc[i]], place[i].depth, s->slot[i] };
	}
	return n;
}

/* Append a node. depth: of the node before it */
static void forest_put(const struct forest_source *s, const struct forest_tree *t, const struct forest_record *node,
		       uint32_t depth, struct buf *data)
{
	uint8_t *room = (uint8_t *)buf_room(data, (size_t)FOREST_NUMBER_MAX * (2 + s->n_types)), *at;
	uint32_t up = depth + 1 - node->depth;

	at = wire_put(room, (uint64_t)node->number << FOREST_FLAGS | (up ? 0 : FOREST_IS_CHILD) |
				    (node->slot ? FOREST_HAS_VALUES : 0));
	if (up)
		at = wire_put(at, up);
	for (uint32_t type = 0; node->slot && type < s->n_types; type++)
		if (t->like[type] == type)
			at = wire_put(at, (uint64_t)s->value[type][node->slot - 1]);
	data->len += (size_t)(at - room);
}

void forest_pack(const struct forest_source *s, struct forest_tree *out)
{
	enum { AHEAD = 16 };
	struct forest_place *place = mem_alloc_large(s->n_nodes, sizeof(*place));
	struct forest_record *node = mem_alloc_large(s->n_nodes, sizeof(*node));
	struct forest_tree t = { 0 };
	struct buf data = { 0 };
	uint32_t n;

	memset(place, 0, s->n_nodes * sizeof(*place));
	n = forest_sort(s, place, node);
	free(place);
	forest_find_multiples(s, &t);
	for (uint32_t i = 0; i < n; i++) {
		if (i + AHEAD < n && node[i + AHEAD].slot)
			__builtin_prefetch(&s->value[0][node[i + AHEAD].slot - 1]);
		forest_put(s, &t, &node[i], i ? node[i - 1].depth : 0, &data);
	}
	free(node);
	t.size = data.len;
	t.data = (const uint8_t *)data.data;
	*out = t;
}

void forest_tree_release(struct forest_tree *t)
{
	free(t->loc);
	free(t->like);
	free(t->factor);
	free((void *)(uintptr_t)t->data);
	*t = (struct forest_tree){ 0 };
}
