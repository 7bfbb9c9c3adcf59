/*
 * tree.c - the Tree view: call paths as a tree that folds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/tree.h"

#include "base/columns.h"
#include "base/mem.h"
#include "base/unit.h"
#include "front/shell/views/headline.h"
#include "front/shell/widgets/name.h"
#include "front/shell/widgets/number.h"
#include "front/shell/quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing ---- */

/*
 * A row has one column of guides for each caller, then its own branch unless it is an only child,
 * then a mark that shows whether it is folded, and its name:
 *
 *   ├- main
 *   │- run            the only function that main calls
 *   │ ├+ read
 *   │ └  write
 *   └+ init
 */
enum { STEP = 2, MARKS = 3, SHARE_MAX = 7, BAR_WIDTH = 7, NAME_MIN = 24, SHIFT_STEP = 8 };
enum { GUIDE = 0x2502, BRANCH = 0x251c, LAST_BRANCH = 0x2514 };

enum tree_column_kind { VALUE, SHARE, BAR, GROWTH };

struct tree_column {
	enum tree_by by;
	enum tree_column_kind kind;
	int since; /* minimum width of the view in which the column is shown */
	const char *title;
};

static const struct tree_column plain[] = {
	{ TREE_CUM, VALUE, 52, "cum" },   { TREE_CUM, SHARE, 0, "cum%" },     { TREE_CUM, BAR, 76, "" },
	{ TREE_FLAT, VALUE, 60, "flat" }, { TREE_FLAT, SHARE, 100, "flat%" },
};

/* Inverted, a row shows the part of the first function's flat that was reached on this path. */
static const struct tree_column upside[] = {
	{ TREE_CUM, VALUE, 52, "flat" },
	{ TREE_CUM, SHARE, 0, "flat%" },
	{ TREE_CUM, BAR, 76, "" },
};

static const struct tree_column sides[] = {
	{ TREE_BEFORE, VALUE, 72, "before" },
	{ TREE_AFTER, VALUE, 72, "after" },
	{ TREE_CHANGE, VALUE, 0, "change" },
	{ TREE_CHANGE, GROWTH, 40, "change%" },
	{ TREE_FLAT_CHANGE, VALUE, 110, "flat change" },
};

enum {
	N_PLAIN = sizeof(plain) / sizeof(plain[0]),
	N_UPSIDE = sizeof(upside) / sizeof(upside[0]),
	N_SIDES_SHOWN = sizeof(sides) / sizeof(sides[0])
};

static const struct tree_column *view_tree_columns_of(const struct tree *t, size_t *n)
{
	*n = t->two_sides ? N_SIDES_SHOWN - t->inverted : t->inverted ? N_UPSIDE : N_PLAIN;
	return t->two_sides ? sides : t->inverted ? upside : plain;
}

static bool is_difference(const struct tree_column *c)
{
	return c->by == TREE_CHANGE || c->by == TREE_FLAT_CHANGE;
}

/* The width of a column with a blank before it; 0 when the view is too narrow for it. */
static int view_tree_column_width(const struct tree *t, const struct tree_column *c, int width)
{
	int title = (int)strlen(c->title) + 1, value = t->value_width + (t->two_sides ? is_difference(c) : 1);

	if (width < c->since)
		return 0;
	if (c->kind == BAR)
		return BAR_WIDTH;
	if (c->kind != VALUE)
		value = SHARE_MAX;
	else
		title++; /* the sort mark */
	return title > value + 1 ? title : value + 1;
}

/* Find the columns that can be sorted, from left to right. Return their number, at least one. */
static size_t view_tree_columns_for(const struct tree *t, enum tree_by out[N_TREE_BYS])
{
	size_t n, found = 0;
	const struct tree_column *c = view_tree_columns_of(t, &n);

	for (size_t i = 0; i < n; i++)
		if (found == 0 || out[found - 1] != c[i].by)
			out[found++] = c[i].by;
	out[found++] = TREE_NAME;
	return found;
}

/* The lines above the rows. */
static int view_tree_lines_above(int height)
{
	return height >= 3;
}

static int lines_below(int height)
{
	return height >= 5;
}

static void add_growth(const struct tree *t, uint32_t box, struct buf *out)
{
	int64_t before = tree_value(t, box, TREE_BEFORE), after = tree_value(t, box, TREE_AFTER);
	double percent;

	if (before == after)
		return;
	if (before == 0 || after == 0) {
		buf_addz(out, before ? "gone" : "new");
		return;
	}
	percent = ((double)after - (double)before) / (double)before * 100;
	buf_addf(out,
		 fabs(percent) < 9.995    ? "%+.2f%%"
		 : fabs(percent) < 999.95 ? "%+.1f%%"
		 : fabs(percent) < 99999  ? "%+.0f%%"
					  : "%+.0e%%",
		 percent);
}

static void view_tree_add_cell(const struct tree *t, const struct tree_column *c, uint32_t box, struct buf *out)
{
	int64_t value = tree_value(t, box, c->by);

	if (c->kind == GROWTH) {
		add_growth(t, box, out);
	} else if (c->kind == SHARE) {
		size_t from = out->len;

		buf_addz(out, value < 0 ? "-" : "");
		unit_add_percent_trimmed(out, value, t->head->total);
		/* a long percentage such as 5.9e-05% must not touch the column before it */
		if (out->len - from > SHARE_MAX) {
			out->len = from;
			buf_addz(out, "~0%");
		}
	} else {
		buf_addz(out, is_difference(c) && value > 0 ? "+" : "");
		shell_number_add_brief(t->head, value, out);
	}
}

static struct style view_tree_style_of(const struct tree *t, const struct tree_column *c, uint32_t box)
{
	int64_t value = tree_value(t, box, c->kind == GROWTH ? TREE_CHANGE : c->by);

	if (t->f->n_rest[box])
		return theme_style(ROLE_MUTED);
	if (t->two_sides && is_difference(c))
		return theme_style(value > 0 ? ROLE_GREW : value < 0 ? ROLE_SHRANK : ROLE_MUTED);
	if (t->two_sides)
		return theme_style(ROLE_PLAIN);
	return value ? theme_heat(unit_percent(value, t->head->total)) : theme_style(ROLE_MUTED);
}

static void view_tree_draw_head(const struct tree *t, const struct tree_state *s, struct grid *g, struct area a)
{
	enum tree_by by = tree_sorted_by(t, s);
	size_t n;
	const struct tree_column *c = view_tree_columns_of(t, &n);
	bool marked = false;
	int x = 0;

	grid_fill(g, a, ' ', theme_style(ROLE_HEADING));
	for (size_t i = 0; i < n; i++) {
		bool here = c[i].by == by && !marked;
		int width = view_tree_column_width(t, &c[i], a.width);
		struct buf title = { 0 };

		if (!width)
			continue;
		marked |= here;
		buf_addf(&title, "%s%s", c[i].title, here ? "\xe2\x96\xbc" : "");
		x += width;
		grid_text_right(g, a, x, 0, buf_text(&title), theme_style(here ? ROLE_HEADING_SORTED : ROLE_HEADING));
		buf_release(&title);
	}
	x = grid_text(g, a, x + 2, 0, "function", theme_style(by == TREE_NAME ? ROLE_HEADING_SORTED : ROLE_HEADING));
	x = grid_text(g, a, x, 0, by == TREE_NAME ? "\xe2\x96\xbc" : "", theme_style(ROLE_HEADING_SORTED));
	grid_text(g, a, x, 0, t->inverted ? ", callers below it" : ", callees below it", theme_style(ROLE_HEADING));
}

/* The column whose heading is at x. The name is right of all other columns. */
static bool heading_at(const struct tree *t, int width, int x, enum tree_by *out)
{
	size_t n;
	const struct tree_column *c = view_tree_columns_of(t, &n);
	int end = 0;

	for (size_t i = 0; i < n; i++) {
		end += view_tree_column_width(t, &c[i], width);
		if (x < end) {
			*out = c[i].by;
			return true;
		}
	}
	*out = TREE_NAME;
	return true;
}

/* The start of names. */
static int view_tree_names_at(const struct tree *t, int width)
{
	size_t n;
	const struct tree_column *c = view_tree_columns_of(t, &n);
	int x = 0;

	for (size_t i = 0; i < n; i++)
		x += view_tree_column_width(t, &c[i], width);
	return x + 1;
}

static void view_tree_add_name(const struct tree *t, uint32_t box, struct buf *out)
{
	if (t->f->n_rest[box])
		buf_addf(out, "(%s smaller)", shell_number_count(t->f->n_rest[box]).text);
	else
		buf_addz(out, tree_name(t, box));
}

/* The columns of a name that should be visible. */
static int min_name_width(int room)
{
	return room * 2 / 3 < NAME_MIN ? room * 2 / 3 : NAME_MIN;
}

/* The columns per level: one if the deepest row would otherwise have no room for its name. */
static int step_for(const struct tree_state *s, int room)
{
	return (int64_t)s->deepest * STEP + MARKS + min_name_width(room) > room ? 1 : STEP;
}

/* The columns by which names are shifted to the left, so that those of the visible rows can be read. */
static int shift_for(const struct tree *t, const struct tree_state *s, int rows, int room)
{
	int64_t need = 0, max = (int64_t)s->deepest * s->level_width, seen = min_name_width(room);

	for (uint32_t i = s->list.top; i < s->list.n && i < s->list.top + (uint32_t)rows; i++) {
		int64_t name = (int64_t)column_count(tree_name(t, s->row[i].box));
		int64_t end = (int64_t)s->row[i].level * s->level_width + MARKS + (name < seen ? name : seen);

		need = end - room > need ? end - room : need;
	}
	need = (need + SHIFT_STEP - 1) / SHIFT_STEP * SHIFT_STEP;
	return (int)(need < max ? need : max);
}

/* The start of the marks of a row. */
static int marks_at(const struct tree_state *s, const struct tree_row *row)
{
	int64_t x = (int64_t)row->level * s->level_width - s->shift;

	return s->names_x + (x > 0 ? (int)(x < INT16_MAX ? x : INT16_MAX) : 0);
}

/* The column of a row's fold mark, as drawn. */
static int mark_column(const struct tree_state *s, const struct tree_row *row)
{
	return marks_at(s, row) + 1;
}

/* Draw the branch of a row, and a line down from each caller that has another child further down. */
static void draw_guides(const struct tree *t, const struct tree_state *s, const struct tree_row *row, struct grid *g,
			struct area line, struct style style)
{
	int64_t level = row->level;

	for (uint32_t box = row->box; level >= 0 && box != TREE_ROOT; box = t->f->parent[box]) {
		int64_t x = level * s->level_width - s->shift;
		bool has_more = s->index[box] + 1 < t->first[t->f->parent[box] + 1];
		uint32_t ch = has_more ? GUIDE : ' ';

		if (tree_is_chain(t, box))
			continue;
		level--;
		/* in ASCII both branches would be + */
		if (box == row->box)
			ch = has_more ? BRANCH : g->is_ascii ? '`' : LAST_BRANCH;
		if (x >= 0 && s->names_x + x < line.width)
			grid_fill(g, (struct area){ line.x + s->names_x + (int)x, line.y, 1, 1 }, ch, style);
	}
}

static void view_tree_draw_name(const struct tree *t, const struct tree_state *s, const struct tree_row *row,
				struct grid *g, struct area line, bool selected)
{
	bool rest = t->f->n_rest[row->box], hit = !rest && s->hit && s->hit[t->f->frame[row->box]];
	struct style style = theme_style(rest  ? ROLE_MUTED
					 : hit ? ROLE_MATCH
					       : ROLE_PLAIN),
		     quiet = theme_style(ROLE_MUTED);
	const char *mark = !tree_n_children(t, row->box) ? " " : s->is_open[row->box] ? "-" : "+";
	int x = marks_at(s, row);
	struct buf name = { 0 };

	if (selected) {
		style = theme_selected(style);
		quiet = theme_selected(quiet);
	}
	draw_guides(t, s, row, g, line, quiet);
	grid_text(g, line, x + 1, 0, mark, selected ? theme_selected(theme_style(ROLE_KEY)) : theme_style(ROLE_KEY));
	view_tree_add_name(t, row->box, &name);
	shell_name_draw(g, line, x + MARKS, 0, buf_text(&name), t->f->inlined[row->box] ? "(inline)" : "",
			line.width - x - MARKS, style, quiet);
	buf_release(&name);
}

static void view_tree_draw_row(const struct tree *t, const struct tree_state *s, uint32_t i, struct grid *g,
			       struct area line)
{
	const struct tree_row *row = &s->row[i];
	bool selected = i == s->list.selected;
	size_t n;
	const struct tree_column *c = view_tree_columns_of(t, &n);
	int x = 0;

	if (selected)
		grid_fill(g, line, ' ', theme_selected(theme_style(ROLE_PLAIN)));
	for (size_t k = 0; k < n; k++) {
		struct style style = view_tree_style_of(t, &c[k], row->box);
		int width = view_tree_column_width(t, &c[k], line.width + 1);
		struct buf text = { 0 };

		if (!width)
			continue;
		style = selected ? theme_selected(style) : style;
		if (c[k].kind == BAR) {
			grid_bar(g, line, x + 1, 0, width - 1,
				 unit_percent(tree_value(t, row->box, c[k].by), t->head->total) / 100, style);
		} else {
			view_tree_add_cell(t, &c[k], row->box, &text);
			grid_text_right(g, line, x + width, 0, buf_text(&text), style);
		}
		buf_release(&text);
		x += width;
	}
	view_tree_draw_name(t, s, row, g, line, selected);
}

/* Draw the path to the selected box, always including its last name. */
static void view_tree_draw_path(const struct tree *t, const struct tree_state *s, struct grid *g, struct area line)
{
	enum { PARTS_MAX = 16 };
	uint32_t part[PARTS_MAX], box = tree_selected(s);
	int n = 0, room = line.width - 1, x;
	struct buf name = { 0 };

	grid_fill(g, line, ' ', theme_style(ROLE_MUTED));
	for (; box != TREE_ROOT && n < PARTS_MAX && room > 0; box = t->f->parent[box]) {
		name.len = 0;
		view_tree_add_name(t, box, &name);
		room -= (int)column_count(buf_text(&name)) + 3;
		if (room < 2 && n > 0)
			break;
		part[n++] = box;
	}
	x = grid_text(g, line, 1, 0, box != TREE_ROOT ? "\xe2\x80\xa6 " : "", theme_style(ROLE_MUTED));
	for (int i = n; i-- > 0;) {
		name.len = 0;
		view_tree_add_name(t, part[i], &name);
		x = shell_name_draw(g, line, x, 0, buf_text(&name), t->f->inlined[part[i]] ? "(inline)" : "",
				    line.width - x, theme_style(i ? ROLE_MUTED : ROLE_PLAIN), theme_style(ROLE_MUTED));
		x = grid_text(g, line, x, 0, i ? " \xe2\x80\xba " : "", theme_style(ROLE_MUTED));
	}
	buf_release(&name);
}

static void view_tree_draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct tree *t = p->model->view_data;
	struct tree_state *s = p->state;
	int above = view_tree_lines_above(a.height), below = lines_below(a.height);
	struct area rows = { a.x, a.y + above, a.width - 1, a.height - above - below };

	if (t->f->n < 2) {
		grid_text(g, a, 2, a.height / 2, headline_no_rows(sh, t->head), theme_style(ROLE_PLAIN));
		return;
	}
	if (above)
		view_tree_draw_head(t, s, g, (struct area){ a.x, a.y, a.width, 1 });
	shell_list_fit(&s->list, s->list.n, rows.height);
	s->names_x = view_tree_names_at(t, a.width);
	s->level_width = step_for(s, rows.width - s->names_x);
	s->shift = shift_for(t, s, rows.height, rows.width - s->names_x);
	for (int y = 0; y < rows.height && s->list.top + (uint32_t)y < s->list.n; y++)
		view_tree_draw_row(t, s, s->list.top + (uint32_t)y, g, (struct area){ a.x, rows.y + y, rows.width, 1 });
	shell_list_draw_bar(&s->list, g, (struct area){ a.x, rows.y, a.width, rows.height }, theme_style(ROLE_PLAIN));
	if (below)
		view_tree_draw_path(t, s, g, (struct area){ a.x, rows.y + rows.height, a.width, 1 });
}

/* ---- keys ---- */

enum { UNFOLD_MAX = 5000 };

static const struct tree *view_tree_of(const struct pane *p)
{
	return p->model->view_data;
}

static void view_tree_model_changed(struct shell *s, struct pane *p)
{
	(void)s;
	tree_set_model(view_tree_of(p), p->state);
	tree_update_search(view_tree_of(p), p->state, p->search);
}

static bool view_tree_move(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

static bool view_tree_toggle(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = view_tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)e;
	if (box != TREE_ROOT && t->f->n_rest[box])
		shell_notify(s, false, "each of these is below %.2g %% of the total; A shows them", 0.05);
	else if (box != TREE_ROOT)
		tree_fold(t, state, box, !state->is_open[box]);
	return true;
}

static bool unfold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = view_tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)s;
	if (box == TREE_ROOT || !tree_n_children(t, box))
		return true;
	if (!state->is_open[box])
		tree_fold(t, state, box, true);
	else if (e->key != '+')
		tree_show(t, state, state->child[t->first[box]]);
	return true;
}

static bool view_tree_fold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = view_tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)s;
	if (box == TREE_ROOT)
		return true;
	if (state->is_open[box])
		tree_fold(t, state, box, false);
	else if (e->key != '-' && t->f->parent[box] != TREE_ROOT)
		tree_show(t, state, t->f->parent[box]);
	return true;
}

static bool unfold_below(struct shell *s, struct pane *p, const struct event *e)
{
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)e;
	if (box != TREE_ROOT && !tree_unfold_below(view_tree_of(p), state, box, UNFOLD_MAX))
		shell_notify(s, false, "unfolded %d rows; E further down unfolds more", UNFOLD_MAX);
	return true;
}

static bool view_tree_fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	tree_fold_all(view_tree_of(p), p->state);
	return true;
}

static bool view_tree_invert(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	shell_run_linef(s, "inverted=%s", view_tree_of(p)->inverted ? "false" : "true");
	return true;
}

static void view_tree_sort_by(struct pane *p, enum tree_by by)
{
	struct tree_state *state = p->state;

	state->sort_by[view_tree_of(p)->two_sides] = by;
	tree_sort(view_tree_of(p), state);
}

/* Sort by the next or previous column. */
static bool sort_next(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = view_tree_of(p);
	enum tree_by by[N_TREE_BYS];
	size_t n = view_tree_columns_for(t, by), i = 0;

	(void)s;
	while (i + 1 < n && by[i] != tree_sorted_by(t, p->state))
		i++;
	view_tree_sort_by(p, by[(i + (e->key == '<' ? n - 1 : 1)) % n]);
	return true;
}

static bool notify_hits(struct shell *s, const struct tree_state *state)
{
	if (!state->hit)
		shell_notify(s, false, "press / to search");
	else if (!state->n_hits)
		shell_notify(s, false, "no match");
	else
		shell_notify(s, false, "%s match%s; n N next and previous", shell_number_count(state->n_hits).text,
			     state->n_hits == 1 ? "" : "es");
	return true;
}

static bool search_next(struct shell *s, struct pane *p, const struct event *e)
{
	tree_search_next(view_tree_of(p), p->state, e->key == 'N');
	return notify_hits(s, p->state);
}

static void view_tree_search(struct shell *s, struct pane *p, const char *text)
{
	if (s->overlay)
		tree_search(view_tree_of(p), p->state, text);
	else
		tree_update_search(view_tree_of(p), p->state, text);
	if (*text)
		notify_hits(s, p->state);
}

static bool show_text(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_run_line(s, "tree | less", true);
	return true;
}

/* A click on a mark folds; on a heading it sorts. */
static bool view_tree_click(struct shell *s, struct pane *p, const struct event *e)
{
	struct tree_state *state = p->state;
	int above = view_tree_lines_above(p->area.height);
	enum tree_by by;
	uint32_t row;

	if (e->y < above && e->kind == EVENT_CLICK && heading_at(view_tree_of(p), p->area.width, e->x, &by)) {
		view_tree_sort_by(p, by);
		return true;
	}
	if (e->y < above || !shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_select(&state->list, row);
	if (e->kind == EVENT_DOUBLE || e->x == mark_column(state, &state->row[row]))
		view_tree_toggle(s, p, e);
	return true;
}

static bool view_tree_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return view_tree_click(s, p, e);
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

/* Set a filter to a frame that is a label, made by tagroot or tagleaf. Filters of functions do not match these. */
static bool view_tree_with_label(struct shell *s, struct pane *p, const char *option)
{
	const struct tree *t = view_tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *name = tree_name(t, box), *value = strstr(name, ": ");
	struct buf text = { 0 };
	char *key;

	if (!*name || !value || !t->f->frames[t->f->frame[box]].is_label)
		return false;
	key = mem_strndup(name, (size_t)(value - name));
	value += 2;
	if (strcmp(value, "(none)") != 0 && shell_label_add_text(key, value, strlen(value), &text))
		shell_run_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_notify(s, false, "%s cannot select samples without a label", option);
	free(key);
	buf_release(&text);
	return true;
}

static bool view_tree_filter_label(struct shell *s, struct pane *p, const struct event *e)
{
	return view_tree_with_label(s, p, e->key == 'f' ? "tagfocus" : "tagignore");
}

static void view_tree_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct tree *t = view_tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *function = *tree_name(t, box) ? t->f->frames[t->f->frame[box]].function : "";

	(void)s;
	if (*function)
		shell_quote(function, out);
}

static void view_tree_release_state(struct pane *p)
{
	tree_release(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, .act = view_tree_move },
	{ "Enter Space", "unfold or fold", "unfold", NULL, .act = view_tree_toggle },
	{ "Right l +", "unfold; again: go to the first row below", NULL, NULL, .act = unfold },
	{ "Left h -", "fold; again: go to the caller", NULL, NULL, .act = view_tree_fold },
	{ "E", "unfold all below", "all below", NULL, .act = unfold_below },
	{ "C", "fold all", NULL, NULL, .act = view_tree_fold_all },
	{ "i", "invert: functions first, with their callers below", "invert", "inverted=true",
	  .act = view_tree_invert },
	{ "S < >", "sort by another column", "sort", NULL, .act = sort_next },
	{ "n N", "next and previous match, unfolding the path to it", NULL, NULL, .act = search_next },
	{ "f", "keep samples with the selected function or label", NULL, "focus=NAME", .act = view_tree_filter_label },
	{ "x", "drop samples with the selected function or label", NULL, "ignore=NAME", .act = view_tree_filter_label },
	{ "T", "pprof's tree: each function with its callers and callees", NULL, "tree | less", .act = show_text },
};

const struct pane_class shell_view_tree = {
	.title = "Tree",
	.help = "Call paths: a row is a function on one path, from the outermost caller down, and unfolds to its "
		"callees there. cum is the cost of the function and its callees on this path, flat its own; a "
		"function has a row for each path to it. The tree of pprof (T) is another report: one entry per "
		"function with all its callers and callees, but no paths. + can be unfolded, - folded. Calls of "
		"one row branch off a line (\xe2\x94\x9c \xe2\x94\x94); a row without a branch is the only callee of "
		"the row above it. "
		"The path with the largest values is open at first; the lowest line shows the path to the selected "
		"row. Inverted (i), "
		"the first rows are functions by flat, and below each are its callers with their part of it. Rows "
		"below 0.05 % of the total are combined (\"3 smaller\"); A shows them. In a comparison, change is "
		"after minus before. Colour marks 5 % of the total or more, bold 20 %.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct tree_state),
	.defaults_of = "flame",
	.make = tree_make,
	.model_changed = view_tree_model_changed,
	.draw = view_tree_draw,
	.mouse = view_tree_mouse,
	.add_selection = view_tree_add_selection,
	.search = view_tree_search,
	.release = view_tree_release_state,
};
