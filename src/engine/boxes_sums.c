/*
 * boxes_sums.c - what places have over all stacks, whatever boxes leave out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "engine/boxes.h"
#include "engine/parts.h"

#include <stdlib.h>

/* Add a stack: to each place on it once. */
static void add_stack(const struct profile *p, const struct places *pl, uint32_t stack, const int64_t weight[N_SIDES],
		      uint32_t *last, struct boxes_sums *out)
{
	const struct csr *stacks = &p->stacks;

	for (uint32_t at = stacks->off[stack]; at < stacks->off[stack + 1]; at++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, stacks->item[at], &n);

		for (uint32_t i = 0; i < n; i++) {
			bool is_leaf = at == stacks->off[stack] && i == 0, is_first = last[place[i]] != stack + 1;

			last[place[i]] = stack + 1;
			for (int side = 0; side < N_SIDES; side++) {
				out->self[side][place[i]] += is_leaf ? weight[side] : 0;
				out->total[side][place[i]] += is_first ? weight[side] : 0;
			}
		}
	}
}

void boxes_sum(const struct view *v, const struct places *pl, struct arena *mem, struct boxes_sums *out)
{
	const struct profile *p = v->p;
	int64_t *weight[N_SIDES];
	uint32_t *last = mem_zalloc(pl->n, sizeof(*last)); /* stack + 1 that was counted last */

	for (int side = 0; side < N_SIDES; side++) {
		out->self[side] = arena_zalloc(mem, pl->n, sizeof(int64_t));
		out->total[side] = arena_zalloc(mem, pl->n, sizeof(int64_t));
	}
	parts_weigh(v, weight);
	stop_begin(v->stop, "adding up", p->stacks.n);
	for (uint32_t s = 0; s < p->stacks.n && !stop_step(v->stop, s); s++) {
		const int64_t w[N_SIDES] = { [SIDE_TARGET] = weight[SIDE_TARGET][s],
					     [SIDE_BASE] = weight[SIDE_BASE] ? weight[SIDE_BASE][s] : 0 };

		if (w[SIDE_TARGET] || w[SIDE_BASE])
			add_stack(p, pl, s, w, last, out);
	}
	for (int side = 0; side < N_SIDES; side++)
		free(weight[side]);
	free(last);
}
