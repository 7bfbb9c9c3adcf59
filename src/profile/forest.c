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

/* Append a node. */
static void forest_put(const struct forest_source *s, const struct forest_tree *t, uint32_t node, uint32_t up,
		       struct buf *data)
{
	uint8_t *room = (uint8_t *)buf_room(data, (size_t)FOREST_NUMBER_MAX * (2 + s->n_types)), *at;
	uint32_t slot = s->slot[node];

	at = wire_put(room, (uint64_t)s->number[s->loc[node]] << FOREST_FLAGS | (up ? 0 : FOREST_IS_CHILD) |
				    (slot ? FOREST_HAS_VALUES : 0));
	if (up)
		at = wire_put(at, up);
	for (uint32_t type = 0; slot && type < s->n_types; type++)
		if (t->like[type] == type)
			at = wire_put(at, (uint64_t)s->value[type][slot - 1]);
	data->len += (size_t)(at - room);
}

void forest_pack(const struct forest_source *s, struct forest_tree *out)
{
	enum { AHEAD = 16 };
	struct forest_tree t = { 0 };
	struct buf data = { 0 };
	uint32_t at = PROFILE_NONE; /* the node before this one, then the next of its callers */

	forest_find_multiples(s, &t);
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		uint32_t up = 0;

		if (i + AHEAD < s->n_nodes && s->slot[i + AHEAD])
			__builtin_prefetch(&s->value[0][s->slot[i + AHEAD] - 1]);
		if (!s->is_used[i])
			continue;
		for (; at != s->parent[i]; at = s->parent[at]) {
			assert(at != PROFILE_NONE);
			up++;
		}
		forest_put(s, &t, i, up, &data);
		at = i;
	}
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
