/*
 * heat.c - the colours of functions by what they take themselves
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "viewers/flame/flame_int.h"

#include <stdlib.h>

/* The least percentage of a step. */
static const double least[COLOR_HEATS] = { 0, 0.1, 0.5, 1, 2, 5, 10, 20 };

double heat_least(int step)
{
	return least[step];
}

const uint8_t *heat_make(const struct flame *f, struct arena *mem)
{
	int64_t *self = arena_zalloc(mem, f->n_frames, sizeof(*self));
	uint8_t *color = arena_alloc(mem, f->n_frames, sizeof(*color));

	/* An inverted tree has what functions have themselves at level 1. */
	for (uint32_t i = 0; i < f->n; i++)
		if (f->frame[i] != FLAME_NONE && (!f->inverted || f->parent[i] == 0))
			self[f->frame[i]] += (f->inverted ? f->total : f->self)[FLAME_AFTER][i];
	for (uint32_t i = 0; i < f->n_frames; i++) {
		int step = COLOR_HEATS - 1;

		while (step && unit_percent(self[i], f->total[FLAME_AFTER][0]) < least[step])
			step--;
		color[i] = (uint8_t)(COLOR_HEAT + step);
	}
	return color;
}
