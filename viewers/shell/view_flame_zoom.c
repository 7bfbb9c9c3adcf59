/*
 * view_flame_zoom.c - what is zoomed and selected, whatever model it is in
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_flame.h"

#include <string.h>

enum { PAST_MAX = 100 };

/* Append a box to a way. One that stands for others has no name: a NUL. */
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
static bool starts_with(const struct texts *way, const struct texts *start)
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
	bool in_part = st->part && starts_with(&st->zoom, &st->part_way);

	st->on = in_part ? st->part->own : p->model->own;
	find_tile(st->on, &st->zoom, &st->zoom_tile);
	find_tile(st->on, &st->at, &st->at_tile);
	if (!is_inside(st->on, st->at_tile, st->zoom_tile)) {
		st->at_tile = st->zoom_tile;
		find_way(st->on, st->at_tile, &st->at);
	}
	st->is_followed = false;
	shell_flame_search_again(p);
}

/* The places of the way to a tile, as flame_ask takes them. */
static void add_places(const struct flame_model *m, uint32_t tile, struct buf *out)
{
	uint32_t n = m->l.tile[tile].level, box = m->l.tile[tile].box;
	uint32_t *place = (uint32_t *)(void *)buf_room(out, n * sizeof(*place));

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
	if (way.n == st->asked.n && starts_with(&way, &st->asked)) {
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

	st->at_tile = tile;
	st->is_followed = false;
	find_way(st->on, tile, &st->at);
}

/* What is zoomed now is where the next step back leads to. */
static void push_zoom(struct flame_state *st)
{
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
