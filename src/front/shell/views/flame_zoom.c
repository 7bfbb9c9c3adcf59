/*
 * flame_zoom.c - the flame graph: model, zoom, selection, cells of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/flame.h"

#include "engine/query.h"
#include "engine/view.h"

#include <assert.h>
#include <string.h>

/* ---- the model ---- */

/* Width for which a model has boxes down to a fifth of a cell, and its maximum number of levels. */
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

		own->child[up + 1]++; /* count first, then add up */
		if (own->deepest[up] < own->deepest[i])
			own->deepest[up] = own->deepest[i];
	}
	own->child[0] = 1;
	for (uint32_t i = 0; i < n; i++)
		own->child[i + 1] += own->child[i];
	assert(n > 0 && own->child[n] == n);
}

int shell_flame_view_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct flame_model *own = arena_zalloc(m->mem, 1, sizeof(*own));
	const struct opt_list *base = a->q->base.n ? &a->q->base : &a->q->diff_base;
	const struct side_sources from[N_SIDES] = { [SIDE_BASE] = { .source = base->item, .n = base->n } };
	int cells = a->width > CELLS ? a->width : CELLS;
	struct flame_options ask = { .min_share = 1.0 / PER_CELL / cells,
				     .max_levels = LEVELS,
				     .path = (const uint32_t *)a->part.data,
				     .n_path = (uint32_t)(a->part.len / sizeof(uint32_t)),
				     .from = from };
	struct query q = *a->q;
	struct view v;
	int rc;

	q.keep_base = true;
	q.nodecount = q.nodecount == 0 ? -1 : q.nodecount; /* zooming can show all nodes */
	own->style = (struct flame_style){ .title = "", .icicle = q.icicle, .diff_self = q.diff_self };
	rc = flame_style_read(q.order, q.theme, q.color_by, &own->style, err);
	if (rc == 0)
		rc = view_make(a->is_change ? a->data->sides : a->p, &q.filter, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, &q, &ask, &m->report, err);
	if (rc < 0)
		return rc;
	own->r = &m->report;
	own->f = m->report.flame;
	flame_lay_out(own->f, &own->style, m->mem, &own->l);
	link_tiles(own, m->mem);
	own->n_legend = flame_legend(&m->report, &own->style, m->mem, &own->legend);
	m->view_data = own;
	return stop_check(q.stop, err);
}

/* ---- cells of a level ---- */

enum { EIGHTHS = 8 };

/* A position in cells and eighths of a cell. */
struct flame_zoom_mark {
	int cell, eighths;
};

static struct flame_zoom_mark mark_of(int64_t x, int64_t span, int width)
{
	__int128 all = (__int128)x * width;
	int64_t cell = (int64_t)(all / span);

	return (struct flame_zoom_mark){ .cell = (int)cell,
					 .eighths = (int)((all - (__int128)cell * span) * EIGHTHS / span) };
}

/* Add a box that ends in the cell in which it begins. It joins the run of other such boxes in this cell, else it
   gets a run of its own, with width 0. */
static size_t view_flame_zoom_add_narrow(const struct flame_layout *l, uint32_t tile, int cell, int eighths,
					 struct flame_run *out, size_t n)
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
		struct flame_zoom_mark start = mark_of(t->x - from, span, width),
				       end = mark_of(t->x - from + t->width, span, width);
		struct flame_run *last;

		if (t->width <= 0)
			continue;
		if (end.cell == start.cell) {
			n = view_flame_zoom_add_narrow(l, i, start.cell, end.eighths, out, n);
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

static bool is_narrow_parent(const struct flame *f, uint32_t box, int64_t span, int width)
{
	return (__int128)f->width[f->parent[box]] * width < (__int128)2 * span;
}

/* May these runs, which are neighbours, be one? */
static bool can_join(const struct flame *f, const struct flame_layout *l, int64_t span, int width,
		     const struct flame_run *a, const struct flame_run *b)
{
	uint32_t left = l->tile[a->tile].box, right = l->tile[b->tile].box;
	int end = a->x + a->width + (a->eighths > 0);

	if (b->width > 1 || b->x > end || f->parent[left] == FLAME_NONE || f->parent[right] == FLAME_NONE)
		return false;
	return f->parent[left] == f->parent[right] ||
	       (is_narrow_parent(f, left, span, width) && is_narrow_parent(f, right, span, width));
}

size_t shell_flame_join(const struct flame *f, const struct flame_layout *l, int64_t span, int width,
			struct flame_run *run, size_t n)
{
	bool can_grow = false; /* has the last run one cell, or does it consist of such runs? */
	size_t kept = 0;

	if (width >= FLAME_JOIN_BELOW)
		return n;
	for (size_t i = 0; i < n; i++) {
		struct flame_run *last = kept ? &run[kept - 1] : NULL, next = run[i];

		if (!last || !can_grow || !can_join(f, l, span, width, last, &next)) {
			can_grow = next.width <= 1;
			run[kept++] = next;
			continue;
		}
		if (l->tile[next.tile].width > l->tile[last->tile].width)
			last->tile = next.tile;
		last->width = next.x + next.width - last->x;
		last->eighths = next.eighths;
		last->end = next.end;
		last->n += next.n;
	}
	return kept;
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
	const struct flame_model *m = st->graph;
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

enum { ZOOM_HISTORY_MAX = 100 };

/* Append a box to a path. A box that combines several others has an empty name. */
static void view_flame_zoom_add_name(const struct flame *f, uint32_t box, struct string_list *out)
{
	if (f->frame[box] == FLAME_NONE)
		buf_add(&out->all, "", 1);
	else
		buf_addz(&out->all, f->frames[f->frame[box]].name);
	string_list_end(out);
}

/* Does a box have the name at index i of a path? */
static bool view_flame_zoom_is_named(const struct flame *f, uint32_t box, const struct string_list *path, size_t i)
{
	size_t n;
	const char *name = string_list_get(path, i, &n);

	if (f->frame[box] == FLAME_NONE)
		return n == 1 && !*name;
	return strncmp(f->frames[f->frame[box]].name, name, n) == 0 && !f->frames[f->frame[box]].name[n];
}

/* The path of a tile. */
static void view_flame_zoom_find_path(const struct flame_model *m, uint32_t tile, struct string_list *out)
{
	const struct flame *f = m->f;
	uint32_t n = m->l.tile[tile].level, *box = mem_alloc(n, sizeof(*box));

	for (uint32_t i = n, at = m->l.tile[tile].box; i-- > 0; at = f->parent[at])
		box[i] = at;
	string_list_release(out);
	for (uint32_t i = 0; i < n; i++)
		view_flame_zoom_add_name(f, box[i], out);
	free(box);
}

/* Find the tile at the end of a path. If a name is not found, use the tile of the last name before it. */
static void find_tile(const struct flame_model *m, const struct string_list *path, uint32_t *out)
{
	*out = 0;
	for (size_t i = 0; i < path->n; i++) {
		uint32_t t = m->child[*out], end = m->child[*out + 1];

		while (t < end && !view_flame_zoom_is_named(m->f, m->l.tile[t].box, path, i))
			t++;
		if (t == end)
			break;
		*out = t;
	}
}

static void copy_path(struct string_list *to, const struct string_list *from, size_t n)
{
	struct string_list copy = { 0 };

	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *name = string_list_get(from, i, &len);

		buf_add(&copy.all, name, len);
		string_list_end(&copy);
	}
	string_list_release(to);
	*to = copy;
}

/* Does a path begin with another path? */
static bool path_begins(const struct string_list *path, const struct string_list *start)
{
	for (size_t i = 0; i < start->n; i++) {
		size_t n = 0, m;
		const char *a = i < path->n ? string_list_get(path, i, &n) : NULL, *b = string_list_get(start, i, &m);

		if (!a || n != m || memcmp(a, b, n) != 0)
			return false;
	}
	return true;
}

static bool view_flame_zoom_is_inside(const struct flame_model *m, uint32_t tile, uint32_t of)
{
	uint32_t box = m->l.tile[tile].box;

	for (uint32_t n = m->l.tile[tile].level; n > m->l.tile[of].level; n--)
		box = m->f->parent[box];
	return m->tile[box] == of;
}

/* Find zoom, selection and matches in the available models. */
static void update_tiles(struct pane *p)
{
	struct flame_state *st = p->state;
	bool in_part = st->part && path_begins(&st->zoom, &st->part_path);

	st->graph = in_part ? st->part->view_data : p->model->view_data;
	find_tile(st->graph, &st->zoom, &st->zoom_tile);
	find_tile(st->graph, &st->selected, &st->selected_tile);
	if (!view_flame_zoom_is_inside(st->graph, st->selected_tile, st->zoom_tile)) {
		st->selected_tile = st->zoom_tile;
		view_flame_zoom_find_path(st->graph, st->selected_tile, &st->selected);
	}
	assert(st->zoom_tile < st->graph->l.n && st->selected_tile < st->graph->l.n);
	st->is_followed = false;
	shell_flame_update_search(p);
}

/* Append the path to a tile as indexes, as flame_options takes them. */
static void view_flame_zoom_add_places(const struct flame_model *m, uint32_t tile, struct buf *out)
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
	const struct flame_model *m = st->graph;
	const struct flame *f = m->f;
	struct string_list path = { 0 };
	bool is_coarse = f->n_cut && f->min > 1 &&
			 (m->l.tile[st->zoom_tile].level < st->zoom.n ||
			  (double)f->min * p->area.width > (double)m->l.tile[st->zoom_tile].width);

	if (!is_coarse || st->zoom_tile == 0 || p->is_stale || (p->is_waiting && !st->is_requested) ||
	    settings_query(p->settings)->nodecount > 0)
		return;
	view_flame_zoom_find_path(m, st->zoom_tile, &path);
	if (path.n == st->requested.n && path_begins(&path, &st->requested)) {
		string_list_release(&path);
		return;
	}
	string_list_release(&st->requested);
	st->requested = path;
	st->is_requested = true;
	p->part.len = 0;
	view_flame_zoom_add_places(m, st->zoom_tile, &p->part);
	shell_refresh(s, p);
}

void shell_flame_set_part(struct shell *s, struct pane *p, struct model *m)
{
	struct flame_state *st = p->state;
	const struct flame_model *whole = p->model->view_data;
	struct flame_model *part = m->view_data;

	(void)s;
	flame_color_like(whole->f, &part->style, part->f, &part->l);
	model_free(st->part);
	st->part = m;
	copy_path(&st->part_path, &st->requested, st->requested.n);
	st->is_requested = false;
	update_tiles(p);
}

/* Reset paths when the graph is inverted. The selected function then has a box at the first level. */
static void invert_paths(struct flame_state *st)
{
	struct string_list at = { 0 };

	if (st->selected.n) {
		size_t n;
		const char *name = string_list_get(&st->selected, st->selected.n - 1, &n);

		buf_add(&at.all, name, n);
		string_list_end(&at);
	}
	string_list_release(&st->selected);
	st->selected = at;
	while (st->n_zoom_history)
		string_list_release(&st->zoom_history[--st->n_zoom_history]);
	string_list_release(&st->zoom);
	st->top = 0;
}

void shell_flame_model_changed(struct shell *s, struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *m = p->model->view_data;

	(void)s;
	model_free(st->part);
	st->part = NULL;
	st->graph = NULL;
	st->is_requested = false;
	string_list_release(&st->requested);
	if (m->style.icicle != st->was_icicle)
		st->is_flame = !m->style.icicle;
	st->was_icicle = m->style.icicle;
	if (m->f->inverted != st->was_inverted)
		invert_paths(st);
	st->was_inverted = m->f->inverted;
	update_tiles(p);
}

void shell_flame_select(struct pane *p, uint32_t tile)
{
	struct flame_state *st = p->state;

	assert(tile < st->graph->l.n);
	st->selected_tile = tile;
	st->is_followed = false;
	view_flame_zoom_find_path(st->graph, tile, &st->selected);
}

/* Push the zoom on the history. */
static void push_zoom(struct flame_state *st)
{
	assert(st->n_zoom_history <= ZOOM_HISTORY_MAX);
	if (st->n_zoom_history == ZOOM_HISTORY_MAX) {
		string_list_release(&st->zoom_history[0]);
		memmove(st->zoom_history, st->zoom_history + 1, --st->n_zoom_history * sizeof(*st->zoom_history));
	}
	st->zoom_history =
		mem_grow(st->zoom_history, &st->cap_zoom_history, st->n_zoom_history + 1, sizeof(*st->zoom_history));
	st->zoom_history[st->n_zoom_history++] = st->zoom;
	st->zoom = (struct string_list){ 0 };
}

void shell_flame_zoom(struct pane *p, uint32_t tile)
{
	struct flame_state *st = p->state;

	assert(tile < st->graph->l.n);
	push_zoom(st);
	view_flame_zoom_find_path(st->graph, tile, &st->zoom);
	st->top = 0;
	update_tiles(p);
}

void shell_flame_zoom_to(struct pane *p, size_t n_names)
{
	struct flame_state *st = p->state;

	if (n_names >= st->zoom.n)
		return;
	push_zoom(st);
	copy_path(&st->zoom, &st->zoom_history[st->n_zoom_history - 1], n_names);
	st->top = 0;
	update_tiles(p);
}

bool shell_flame_unzoom(struct pane *p)
{
	struct flame_state *st = p->state;

	if (st->n_zoom_history == 0 && st->zoom.n == 0)
		return false;
	string_list_release(&st->zoom);
	if (st->n_zoom_history)
		st->zoom = st->zoom_history[--st->n_zoom_history];
	st->top = 0;
	update_tiles(p);
	return true;
}

void shell_flame_whole(struct pane *p)
{
	struct flame_state *st = p->state;

	while (st->n_zoom_history)
		string_list_release(&st->zoom_history[--st->n_zoom_history]);
	string_list_release(&st->zoom);
	st->top = 0;
	update_tiles(p);
}

void shell_flame_release(struct pane *p)
{
	struct flame_state *st = p->state;

	while (st->n_zoom_history)
		string_list_release(&st->zoom_history[--st->n_zoom_history]);
	free(st->zoom_history);
	string_list_release(&st->zoom);
	string_list_release(&st->selected);
	string_list_release(&st->part_path);
	string_list_release(&st->requested);
	model_free(st->part);
	free(st->found.frame);
}
