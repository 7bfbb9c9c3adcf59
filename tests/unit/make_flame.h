/*
 * make_flame.h - flame graphs made by hand, for tests of viewers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_FLAME_H
#define TESTS_UNIT_MAKE_FLAME_H

#include "viewers/flame/flame.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { DRAWING_MAX = 40 };

/* A flame graph made by hand. Each box has its own frame; r is the report. */
struct drawing {
	struct report r;
	struct flame f;
	struct flame_style style;
	uint32_t parent[DRAWING_MAX], frame[DRAWING_MAX], n_rest[DRAWING_MAX];
	bool inlined[DRAWING_MAX];
	int64_t self[N_SIDES][DRAWING_MAX], total[N_SIDES][DRAWING_MAX], width[DRAWING_MAX];
	struct flame_frame frames[DRAWING_MAX];
};

static inline uint32_t drawing_add_box(struct drawing *d, uint32_t parent, int64_t before, int64_t after)
{
	uint32_t box = d->f.n++;

	d->parent[box] = parent;
	d->frame[box] = FLAME_NONE;
	d->total[SIDE_BASE][box] = d->self[SIDE_BASE][box] = before;
	d->total[SIDE_NEW][box] = d->self[SIDE_NEW][box] = after;
	d->width[box] = before > after ? before : after;
	if (parent != FLAME_NONE)
		for (int side = 0; side < N_SIDES; side++)
			d->self[side][parent] -= d->total[side][box];
	return box;
}

/* Start a drawing with a root, in milliseconds of cpu. The drawing must not be moved. */
static inline void drawing_start(struct drawing *d, int64_t before, int64_t after)
{
	*d = (struct drawing){ .r.head = { .command = "flame",
					   .file = "shop",
					   .build_id = "",
					   .doc_url = "",
					   .type = "cpu",
					   .unit = "milliseconds",
					   .total = after,
					   .out_unit = "auto",
					   .ratio = 1 },
			       .style = { .width = 1200, .min_width = 0.1, .title = "" } };
	d->f = (struct flame){ .parent = d->parent,
			       .frame = d->frame,
			       .n_rest = d->n_rest,
			       .inlined = d->inlined,
			       .self = { d->self[0], d->self[1] },
			       .total = { d->total[0], d->total[1] },
			       .width = d->width,
			       .frames = d->frames,
			       .side_total = { [SIDE_BASE] = before, [SIDE_NEW] = after } };
	d->r.flame = &d->f;
	drawing_add_box(d, FLAME_NONE, before, after);
}

/* Add a box of a function. Returns its number. */
static inline uint32_t drawing_add_function(struct drawing *d, uint32_t parent, const char *name, int64_t before,
					    int64_t after)
{
	uint32_t box = drawing_add_box(d, parent, before, after);

	d->frame[box] = d->f.n_frames;
	d->frames[d->f.n_frames++] = (struct flame_frame){ .name = name, .file = "", .module = "" };
	return box;
}

/* Add a box that replaces n narrow boxes. */
static inline uint32_t drawing_add_rest(struct drawing *d, uint32_t parent, uint32_t n, int64_t before, int64_t after)
{
	uint32_t box = drawing_add_box(d, parent, before, after);

	d->n_rest[box] = n;
	return box;
}

#endif
