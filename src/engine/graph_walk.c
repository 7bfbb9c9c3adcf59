/*
 * graph_walk.c - add the value of a stack to each of its places
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/graph_walk.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

/* Mark the places that are inlined in some location. */
static bool *walk_find_inlined(const struct places *pl)
{
	bool *is_inlined = mem_zalloc(pl->n, sizeof(*is_inlined));
	uint32_t n;

	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		const uint32_t *place = places_of(pl, loc, &n);

		for (uint32_t k = 0; k + 1 < n; k++)
			is_inlined[place[k]] = true;
	}
	return is_inlined;
}

/* The size of the list of other sums. */
static size_t walk_count_others(const struct places *pl, const bool *is_inlined)
{
	size_t size = 0;

	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, loc, &n);

		if (n > 1 || is_inlined[*place])
			size += 1 + (n > PLACES_PADDED ? n : PLACES_PADDED);
	}
	return size;
}

struct walk_targets walk_targets_new(const struct places *pl)
{
	uint32_t n_locs = pl->p->n_locs, n, at = 0;
	bool *is_inlined = walk_find_inlined(pl);
	size_t size = walk_count_others(pl, is_inlined);
	struct walk_targets to = { .n = pl->n + places_n_several(pl),
				   .has_others = size > 0,
				   .first = mem_alloc(n_locs, sizeof(*to.first)),
				   .others = mem_alloc(size ? n_locs : 0, sizeof(*to.others)),
				   .list = mem_alloc(size, sizeof(*to.list)) };

	for (uint32_t loc = 0; loc < n_locs; loc++) {
		const uint32_t *place = places_of(pl, loc, &n);
		uint32_t outer = place[n - 1], count = at;
		uint32_t own = n > 1 ? pl->n + places_several(pl->list[loc]) : to.n;

		to.first[loc] = outer;
		if (n == 1 && !is_inlined[outer])
			continue;
		to.first[loc] = PLACES_MANY | (is_inlined[outer] ? own : outer);
		to.others[loc] = at++;
		to.list[at++] = is_inlined[outer] ? outer : own;
		for (uint32_t k = 0; k + 1 < n; k++)
			to.list[at++] = place[k];
		to.list[count] = at - count - 1;
		for (; at - count <= PLACES_PADDED; at++)
			to.list[at] = to.list[at - 1];
	}
	assert(at == size);
	free(is_inlined);
	return to;
}

void walk_targets_release(struct walk_targets *to)
{
	free(to->first);
	free(to->others);
	free(to->list);
	*to = (struct walk_targets){ 0 };
}

void walk_sums_init(struct walk_sums *s, const struct walk_targets *to)
{
	s->to = to;
	s->n_pending = 0;
	s->cum = mem_zalloc((size_t)to->n + 1, sizeof(*s->cum));
	s->seen = mem_zalloc((size_t)to->n + 1, sizeof(*s->seen));
}

void walk_sums_release(struct walk_sums *s)
{
	free(s->cum);
	free(s->seen);
	s->cum = NULL;
	s->seen = NULL;
}

/* Nearly all locations have two or three other sums; padding lets both be handled alike. */
void walk_finish(struct walk_sums *s, const struct walk_values *values)
{
	int64_t *cum = s->cum;
	uint32_t *seen = s->seen;

	for (uint32_t i = 0; i < s->n_pending; i++) {
		const uint32_t *list = &s->to->list[s->to->others[s->pending_loc[i]]];
		uint32_t stack = s->pending_stack[i];
		int64_t v = values->value[stack - values->first];

		for (uint32_t k = 1; k <= PLACES_PADDED; k++)
			walk_add(&cum[list[k]], &seen[list[k]], stack, v);
		for (uint32_t k = 1 + PLACES_PADDED; k <= list[0]; k++)
			walk_add(&cum[list[k]], &seen[list[k]], stack, v);
	}
	s->n_pending = 0;
}
