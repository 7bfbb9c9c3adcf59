/*
 * boxes_sums.c - what places have over all stacks, whatever boxes leave out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/boxes.h"
#include "engine/graph.h"

void boxes_sum(const struct view *v, const struct places *pl, struct arena *mem, struct boxes_sums *out)
{
	struct graph g;

	graph_make_sides(v, pl, mem, &g);
	for (int side = 0; side < N_SIDES; side++) {
		out->self[side] = g.flat[side];
		out->total[side] = g.cum[side];
	}
}
