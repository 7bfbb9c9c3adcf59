/*
 * view_flame.c - the flame graph: keys, the mouse, search
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_flame.h"

#include "viewers/shell/find.h"
#include "viewers/shell/quote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- search ---- */

bool shell_flame_matches(const struct flame_state *st, uint32_t tile)
{
	uint32_t frame = st->on->f->frame[st->on->l.tile[tile].box];

	return st->found.frame && frame != FLAME_NONE && st->found.frame[frame];
}

static bool *match_frames(const struct flame *f, struct find *find)
{
	bool *out = mem_zalloc((size_t)f->n_frames + 1, sizeof(*out));

	for (uint32_t i = 0; i < f->n_frames; i++)
		out[i] = find_in(find, f->frames[i].name);
	return out;
}

/* Is a box inside of one that matches, of the zoomed one? */
enum { UNDER_MATCH = 1, UNDER_ZOOM = 2, UNDER_BOTH = 4 };

/* Add up the outermost boxes that match, of all and of what is zoomed, which is a box. */
static void add_up(const struct flame *f, const bool *match, uint32_t zoom, struct flame_found *out)
{
	uint8_t *state = mem_alloc(f->n, sizeof(*state));

	assert(zoom < f->n);
	out->n = 0;
	out->width = out->here = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		bool hit = f->frame[i] != FLAME_NONE && match[f->frame[i]];
		uint8_t above = i ? state[f->parent[i]] : 0;
		bool here = i == zoom || above & UNDER_ZOOM;

		state[i] = (uint8_t)((hit ? UNDER_MATCH : 0) | (above & UNDER_MATCH) | (here ? UNDER_ZOOM : 0) |
				     ((here && hit) ? UNDER_BOTH : 0) | (above & UNDER_BOTH));
		out->n += hit;
		out->width += hit && !(above & UNDER_MATCH) ? f->width[i] : 0;
		out->here += hit && here && !(above & UNDER_BOTH) ? f->width[i] : 0;
	}
	free(state);
}

void shell_flame_search_again(struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *whole = p->model->own, *m = st->on;
	struct flame_found out = { 0 };
	struct find *find;

	free(st->found.frame);
	st->found = out;
	if (!*p->search)
		return;
	find = find_new(p->search);
	if (m != whole) {
		bool *match = match_frames(whole->f, find);

		add_up(whole->f, match, 0, &out);
		free(match);
	}
	st->found.frame = match_frames(m->f, find);
	add_up(m->f, st->found.frame, m->l.tile[st->zoom_tile].box, &st->found);
	if (m != whole) { /* a part knows nothing of the others */
		st->found.n = out.n;
		st->found.width = out.width;
	}
	find_free(find);
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	(void)s;
	(void)text;
	shell_flame_search_again(p);
}

static bool is_wide(const struct flame_state *st, uint32_t tile, int width)
{
	const struct flame_tile *t = st->on->l.tile;

	return (__int128)t[tile].width * width >= t[st->zoom_tile].width;
}

/* The next match after a tile inside of what is zoomed, by level and from the left; 0 when there is none. */
static uint32_t find_match(const struct flame_state *st, bool forward, int width)
{
	const struct flame_model *m = st->on;
	uint32_t best = 0, lo, hi, first = m->l.tile[st->zoom_tile].level, n = m->deepest[st->zoom_tile] - first + 1;
	uint32_t from = m->l.tile[st->at_tile].level - first;

	for (uint32_t k = 0; k <= n; k++) { /* the level of the selected one twice: first after it, last before it */
		uint32_t level = first + (forward ? from + k : from + n - k) % n;

		shell_flame_level(st, level, &lo, &hi);
		for (uint32_t i = 0; i < hi - lo; i++) {
			uint32_t t = forward ? lo + i : hi - 1 - i;
			bool is_before = forward ? t <= st->at_tile : t >= st->at_tile;

			if (k == 0 && is_before)
				continue;
			if (shell_flame_matches(st, t) && (!width || is_wide(st, t, width)))
				return t;
		}
	}
	return best;
}

static bool go_match(struct shell *s, struct pane *p, bool forward)
{
	struct flame_state *st = p->state;
	uint32_t to;

	if (!st->found.frame) {
		shell_say(s, false, "/ searches");
		return true;
	}
	to = find_match(st, forward, st->body.width);
	if (!to)
		to = find_match(st, forward, 0);
	if (to)
		shell_flame_select(p, to);
	else if (st->found.n)
		shell_say(s, false, "no match in what is zoomed; 0 shows the whole");
	else
		shell_say(s, false, "nothing matches %s", p->search);
	return true;
}

/* ---- keys ---- */

static uint32_t level_of(const struct flame_state *st, uint32_t tile)
{
	return st->on->l.tile[tile].level;
}

/* The runs of a level as they are drawn; to be freed. */
static struct flame_run *runs_of(const struct flame_state *st, uint32_t level, size_t *n)
{
	const struct flame_model *m = st->on;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	int width = st->body.width > 0 ? st->body.width : 1;
	struct flame_run *run = mem_alloc((size_t)width + 1, sizeof(*run));
	uint32_t lo, hi;

	shell_flame_level(st, level, &lo, &hi);
	*n = shell_flame_runs(&m->l, lo, hi, zoom->x, zoom->width, width, run);
	return run;
}

static bool go_up(struct pane *p)
{
	struct flame_state *st = p->state;

	if (st->at_tile == st->zoom_tile)
		return false;
	shell_flame_select(p, st->on->tile[st->on->f->parent[st->on->l.tile[st->at_tile].box]]);
	return true;
}

/* To the widest of what the selected box calls. */
static bool go_down(struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *m = st->on;
	uint32_t best = 0;

	assert(st->at_tile < m->l.n);
	for (uint32_t t = m->child[st->at_tile]; t < m->child[st->at_tile + 1]; t++)
		if (m->l.tile[t].width > 0 && (!best || m->l.tile[t].width > m->l.tile[best].width))
			best = t;
	if (best)
		shell_flame_select(p, best);
	return best != 0;
}

static bool go_aside(struct pane *p, int by)
{
	struct flame_state *st = p->state;
	size_t n, at;
	struct flame_run *run = runs_of(st, level_of(st, st->at_tile), &n);
	bool can;

	at = shell_flame_run_of(run, n, st->at_tile);
	can = by < 0 ? at > 0 : at + 1 < n;
	if (can)
		shell_flame_select(p, run[by < 0 ? at - 1 : at + 1].tile);
	free(run);
	return can;
}

/* The arrows go where they point to; where there is nothing more they do nothing. */
static bool walk(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_state *st = p->state;
	bool is_up = e->key == 'k' || e->key == KEY_UP_, is_left = e->key == 'h' || e->key == KEY_LEFT_;

	(void)s;
	if (is_up || e->key == 'j' || e->key == KEY_DOWN_)
		(void)(is_up == st->is_flame ? go_down(p) : go_up(p));
	else
		go_aside(p, is_left ? -1 : 1);
	return true;
}

static bool go_root(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_state *st = p->state;

	(void)s;
	(void)e;
	shell_flame_select(p, st->zoom_tile);
	return true;
}

static bool go_end(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	while (go_down(p))
		;
	return true;
}

static void scroll(struct flame_state *st, int by)
{
	int64_t n = (int64_t)st->on->deepest[st->zoom_tile] - level_of(st, st->zoom_tile) + 1;
	int64_t to = (int64_t)st->top + (st->is_flame ? -by : by), last = n - st->body.height;

	to = to > last ? last : to;
	st->top = (uint32_t)(to < 0 ? 0 : to);
	st->is_followed = true;
}

static bool page(struct shell *s, struct pane *p, const struct event *e)
{
	enum { CTRL_D = 4, CTRL_U = 21 };
	struct flame_state *st = p->state;
	int by = st->body.height > 1 ? st->body.height - 1 : 1;

	(void)s;
	if (e->key == CTRL_D || e->key == CTRL_U)
		by = by / 2 + 1;
	scroll(st, e->key == CTRL_U || e->key == KEY_PAGE_UP ? -by : by);
	return true;
}

static bool zoom(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;
	const struct flame *f = st->on->f;
	uint32_t tile = st->at_tile, box = st->on->l.tile[tile].box;

	(void)e;
	if (f->n_rest[box]) /* it has no inside: its caller shows more of it */
		tile = st->on->tile[f->parent[box]];
	if (tile != st->zoom_tile)
		shell_flame_zoom(p, tile);
	else if (f->n_rest[box])
		shell_say(s, false, "these boxes are too small to be told apart");
	else
		shell_say(s, false, "it has the whole width already; - goes back, 0 shows all");
	return true;
}

static bool unzoom(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	if (e->key == KEY_ESC && *p->search)
		return false;
	return shell_flame_unzoom(p);
}

static bool unzoom_or_say(struct shell *s, struct pane *p, const struct event *e)
{
	if (!unzoom(s, p, e))
		shell_say(s, false, "this is the whole; Enter zooms");
	return true;
}

static bool whole(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	shell_flame_whole(p);
	return true;
}

static bool next_match(struct shell *s, struct pane *p, const struct event *e)
{
	return go_match(s, p, e->key == 'n');
}

static bool invert(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_linef(s, "inverted=%s", settings_query(s->now)->inverted ? "false" : "true");
	return true;
}

/* Here roots are at the top unless someone says else, whatever the option is that pictures begin with. */
static bool turn(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;

	(void)e;
	st->is_flame = !st->is_flame;
	st->was_icicle = !st->is_flame;
	shell_linef(s, "icicle=%s", st->is_flame ? "false" : "true");
	return true;
}

static bool order(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_model *m = p->model->own;

	(void)e;
	shell_linef(s, "order=%s", m->style.order == FLAME_BY_NAME ? "weight" : "name");
	return true;
}

static bool color(struct shell *s, struct pane *p, const struct event *e)
{
	static const char *const next[] = { [FLAME_PACKAGE] = "module",
					    [FLAME_MODULE] = "file",
					    [FLAME_FILE] = "function",
					    [FLAME_FUNCTION] = "heat",
					    [FLAME_HEAT] = "package" };
	const struct flame_model *m = p->model->own;

	(void)e;
	if (m->f->has_base)
		shell_say(s, false, "the colours of a comparison show the change; d changes of what");
	else
		shell_linef(s, "color_by=%s", next[m->style.color_by]);
	return true;
}

static bool by_self(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_model *m = p->model->own;

	(void)e;
	if (!m->f->has_base)
		return false;
	shell_linef(s, "diff_self=%s", m->style.diff_self ? "false" : "true");
	return true;
}

/* The tile that is drawn at a cell. */
static bool tile_at(const struct flame_state *st, int x, int y, uint32_t *out)
{
	int row = st->is_flame ? st->body.height - 1 - (y - st->body.y) : y - st->body.y;
	uint32_t level = level_of(st, st->zoom_tile) + st->top + (uint32_t)row;
	struct flame_run *run;
	bool found = false;
	size_t n;

	if (row < 0 || row >= st->body.height || level > st->on->deepest[st->zoom_tile])
		return false;
	run = runs_of(st, level, &n);
	for (size_t i = 0; i < n && !found; i++) {
		found = x >= run[i].x && x < run[i].x + run[i].width + (run[i].eighths > 0);
		*out = run[i].tile;
	}
	free(run);
	return found;
}

static void click_crumb(struct pane *p, int x)
{
	const struct flame_state *st = p->state;

	for (size_t i = 0; i < st->n_crumbs; i++) {
		if (x < st->crumb[i].x || x >= st->crumb[i].x + st->crumb[i].width)
			continue;
		shell_flame_zoom_to(p, st->crumb[i].n);
		return;
	}
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;
	uint32_t tile;

	if (e->kind == EVENT_WHEEL) {
		scroll(st, e->by);
		return true;
	}
	if (e->kind == EVENT_CLICK && e->y < st->body.y) {
		click_crumb(p, e->x);
		return true;
	}
	if ((e->kind != EVENT_CLICK && e->kind != EVENT_DOUBLE) || !tile_at(st, e->x, e->y, &tile))
		return false;
	shell_flame_select(p, tile);
	if (e->kind == EVENT_DOUBLE)
		zoom(s, p, e);
	return true;
}

/* The function of a frame, whose name may be followed by a line or a file. */
static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct flame_state *st = p->state;
	const struct flame *f = st->on->f;
	uint32_t frame = f->frame[st->on->l.tile[st->at_tile].box];

	(void)s;
	if (frame != FLAME_NONE && *f->frames[frame].function)
		shell_quote(f->frames[frame].function, out);
}

static const struct binding keys[] = {
	{ "Down j Up k Left h Right l", "walk: into the widest, back to the caller, to the neighbour", NULL, NULL,
	  walk },
	{ "Enter", "zoom: the selected box fills the width", "zoom", NULL, zoom },
	{ "Backspace Esc", "zoom out one step; else as in other views", "out", NULL, unzoom },
	{ "-", "zoom out one step", NULL, NULL, unzoom_or_say },
	{ "0 z", "show the whole", "whole", NULL, whole },
	{ "n N", "next match, the one before", NULL, NULL, next_match },
	{ "i", "inverted: first the functions, then who calls them", "invert", "inverted=true", invert },
	{ "I", "roots at the bottom or at the top", NULL, "icicle=false", turn },
	{ "O", "order boxes by weight or by name", NULL, "order=weight", order },
	{ "K", "colour by package, module, file, function, heat", "colours", "color_by=heat", color },
	{ "D", "in a comparison: colour by the change of total or of self", NULL, "diff_self=true", by_self },
	{ "PageDown PageUp Ctrl-D Ctrl-U", "scroll through the levels", NULL, NULL, page },
	{ "g Home", "to the box at the root", NULL, NULL, go_root },
	{ "G End", "down the widest boxes to the end", NULL, NULL, go_end },
};

const struct pane_class shell_view_flame = {
	.title = "Flame graph",
	.explain = "Each box is a function, as wide as what it takes with all that it calls. What it calls lies below "
		   "it; the "
		   "gap beside that is what it takes itself. Boxes of one colour are of one package (K: module, file, "
		   "function, or by what they take themselves). What is too narrow to be drawn stands in boxes "
		   "\"12 narrower\"; zooming shows it. In a comparison colours and signs tell what grew (+), shrank "
		   "(-), is "
		   "new or gone, and a box is as wide as the larger side.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct flame_state),
	.make = shell_flame_view_make,
	.take_part = shell_flame_take_part,
	.shown = shell_flame_shown,
	.draw = shell_flame_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = shell_flame_end,
};
