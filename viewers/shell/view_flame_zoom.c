/*
 * view_flame_zoom.c - the flame graph: its model, what is zoomed and selected, which cells boxes take
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_flame.h"

#include "engine/view.h"

#include <assert.h>
#include <string.h>

/* ---- the model ---- */

/* Boxes of a fifth of a cell of this width are there at once; deeper than that many levels none are. */
enum { CELLS = 400, PER_CELL = 5, LEVELS = 2000 };

static void link_tiles(struct flame_model *own, struct arena *mem)
{
	const struct flame *f = own->f;
	uint32_t n = own->l.n;

	own->tile = arena_alloc(mem, n, sizeof(*own->tile));
	own->child = arena_zalloc(mem, (size_t)n + 1, sizeof(*own->child));
	own->deepest = arena_alloc(mem, n, sizeof(*own->deepest));
	own->level = arena_alloc(mem, (size_t)own->l.n_levels + 1, sizeof(*own->level));
	for (uint32_t i = n; i-- > 0;) {
		own->tile[own->l.tile[i].box] = i;
		own->deepest[i] = own->l.tile[i].level;
		own->level[own->l.tile[i].level] = i;
	}
	own->level[own->l.n_levels] = n;
	for (uint32_t i = n; i-- > 1;) {
		uint32_t up = own->tile[f->parent[own->l.tile[i].box]];

		own->child[up + 1]++; /* counted, and then added up */
		if (own->deepest[up] < own->deepest[i])
			own->deepest[up] = own->deepest[i];
	}
	own->child[0] = 1;
	for (uint32_t i = 0; i < n; i++)
		own->child[i + 1] += own->child[i];
	assert(n > 0 && own->child[n] == n);
}

static struct flame_source source_of(const struct opt_list *list)
{
	return (struct flame_source){ .source = list->item, .n = list->n };
}

int shell_flame_view_make(const struct ask *a, struct model *m, struct err *err)
{
	struct flame_model *own = arena_zalloc(m->mem, 1, sizeof(*own));
	int cells = a->width > CELLS ? a->width : CELLS;
	struct flame_ask ask = { .min_share = 1.0 / PER_CELL / cells,
				 .max_levels = LEVELS,
				 .way = (const uint32_t *)a->part.data,
				 .n_way = (uint32_t)(a->part.len / sizeof(uint32_t)) };
	struct query q = *a->q;
	struct view v;
	int rc;

	q.keep_base = true;
	q.nodecount = q.nodecount == 0 ? -1 : q.nodecount; /* zooming shows all of them */
	own->style = (struct flame_style){ .title = "", .icicle = q.icicle, .diff_self = q.diff_self };
	ask.side[FLAME_BEFORE] = source_of(q.base.n ? &q.base : &q.diff_base);
	rc = flame_style_read(q.order, q.theme, q.color_by, &own->style, err);
	if (rc == 0)
		rc = view_make(a->data->sides, &q, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, &q, &ask, &m->report, err);
	if (rc < 0)
		return rc;
	own->r = &m->report;
	own->f = m->report.flame;
	flame_lay_out(own->f, &own->style, m->mem, &own->l);
	link_tiles(own, m->mem);
	own->n_legend = flame_legend(&m->report, &own->style, m->mem, &own->legend);
	m->own = own;
	return stop_check(q.stop, err);
}

/* ---- cells of a level ---- */

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

/* Add a box that ends in the cell it begins in: to the others there, or alone until another one continues from it. */
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
	assert(first < end && end <= m->l.n);
	*lo = first;
	*hi = end;
}

/* ---- zoom and selection ---- */

enum { PAST_MAX = 100 };

/* Append a box to a way. A box for several others has no name but a NUL. */
static void add_name(const struct flame *f, uint32_t box, struct texts *out)
{
	if (f->frame[box] == FLAME_NONE)
		buf_add(&out->all, "", 1);
	else
		buf_addz(&out->all, f->frames[f->frame[box]].name);
	texts_end(out);
}

/* Is a box the one that a way has at a place? */
static bool is_named(const struct flame *f, uint32_t box, const struct texts *way, size_t i)
{
	size_t n;
	const char *name = texts_at(way, i, &n);

	if (f->frame[box] == FLAME_NONE)
		return n == 1 && !*name;
	return strncmp(f->frames[f->frame[box]].name, name, n) == 0 && !f->frames[f->frame[box]].name[n];
}

/* The way of a tile. */
static void find_way(const struct flame_model *m, uint32_t tile, struct texts *out)
{
	const struct flame *f = m->f;
	uint32_t n = m->l.tile[tile].level, *box = mem_alloc(n, sizeof(*box));

	for (uint32_t i = n, at = m->l.tile[tile].box; i-- > 0; at = f->parent[at])
		box[i] = at;
	texts_release(out);
	for (uint32_t i = 0; i < n; i++)
		add_name(f, box[i], out);
	free(box);
}

/* The tile of a way, as far as it goes. */
static void find_tile(const struct flame_model *m, const struct texts *way, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < way->n; i++) {
		uint32_t t = m->child[*out], end = m->child[*out + 1];

		while (t < end && !is_named(m->f, m->l.tile[t].box, way, i))
			t++;
		if (t == end)
			break;
		*out = t;
	}
}

static void copy_way(struct texts *to, const struct texts *from, size_t n)
{
	struct texts copy = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *name = texts_at(from, i, &len);

		buf_add(&copy.all, name, len);
		texts_end(&copy);
	}
	texts_release(to);
	*to = copy;
}

/* Does a way begin as another one? */
static bool way_begins(const struct texts *way, const struct texts *start)
{
	for (size_t i = 0; i < start->n; i++) {
		size_t n = 0, m;
		const char *a = i < way->n ? texts_at(way, i, &n) : NULL, *b = texts_at(start, i, &m);

		if (!a || n != m || memcmp(a, b, n) != 0)
			return false;
	}
	return true;
}

static bool is_inside(const struct flame_model *m, uint32_t tile, uint32_t of)
{
	uint32_t box = m->l.tile[tile].box;

	for (uint32_t n = m->l.tile[tile].level; n > m->l.tile[of].level; n--)
		box = m->f->parent[box];
	return m->tile[box] == of;
}

/* Find zoom and selection in the models there are, and what is searched for. */
static void settle(struct pane *p)
{
	struct flame_state *st = p->state;
	bool in_part = st->part && way_begins(&st->zoom, &st->part_way);

	st->on = in_part ? st->part->own : p->model->own;
	find_tile(st->on, &st->zoom, &st->zoom_tile);
	find_tile(st->on, &st->at, &st->at_tile);
	if (!is_inside(st->on, st->at_tile, st->zoom_tile)) {
		st->at_tile = st->zoom_tile;
		find_way(st->on, st->at_tile, &st->at);
	}
	assert(st->zoom_tile < st->on->l.n && st->at_tile < st->on->l.n);
	st->is_followed = false;
	shell_flame_search_again(p);
}

/* The places of the way to a tile, as flame_ask takes them. */
static void add_places(const struct flame_model *m, uint32_t tile, struct buf *out)
{
	uint32_t n = m->l.tile[tile].level, box = m->l.tile[tile].box;
	uint32_t *place = (uint32_t *)(void *)buf_room(out, n * sizeof(*place));

	assert(m->tile[box] == tile);
	for (uint32_t i = n; i-- > 0; box = m->f->parent[box])
		place[i] = m->f->place[box];
	out->len += n * sizeof(*place);
}

void shell_flame_refine(struct shell *s, struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *m = st->on;
	const struct flame *f = m->f;
	struct texts way = { 0 };
	bool is_coarse = f->n_cut && f->min > 1 &&
			 (m->l.tile[st->zoom_tile].level < st->zoom.n ||
			  (double)f->min * p->area.width > (double)m->l.tile[st->zoom_tile].width);

	if (!is_coarse || st->zoom_tile == 0 || p->is_stale || (p->is_waiting && !st->is_asking) ||
	    settings_query(p->ask)->nodecount > 0)
		return;
	find_way(m, st->zoom_tile, &way);
	if (way.n == st->asked.n && way_begins(&way, &st->asked)) {
		texts_release(&way);
		return;
	}
	texts_release(&st->asked);
	st->asked = way;
	st->is_asking = true;
	p->part.len = 0;
	add_places(m, st->zoom_tile, &p->part);
	shell_refresh(s, p);
}

void shell_flame_take_part(struct shell *s, struct pane *p, struct model *m)
{
	struct flame_state *st = p->state;
	const struct flame_model *whole = p->model->own;
	struct flame_model *part = m->own;

	(void)s;
	flame_color_as(whole->f, &part->style, part->f, &part->l);
	model_free(st->part);
	st->part = m;
	copy_way(&st->part_way, &st->asked, st->asked.n);
	st->is_asking = false;
	settle(p);
}

/* Ways mean nothing the other way round; the function that was selected is a box of its own then. */
static void turn_round(struct flame_state *st)
{
	struct texts at = { 0 };

	if (st->at.n) {
		size_t n;
		const char *name = texts_at(&st->at, st->at.n - 1, &n);

		buf_add(&at.all, name, n);
		texts_end(&at);
	}
	texts_release(&st->at);
	st->at = at;
	while (st->n_past)
		texts_release(&st->past[--st->n_past]);
	texts_release(&st->zoom);
	st->top = 0;
}

void shell_flame_shown(struct shell *s, struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *m = p->model->own;

	(void)s;
	model_free(st->part);
	st->part = NULL;
	st->on = NULL;
	st->is_asking = false;
	texts_release(&st->asked);
	if (m->style.icicle != st->was_icicle)
		st->is_flame = !m->style.icicle;
	st->was_icicle = m->style.icicle;
	if (m->f->inverted != st->was_inverted)
		turn_round(st);
	st->was_inverted = m->f->inverted;
	settle(p);
}

void shell_flame_select(struct pane *p, uint32_t tile)
{
	struct flame_state *st = p->state;

	assert(tile < st->on->l.n);
	st->at_tile = tile;
	st->is_followed = false;
	find_way(st->on, tile, &st->at);
}

/* Keep what is zoomed for the next step back. */
static void push_zoom(struct flame_state *st)
{
	assert(st->n_past <= PAST_MAX);
	if (st->n_past == PAST_MAX) {
		texts_release(&st->past[0]);
		memmove(st->past, st->past + 1, --st->n_past * sizeof(*st->past));
	}
	st->past = mem_grow(st->past, &st->cap_past, st->n_past + 1, sizeof(*st->past));
	st->past[st->n_past++] = st->zoom;
	st->zoom = (struct texts){ 0 };
}

void shell_flame_zoom(struct pane *p, uint32_t tile)
{
	struct flame_state *st = p->state;

	assert(tile < st->on->l.n);
	push_zoom(st);
	find_way(st->on, tile, &st->zoom);
	st->top = 0;
	settle(p);
}

void shell_flame_zoom_to(struct pane *p, size_t n_names)
{
	struct flame_state *st = p->state;

	if (n_names >= st->zoom.n)
		return;
	push_zoom(st);
	copy_way(&st->zoom, &st->past[st->n_past - 1], n_names);
	st->top = 0;
	settle(p);
}

bool shell_flame_unzoom(struct pane *p)
{
	struct flame_state *st = p->state;

	if (st->n_past == 0 && st->zoom.n == 0)
		return false;
	texts_release(&st->zoom);
	if (st->n_past)
		st->zoom = st->past[--st->n_past];
	st->top = 0;
	settle(p);
	return true;
}

void shell_flame_whole(struct pane *p)
{
	struct flame_state *st = p->state;

	while (st->n_past)
		texts_release(&st->past[--st->n_past]);
	texts_release(&st->zoom);
	st->top = 0;
	settle(p);
}

void shell_flame_end(struct pane *p)
{
	struct flame_state *st = p->state;

	while (st->n_past)
		texts_release(&st->past[--st->n_past]);
	free(st->past);
	texts_release(&st->zoom);
	texts_release(&st->at);
	texts_release(&st->part_way);
	texts_release(&st->asked);
	model_free(st->part);
	free(st->found.frame);
}
