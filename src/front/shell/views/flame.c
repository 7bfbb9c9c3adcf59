/*
 * flame.c - the flame graph: keys, mouse, search
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/flame.h"

#include "engine/query.h"
#include "front/shell/quote.h"
#include "front/shell/widgets/find.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- search ---- */

bool shell_flame_matches(const struct flame_state *st, uint32_t tile)
{
	uint32_t frame = st->graph->f->frame[st->graph->l.tile[tile].box];

	return st->found.frame && frame != FLAME_NONE && st->found.frame[frame];
}

static bool *match_frames(const struct flame *f, struct find *find)
{
	bool *out = mem_zalloc((size_t)f->n_frames + 1, sizeof(*out));

	for (uint32_t i = 0; i < f->n_frames; i++)
		out[i] = find_matches(find, f->frames[i].name);
	return out;
}

/* Is a box inside a matching box, or inside the zoomed box? */
enum { UNDER_MATCH = 1, UNDER_ZOOM = 2, UNDER_BOTH = 4 };

/* Add up the outermost matching boxes, in total and inside the zoomed box. */
static void view_flame_add_up(const struct flame *f, const bool *match, uint32_t zoom, struct flame_found *out)
{
	uint8_t *state = mem_alloc(f->n, sizeof(*state));

	assert(zoom < f->n);
	out->n = 0;
	out->width = out->width_zoomed = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		bool hit = f->frame[i] != FLAME_NONE && match[f->frame[i]];
		uint8_t above = i ? state[f->parent[i]] : 0;
		bool here = i == zoom || above & UNDER_ZOOM;

		state[i] = (uint8_t)((hit ? UNDER_MATCH : 0) | (above & UNDER_MATCH) | (here ? UNDER_ZOOM : 0) |
				     ((here && hit) ? UNDER_BOTH : 0) | (above & UNDER_BOTH));
		out->n += hit;
		out->width += hit && !(above & UNDER_MATCH) ? f->width[i] : 0;
		out->width_zoomed += hit && here && !(above & UNDER_BOTH) ? f->width[i] : 0;
	}
	free(state);
}

void shell_flame_update_search(struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *whole = p->model->view_data, *m = st->graph;
	struct flame_found out = { 0 };
	struct find *find;

	free(st->found.frame);
	st->found = out;
	if (!*p->search)
		return;
	find = find_new(p->search);
	if (m != whole) {
		bool *match = match_frames(whole->f, find);

		view_flame_add_up(whole->f, match, 0, &out);
		free(match);
	}
	st->found.frame = match_frames(m->f, find);
	view_flame_add_up(m->f, st->found.frame, m->l.tile[st->zoom_tile].box, &st->found);
	if (m != whole) { /* count in the whole graph, since a part of it lacks some boxes */
		st->found.n = out.n;
		st->found.width = out.width;
	}
	find_free(find);
}

static void view_flame_search(struct shell *s, struct pane *p, const char *text)
{
	(void)s;
	(void)text;
	shell_flame_update_search(p);
}

static bool view_flame_is_wide(const struct flame_state *st, uint32_t tile, int width)
{
	const struct flame_tile *t = st->graph->l.tile;

	return (__int128)t[tile].width * width >= t[st->zoom_tile].width;
}

/* The next match inside the zoomed box, level by level and from the left; 0 when there is none. */
static uint32_t find_match(const struct flame_state *st, bool forward, int width)
{
	const struct flame_model *m = st->graph;
	uint32_t best = 0, lo, hi, first = m->l.tile[st->zoom_tile].level, n = m->deepest[st->zoom_tile] - first + 1;
	uint32_t from = m->l.tile[st->selected_tile].level - first;

	for (uint32_t k = 0; k <= n; k++) { /* the level of the selection is searched first, and again at the end */
		uint32_t level = first + (forward ? from + k : from + n - k) % n;

		shell_flame_level(st, level, &lo, &hi);
		for (uint32_t i = 0; i < hi - lo; i++) {
			uint32_t t = forward ? lo + i : hi - 1 - i;
			bool is_before = forward ? t <= st->selected_tile : t >= st->selected_tile;

			if (k == 0 && is_before)
				continue;
			if (shell_flame_matches(st, t) && (!width || view_flame_is_wide(st, t, width)))
				return t;
		}
	}
	return best;
}

static bool view_flame_go_match(struct shell *s, struct pane *p, bool forward)
{
	struct flame_state *st = p->state;
	uint32_t to;

	if (!st->found.frame) {
		shell_notify(s, false, "press / to search");
		return true;
	}
	to = find_match(st, forward, st->body.width);
	if (!to)
		to = find_match(st, forward, 0);
	if (to)
		shell_flame_select(p, to);
	else if (st->found.n)
		shell_notify(s, false, "no match in the zoomed box; 0 shows the whole graph");
	else
		shell_notify(s, false, "no match for %s", p->search);
	return true;
}

/* ---- keys ---- */

static uint32_t level_of(const struct flame_state *st, uint32_t tile)
{
	return st->graph->l.tile[tile].level;
}

/* The runs of a level (see struct flame_run) as drawn; the caller frees. */
static struct flame_run *view_flame_runs_of(const struct flame_state *st, uint32_t level, size_t *n)
{
	const struct flame_model *m = st->graph;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	int width = st->body.width > 0 ? st->body.width : 1;
	struct flame_run *run = mem_alloc((size_t)width + 1, sizeof(*run));
	uint32_t lo, hi;

	shell_flame_level(st, level, &lo, &hi);
	*n = shell_flame_runs(&m->l, lo, hi, zoom->x, zoom->width, width, run);
	*n = shell_flame_join(m->f, &m->l, zoom->width, width, run, *n);
	return run;
}

static bool go_up(struct pane *p)
{
	struct flame_state *st = p->state;

	if (st->selected_tile == st->zoom_tile)
		return false;
	shell_flame_select(p, st->graph->tile[st->graph->f->parent[st->graph->l.tile[st->selected_tile].box]]);
	return true;
}

/* Select the widest callee of the selected box. */
static bool go_down(struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *m = st->graph;
	uint32_t best = 0;

	assert(st->selected_tile < m->l.n);
	for (uint32_t t = m->child[st->selected_tile]; t < m->child[st->selected_tile + 1]; t++)
		if (m->l.tile[t].width > 0 && (!best || m->l.tile[t].width > m->l.tile[best].width))
			best = t;
	if (best)
		shell_flame_select(p, best);
	return best != 0;
}

static bool go_sideways(struct pane *p, int by)
{
	struct flame_state *st = p->state;
	size_t n, at;
	struct flame_run *run = view_flame_runs_of(st, level_of(st, st->selected_tile), &n);
	bool can;

	at = shell_flame_run_of(run, n, st->selected_tile);
	can = by < 0 ? at > 0 : at + 1 < n;
	if (can)
		shell_flame_select(p, run[by < 0 ? at - 1 : at + 1].tile);
	free(run);
	return can;
}

/* Move in the direction of an arrow, if there is a box. */
static bool view_flame_walk(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_state *st = p->state;
	bool is_up = e->key == 'k' || e->key == KEY_UP_, is_left = e->key == 'h' || e->key == KEY_LEFT_;

	(void)s;
	if (is_up || e->key == 'j' || e->key == KEY_DOWN_)
		(void)(is_up == st->is_flame ? go_down(p) : go_up(p));
	else
		go_sideways(p, is_left ? -1 : 1);
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

static void view_flame_scroll(struct flame_state *st, int by)
{
	int64_t n = (int64_t)st->graph->deepest[st->zoom_tile] - level_of(st, st->zoom_tile) + 1;
	int64_t to = (int64_t)st->top + (st->is_flame ? -by : by), last = n - st->body.height;

	to = to > last ? last : to;
	st->top = (uint32_t)(to < 0 ? 0 : to);
	st->is_followed = true;
}

static bool view_flame_page(struct shell *s, struct pane *p, const struct event *e)
{
	enum { CTRL_D = 4, CTRL_U = 21 };
	struct flame_state *st = p->state;
	int by = st->body.height > 1 ? st->body.height - 1 : 1;

	(void)s;
	if (e->key == CTRL_D || e->key == CTRL_U)
		by = by / 2 + 1;
	view_flame_scroll(st, e->key == CTRL_U || e->key == KEY_PAGE_UP ? -by : by);
	return true;
}

static bool zoom(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;
	const struct flame *f = st->graph->f;
	uint32_t tile = st->selected_tile, box = st->graph->l.tile[tile].box;

	(void)e;
	if (f->n_rest[box]) /* for a rest, zoom to its caller, which shows more of the combined boxes */
		tile = st->graph->tile[f->parent[box]];
	if (tile != st->zoom_tile)
		shell_flame_zoom(p, tile);
	else if (f->n_rest[box])
		shell_notify(s, false, "these boxes are too small to show separately");
	else
		shell_notify(s, false, "already at full width; - zooms out, 0 shows the whole graph");
	return true;
}

static bool unzoom(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	if (e->key == KEY_ESC && *p->search)
		return false;
	return shell_flame_unzoom(p);
}

static bool unzoom_or_hint(struct shell *s, struct pane *p, const struct event *e)
{
	if (!unzoom(s, p, e))
		shell_notify(s, false, "already showing the whole graph; Enter zooms in");
	return true;
}

static bool whole(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	shell_flame_whole(p);
	return true;
}

static bool view_flame_next_match(struct shell *s, struct pane *p, const struct event *e)
{
	return view_flame_go_match(s, p, e->key == 'n');
}

static bool view_flame_invert(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_run_linef(s, "inverted=%s", settings_query(s->settings)->inverted ? "false" : "true");
	return true;
}

/* Flip the graph upside down. On the screen roots are at the top by default, even if the default of the option icicle differs. */
static bool flip(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;

	(void)e;
	st->is_flame = !st->is_flame;
	st->was_icicle = !st->is_flame;
	shell_run_linef(s, "icicle=%s", st->is_flame ? "false" : "true");
	return true;
}

static bool order(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_model *m = p->model->view_data;

	(void)e;
	shell_run_linef(s, "order=%s", m->style.order == FLAME_BY_NAME ? "weight" : "name");
	return true;
}

static bool color(struct shell *s, struct pane *p, const struct event *e)
{
	static const char *const next[] = { [FLAME_PACKAGE] = "module",
					    [FLAME_MODULE] = "file",
					    [FLAME_FILE] = "function",
					    [FLAME_FUNCTION] = "heat",
					    [FLAME_HEAT] = "package" };
	const struct flame_model *m = p->model->view_data;

	(void)e;
	if (m->f->has_base)
		shell_notify(s, false, "in a comparison colours show the change; D switches between cum and flat");
	else
		shell_run_linef(s, "color_by=%s", next[m->style.color_by]);
	return true;
}

static bool toggle_diff_self(struct shell *s, struct pane *p, const struct event *e)
{
	const struct flame_model *m = p->model->view_data;

	(void)e;
	if (!m->f->has_base)
		return false;
	shell_run_linef(s, "diff_self=%s", m->style.diff_self ? "false" : "true");
	return true;
}

/* The tile drawn at a cell. */
static bool tile_at(const struct flame_state *st, int x, int y, uint32_t *out)
{
	int row = st->is_flame ? st->body.height - 1 - (y - st->body.y) : y - st->body.y;
	uint32_t level = level_of(st, st->zoom_tile) + st->top + (uint32_t)row;
	struct flame_run *run;
	bool found = false;
	size_t n;

	if (row < 0 || row >= st->body.height || level > st->graph->deepest[st->zoom_tile])
		return false;
	run = view_flame_runs_of(st, level, &n);
	for (size_t i = 0; i < n && !found; i++) {
		found = x >= run[i].x && x < run[i].x + run[i].width + (run[i].eighths > 0);
		*out = run[i].tile;
	}
	free(run);
	return found;
}

static void view_flame_click_crumb(struct pane *p, int x)
{
	const struct flame_state *st = p->state;

	for (size_t i = 0; i < st->n_crumbs; i++) {
		if (x < st->crumb[i].x || x >= st->crumb[i].x + st->crumb[i].width)
			continue;
		shell_flame_zoom_to(p, st->crumb[i].n);
		return;
	}
}

static bool view_flame_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct flame_state *st = p->state;
	uint32_t tile;

	if (e->kind == EVENT_WHEEL) {
		view_flame_scroll(st, e->lines);
		return true;
	}
	if (e->kind == EVENT_CLICK && e->y < st->body.y) {
		view_flame_click_crumb(p, e->x);
		return true;
	}
	if ((e->kind != EVENT_CLICK && e->kind != EVENT_DOUBLE) || !tile_at(st, e->x, e->y, &tile))
		return false;
	shell_flame_select(p, tile);
	if (e->kind == EVENT_DOUBLE)
		zoom(s, p, e);
	return true;
}

/* Append the function of a frame. The frame's name may also include a line or a file. */
static void view_flame_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct flame_state *st = p->state;
	const struct flame *f = st->graph->f;
	uint32_t frame = f->frame[st->graph->l.tile[st->selected_tile].box];

	(void)s;
	if (frame != FLAME_NONE && *f->frames[frame].function)
		shell_quote(f->frames[frame].function, out);
}

static const struct binding keys[] = {
	{ "Down j Up k Left h Right l", "move: to the widest callee, the caller, a neighbour", NULL, NULL,
	  .act = view_flame_walk },
	{ "Enter", "zoom in: the selected box fills the width", "zoom", NULL, .act = zoom },
	{ "Backspace Esc", "zoom out one step; if not zoomed, as in other views", "out", NULL, .act = unzoom },
	{ "-", "zoom out one step", NULL, NULL, .act = unzoom_or_hint },
	{ "0 z", "show the whole graph", "whole", NULL, .act = whole },
	{ "n N", "next and previous match", NULL, NULL, .act = view_flame_next_match },
	{ "i", "invert: functions first, then their callers", "invert", "inverted=true", .act = view_flame_invert },
	{ "I", "put the roots at the bottom or at the top", NULL, "icicle=false", .act = flip },
	{ "O", "order boxes by weight or by name", NULL, "order=weight", .act = order },
	{ "K", "colour by package, module, file, function, heat", "colours", "color_by=heat", .act = color },
	{ "D", "in a comparison: colour by the change of cum or flat", NULL, "diff_self=true",
	  .act = toggle_diff_self },
	{ "PageDown PageUp Ctrl-D Ctrl-U", "scroll through the levels", NULL, NULL, .act = view_flame_page },
	{ "g Home", "go to the root", NULL, NULL, .act = go_root },
	{ "G End", "go to the last box on the path of widest callees", NULL, NULL, .act = go_end },
};

const struct pane_class shell_view_flame = {
	.title = "Flame graph",
	.help = "Each box is a function, as wide as its cum. Its callees are below it; the gap beside them is its "
		"flat. Boxes of one colour belong to one package (K: module, file, function, or heat). Boxes that "
		"are too narrow to draw are combined, for example as \"12 narrower\" or \"8 boxes\"; zooming shows "
		"them. In a comparison, colours and signs mark what grew (+), shrank (-), is new or gone, and a "
		"box is as wide as the larger side.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct flame_state),
	.make = shell_flame_view_make,
	.set_part = shell_flame_set_part,
	.model_changed = shell_flame_model_changed,
	.draw = shell_flame_draw,
	.mouse = view_flame_mouse,
	.add_selection = view_flame_add_selection,
	.search = view_flame_search,
	.release = shell_flame_release,
};
