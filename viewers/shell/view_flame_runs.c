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

/* A box that ends in the cell it begins in: with others there, or on its own until another one goes on from it. */
static size_t add_narrow(const struct flame_layout *l, uint32_t tile, int cell, int eighths, struct flame_run *out,
			 size_t n)
{
	struct flame_run *last = n ? &out[n - 1] : NULL;

	if (last && last->x == cell && last->width == 0) {
		last->n++;
		if (l->tile[tile].width > l->tile[last->tile].width)
			last->tile = tile;
	} else {
		if (last && last->x + last->width == cell)
			last->eighths = 0;
		last = &out[n++];
		*last = (struct flame_run){ .x = cell, .tile = tile, .n = 1 };
	}
	last->end = tile + 1;
	last->eighths = eighths ? eighths : 1;
	return n;
}

size_t shell_flame_runs(const struct flame_layout *l, uint32_t lo, uint32_t hi, int64_t from, int64_t span, int width,
			struct flame_run *out)
{
	size_t n = 0;

	for (uint32_t i = lo; i < hi && span > 0 && width > 0; i++) {
		const struct flame_tile *t = &l->tile[i];
		struct mark start = mark_of(t->x - from, span, width),
			    end = mark_of(t->x - from + t->width, span, width);
		struct flame_run *last;

		if (t->width <= 0)
			continue;
		if (end.cell == start.cell) {
			n = add_narrow(l, i, start.cell, end.eighths, out, n);
			continue;
		}
		if (n && out[n - 1].width == 0 && out[n - 1].x == start.cell)
			n--;
		last = n ? &out[n - 1] : NULL;
		if (last && last->x + last->width == start.cell)
			last->eighths = 0;
		out[n++] = (struct flame_run){ .x = start.cell,
					       .width = end.cell - start.cell,
					       .eighths = end.eighths,
					       .tile = i,
					       .end = i + 1,
					       .n = 1 };
	}
	return n;
}

size_t shell_flame_run_of(const struct flame_run *run, size_t n, uint32_t tile)
{
	size_t i = 0;

	while (i < n && run[i].end <= tile)
		i++;
	return i < n || n == 0 ? i : n - 1;
}

void shell_flame_level(const struct flame_state *st, uint32_t level, uint32_t *lo, uint32_t *hi)
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
