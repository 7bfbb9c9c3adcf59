/*
 * view_flame_runs.c - which cells the boxes of a level take
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_flame.h"

enum { EIGHTHS = 8 };

/* Where a place lies on width cells. */
struct mark {
	int cell, eighths;
};

static struct mark mark_of(int64_t x, int64_t span, int width)
{
	__int128 all = (__int128)x * width;
	int64_t cell = (int64_t)(all / span);

	return (struct mark){ .cell = (int)cell, .eighths = (int)((all - (__int128)cell * span) * EIGHTHS / span) };
}

struct runs {
	const struct flame *f;
	const struct flame_layout *l;
	struct flame_run *run;
	size_t n;
	uint32_t parent; /* of the last run's boxes when they are narrow */
};

static struct flame_run *last_of(const struct runs *r)
{
	return r->n ? &r->run[r->n - 1] : NULL;
}

/* A cell that narrow boxes end in goes to the one that goes on from there. */
static void give_up_cell(struct runs *r, int cell)
{
	struct flame_run *last = last_of(r);

	if (!last)
		return;
	if (last->x + last->width == cell)
		last->eighths = 0;
	if (last->is_narrow && last->width == 0 && last->eighths == 0)
		r->n--;
}

/* A box that ends in the cell it begins in. */
static void add_narrow(struct runs *r, uint32_t tile, struct mark at, int eighths)
{
	const struct flame_tile *t = &r->l->tile[tile];
	uint32_t parent = r->f->parent[t->box];
	struct flame_run *last = last_of(r);
	bool same_cell = last && last->is_narrow && last->x + last->width == at.cell && last->eighths;
	bool next_cell = last && last->is_narrow && last->x + last->width + (last->eighths > 0) == at.cell &&
			 r->parent == parent;

	if (same_cell || next_cell) {
		last->width = at.cell - last->x;
		last->n++;
		if (t->width > r->l->tile[last->tile].width)
			last->tile = tile;
	} else {
		give_up_cell(r, at.cell);
		last = &r->run[r->n++];
		*last = (struct flame_run){ .x = at.cell, .tile = tile, .n = 1, .is_narrow = true };
	}
	r->parent = parent;
	last->end = tile + 1;
	last->eighths = eighths ? eighths : 1;
}

size_t flame_runs(const struct flame *f, const struct flame_layout *l, uint32_t lo, uint32_t hi, int64_t from,
		  int64_t span, int width, struct flame_run *out)
{
	struct runs r = { .f = f, .l = l, .run = out };

	for (uint32_t i = lo; i < hi && span > 0 && width > 0; i++) {
		const struct flame_tile *t = &l->tile[i];
		struct mark start = mark_of(t->x - from, span, width), end = mark_of(t->x - from + t->width, span, width);

		if (t->width <= 0)
			continue;
		if (end.cell == start.cell) {
			add_narrow(&r, i, start, end.eighths);
			continue;
		}
		give_up_cell(&r, start.cell);
		out[r.n++] = (struct flame_run){
			.x = start.cell, .width = end.cell - start.cell, .eighths = end.eighths, .tile = i, .end = i + 1, .n = 1
		};
	}
	return r.n;
}

size_t flame_run_of(const struct flame_run *run, size_t n, uint32_t tile)
{
	size_t i = 0;

	while (i < n && run[i].end <= tile)
		i++;
	return i < n || n == 0 ? i : n - 1;
}

void flame_level(const struct flame_state *st, uint32_t level, uint32_t *lo, uint32_t *hi)
{
	const struct flame_model *m = st->on;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	uint32_t first = st->zoom_tile, end = st->zoom_tile + 1;

	if (level < zoom->level || level > m->deepest[st->zoom_tile]) {
		*lo = *hi = 0;
		return;
	}
	for (uint32_t at = zoom->level; at < level; at++) { /* children of neighbours are neighbours */
		first = m->child[first];
		end = m->child[end];
	}
	*lo = first;
	*hi = end;
}
