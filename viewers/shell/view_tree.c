/*
 * view_tree.c - the view Tree: who calls whom, as a tree that folds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_tree.h"

#include "base/mem.h"
#include "base/unit.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/headline.h"
#include "viewers/shell/quote.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing ---- */

enum { STEP = 2, MARKS = 3, SHARE_MOST = 7, NAME_SEEN = 24, SHIFT_STEP = 8, LINK = 0x2514, GUIDE = 0x2502 };

enum column_kind { VALUE, SHARE, BAR, GROWTH };

struct tree_column {
	enum tree_by by;
	enum column_kind kind;
	int width, since; /* shown from this width of the view on */
	const char *title;
};

static const struct tree_column plain[] = {
	{ TREE_TOTAL, VALUE, 10, 52, "Total" }, { TREE_TOTAL, SHARE, 8, 0, "Total%" }, { TREE_TOTAL, BAR, 7, 76, "" },
	{ TREE_SELF, VALUE, 10, 60, "Self" },   { TREE_SELF, SHARE, 8, 100, "Self%" },
};

/* From the other end a row has the part of the first function's own weight that came this way. */
static const struct tree_column upside[] = {
	{ TREE_TOTAL, VALUE, 10, 52, "Weight" },
	{ TREE_TOTAL, SHARE, 9, 0, "Weight%" },
	{ TREE_TOTAL, BAR, 7, 76, "" },
};

static const struct tree_column sides[] = {
	{ TREE_BEFORE, VALUE, 10, 72, "Before" },
	{ TREE_AFTER, VALUE, 10, 72, "After" },
	{ TREE_CHANGE, VALUE, 11, 0, "Change" },
	{ TREE_CHANGE, GROWTH, 9, 40, "Change%" },
	{ TREE_SELF_CHANGE, VALUE, 12, 110, "Self change" },
};

enum {
	N_PLAIN = sizeof(plain) / sizeof(plain[0]),
	N_UPSIDE = sizeof(upside) / sizeof(upside[0]),
	N_SIDES_SHOWN = sizeof(sides) / sizeof(sides[0])
};

static const struct tree_column *columns_of(const struct tree *t, size_t *n)
{
	*n = t->two_sides ? N_SIDES_SHOWN - t->inverted : t->inverted ? N_UPSIDE : N_PLAIN;
	return t->two_sides ? sides : t->inverted ? upside : plain;
}

/* Find the columns to sort by, from left to right; gives how many, at least one. */
static size_t columns_for(const struct tree *t, enum tree_by out[N_TREE_BYS])
{
	size_t n, found = 0;
	const struct tree_column *c = columns_of(t, &n);

	for (size_t i = 0; i < n; i++)
		if (found == 0 || out[found - 1] != c[i].by)
			out[found++] = c[i].by;
	out[found++] = TREE_NAME;
	return found;
}

/* The lines above the rows. */
static int lines_above(int height)
{
	return height >= 3;
}

static int lines_below(int height)
{
	return height >= 5;
}

static bool is_difference(const struct tree_column *c)
{
	return c->by == TREE_CHANGE || c->by == TREE_SELF_CHANGE;
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
	buf_addf(out, fabs(percent) < 9.995 ? "%+.2f%%" : fabs(percent) < 1e5 ? "%+.1f%%" : "%+.0e%%", percent);
}

static void add_cell(const struct tree *t, const struct tree_column *c, uint32_t box, struct buf *out)
{
	int64_t value = tree_value(t, box, c->by);

	if (c->kind == GROWTH) {
		add_growth(t, box, out);
	} else if (c->kind == SHARE) {
		size_t from = out->len;

		buf_addz(out, value < 0 ? "-" : "");
		unit_add_percent_tight(out, value, t->head->total);
		if (out->len - from > SHARE_MOST) { /* 5.9e-05%, which would touch the column before it */
			out->len = from;
			buf_addz(out, "~0%");
		}
	} else {
		buf_addz(out, is_difference(c) && value > 0 ? "+" : "");
		report_add_value(t->head, value, out);
	}
}

static struct look look_of(const struct tree *t, const struct tree_column *c, uint32_t box)
{
	int64_t value = tree_value(t, box, c->kind == GROWTH ? TREE_CHANGE : c->by);

	if (t->f->n_rest[box])
		return theme_look(LOOK_QUIET);
	if (t->two_sides && is_difference(c))
		return theme_look(value > 0 ? LOOK_GREW : value < 0 ? LOOK_SHRANK : LOOK_QUIET);
	if (t->two_sides)
		return theme_look(LOOK_PLAIN);
	return value ? theme_heat(unit_percent(value, t->head->total)) : theme_look(LOOK_QUIET);
}

static void draw_head(const struct tree *t, const struct tree_state *s, struct grid *g, struct area a)
{
	enum tree_by by = tree_sorted_by(t, s);
	size_t n;
	const struct tree_column *c = columns_of(t, &n);
	bool marked = false;
	int x = 0;

	grid_fill(g, a, ' ', theme_look(LOOK_HEAD));
	for (size_t i = 0; i < n; i++) {
		bool here = c[i].by == by && !marked;
		struct buf title = { 0 };

		if (a.width < c[i].since)
			continue;
		marked |= here;
		buf_addf(&title, "%s%s", c[i].title, here ? "\xe2\x96\xbc" : "");
		x += c[i].width;
		grid_text_right(g, a, x, 0, buf_text(&title), theme_look(here ? LOOK_HEAD_HERE : LOOK_HEAD));
		buf_release(&title);
	}
	x = grid_text(g, a, x + 2, 0, "Function", theme_look(by == TREE_NAME ? LOOK_HEAD_HERE : LOOK_HEAD));
	x = grid_text(g, a, x, 0, by == TREE_NAME ? "\xe2\x96\xbc" : "", theme_look(LOOK_HEAD_HERE));
	grid_text(g, a, x, 0, t->inverted ? ", below it its callers" : ", below it what it calls",
		  theme_look(LOOK_HEAD));
}

/* The heading that lies at a column of the first line; false when none that rows can be sorted by does. */
static bool heading_at(const struct tree *t, int width, int x, enum tree_by *out)
{
	size_t n;
	const struct tree_column *c = columns_of(t, &n);
	int end = 0;

	for (size_t i = 0; i < n; i++) {
		end += width >= c[i].since ? c[i].width : 0;
		if (x < end) {
			*out = c[i].by;
			return true;
		}
	}
	*out = TREE_NAME;
	return true;
}

/* Where names begin. */
static int names_at(const struct tree *t, int width)
{
	size_t n;
	const struct tree_column *c = columns_of(t, &n);
	int x = 0;

	for (size_t i = 0; i < n; i++)
		x += width >= c[i].since ? c[i].width : 0;
	return x + 1;
}

static void add_name(const struct tree *t, uint32_t box, struct buf *out)
{
	if (t->f->n_rest[box])
		buf_addf(out, "(%" PRIu32 " smaller)", t->f->n_rest[box]);
	else
		buf_addf(out, "%s%s", tree_name(t, box), t->f->inlined[box] ? " (inline)" : "");
}

/* The columns that all names are shifted to the left, so that the selected one is in sight. */
static int shift_for(const struct tree *t, const struct tree_state *s, int room)
{
	const struct tree_row *row = s->list.n ? &s->row[s->list.at] : NULL;
	int64_t name, need;

	if (!row)
		return 0;
	name = (int64_t)flame_columns(tree_name(t, row->box));
	need = (int64_t)row->level * STEP + MARKS + (name < NAME_SEEN ? name : NAME_SEEN) - room;
	need = need > 0 ? (need + SHIFT_STEP - 1) / SHIFT_STEP * SHIFT_STEP : 0;
	return (int)(need < (int64_t)row->level * STEP ? need : (int64_t)row->level * STEP);
}

/* The column of the marks of a row. */
static int marks_at(const struct tree_state *s, const struct tree_row *row)
{
	int64_t x = (int64_t)row->level * STEP - s->shift;

	return s->names + (x > 0 ? (int)(x < INT16_MAX ? x : INT16_MAX) : 0);
}

/* The column of the mark that shows whether a row is folded, as drawn. */
static int mark_column(const struct tree_state *s, const struct tree_row *row)
{
	return marks_at(s, row) + 1;
}

/* A line down from each box on the way that has another child further down. */
static void draw_guides(const struct tree *t, const struct tree_state *s, const struct tree_row *row, struct grid *g,
			struct area line, struct look look)
{
	int64_t level = row->level;

	for (uint32_t box = row->box; level > 0 && box != TREE_ROOT; box = t->f->parent[box]) {
		int64_t x = (level - 1) * STEP + 1 - s->shift;

		if (tree_is_chain(t, box))
			continue;
		if (x < 0)
			return;
		level--;
		if (s->at[box] + 1 < t->first[t->f->parent[box] + 1] && s->names + x < line.width)
			grid_fill(g, (struct area){ line.x + s->names + (int)x, line.y, 1, 1 }, GUIDE, look);
	}
}

static void draw_name(const struct tree *t, const struct tree_state *s, const struct tree_row *row, struct grid *g,
		      struct area line, bool selected)
{
	bool rest = t->f->n_rest[row->box], hit = !rest && s->hit && s->hit[t->f->frame[row->box]];
	struct look look = theme_look(rest  ? LOOK_QUIET
				      : hit ? LOOK_MATCH
					    : LOOK_PLAIN),
		    quiet = theme_look(LOOK_QUIET);
	const char *mark = !tree_n_children(t, row->box) ? " " : s->is_open[row->box] ? "-" : "+";
	int x = marks_at(s, row);
	struct buf name = { 0 };

	if (selected) {
		look = theme_selected(look);
		quiet = theme_selected(quiet);
	}
	draw_guides(t, s, row, g, line, quiet);
	if (tree_is_chain(t, row->box))
		grid_text(g, line, x, 0, g->ascii ? "`" : "\xe2\x94\x94", quiet);
	grid_text(g, line, x + 1, 0, mark, selected ? theme_selected(theme_look(LOOK_KEY)) : theme_look(LOOK_KEY));
	add_name(t, row->box, &name);
	grid_text_short(g, line, x + MARKS, 0, buf_text(&name), line.width - x - MARKS, look);
	buf_release(&name);
}

static void draw_row(const struct tree *t, const struct tree_state *s, uint32_t i, struct grid *g, struct area line)
{
	const struct tree_row *row = &s->row[i];
	bool selected = i == s->list.at;
	size_t n;
	const struct tree_column *c = columns_of(t, &n);
	int x = 0;

	if (selected)
		grid_fill(g, line, ' ', theme_selected(theme_look(LOOK_PLAIN)));
	for (size_t k = 0; k < n; k++) {
		struct look look = look_of(t, &c[k], row->box);
		struct buf text = { 0 };

		if (line.width < c[k].since)
			continue;
		look = selected ? theme_selected(look) : look;
		if (c[k].kind == BAR) {
			grid_bar(g, line, x + 1, 0, c[k].width - 1,
				 unit_percent(tree_value(t, row->box, c[k].by), t->head->total) / 100, look);
		} else {
			add_cell(t, &c[k], row->box, &text);
			grid_text_right(g, line, x + c[k].width, 0, buf_text(&text), look);
		}
		buf_release(&text);
		x += c[k].width;
	}
	draw_name(t, s, row, g, line, selected);
}

/* The way to the selected box, its end in any case. */
static void draw_way(const struct tree *t, const struct tree_state *s, struct grid *g, struct area line)
{
	enum { PARTS_MAX = 16 };
	uint32_t part[PARTS_MAX], box = tree_selected(s);
	int n = 0, room = line.width - 1, x;
	struct buf name = { 0 };

	grid_fill(g, line, ' ', theme_look(LOOK_QUIET));
	for (; box != TREE_ROOT && n < PARTS_MAX && room > 0; box = t->f->parent[box]) {
		name.len = 0;
		add_name(t, box, &name);
		room -= (int)flame_columns(buf_text(&name)) + 3;
		if (room < 2 && n > 0)
			break;
		part[n++] = box;
	}
	x = grid_text(g, line, 1, 0, box != TREE_ROOT ? "\xe2\x80\xa6 " : "", theme_look(LOOK_QUIET));
	for (int i = n; i-- > 0;) {
		name.len = 0;
		add_name(t, part[i], &name);
		x = grid_text_short(g, line, x, 0, buf_text(&name), line.width - x,
				    theme_look(i ? LOOK_QUIET : LOOK_PLAIN));
		x = grid_text(g, line, x, 0, i ? " \xe2\x80\xba " : "", theme_look(LOOK_QUIET));
	}
	buf_release(&name);
}

static void draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct tree *t = p->model->own;
	struct tree_state *s = p->state;
	int above = lines_above(a.height), below = lines_below(a.height);
	struct area rows = { a.x, a.y + above, a.width - 1, a.height - above - below };

	if (t->f->n < 2) {
		grid_text(g, a, 2, a.height / 2, headline_none(sh, t->head), theme_look(LOOK_PLAIN));
		return;
	}
	if (above)
		draw_head(t, s, g, (struct area){ a.x, a.y, a.width, 1 });
	shell_list_fit(&s->list, s->list.n, rows.height);
	s->names = names_at(t, a.width);
	s->shift = shift_for(t, s, rows.width - s->names);
	for (int y = 0; y < rows.height && s->list.top + (uint32_t)y < s->list.n; y++)
		draw_row(t, s, s->list.top + (uint32_t)y, g, (struct area){ a.x, rows.y + y, rows.width, 1 });
	shell_list_draw_bar(&s->list, g, (struct area){ a.x, rows.y, a.width, rows.height }, theme_look(LOOK_PLAIN));
	if (below)
		draw_way(t, s, g, (struct area){ a.x, rows.y + rows.height, a.width, 1 });
}

/* ---- keys ---- */

enum { UNFOLD_MOST = 5000 };

static const struct tree *tree_of(const struct pane *p)
{
	return p->model->own;
}

static void shown(struct shell *s, struct pane *p)
{
	(void)s;
	tree_follow(tree_of(p), p->state);
	tree_search_again(tree_of(p), p->state, p->search);
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

static bool toggle(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	struct tree_state *state = p->state;
	uint32_t box = tree_selected(state);

	(void)e;
	if (box != TREE_ROOT && t->f->n_rest[box])
		shell_say(s, false, "these are below %.2g %% of all each; A shows them, trim=false at the prompt",
			  0.05);
	else if (box != TREE_ROOT)
		tree_fold(t, state, box, !state->is_open[box]);
	return true;
}

static bool unfold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
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

static bool fold(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
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
	if (box != TREE_ROOT && !tree_unfold_below(tree_of(p), state, box, UNFOLD_MOST))
		shell_say(s, false, "unfolded down to %d rows; E further down unfolds more", UNFOLD_MOST);
	return true;
}

static bool fold_all(struct shell *s, struct pane *p, const struct event *e)
{
	(void)s;
	(void)e;
	tree_fold_all(tree_of(p), p->state);
	return true;
}

static bool invert(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	shell_linef(s, "inverted=%s", tree_of(p)->inverted ? "false" : "true");
	return true;
}

static void sort_by(struct pane *p, enum tree_by by)
{
	struct tree_state *state = p->state;

	state->by[tree_of(p)->two_sides] = by;
	tree_sort(tree_of(p), state);
}

/* The columns to sort by, from left to right. */
static bool sort_next(struct shell *s, struct pane *p, const struct event *e)
{
	const struct tree *t = tree_of(p);
	enum tree_by by[N_TREE_BYS];
	size_t n = columns_for(t, by), i = 0;

	(void)s;
	while (i + 1 < n && by[i] != tree_sorted_by(t, p->state))
		i++;
	sort_by(p, by[(i + (e->key == '<' ? n - 1 : 1)) % n]);
	return true;
}

static bool say_hits(struct shell *s, const struct tree_state *state)
{
	if (!state->hit)
		shell_say(s, false, "/ searches");
	else if (!state->n_hits)
		shell_say(s, false, "no match");
	else
		shell_say(s, false, "%" PRIu32 " match%s; n N next and previous", state->n_hits,
			  state->n_hits == 1 ? "" : "es");
	return true;
}

static bool search_next(struct shell *s, struct pane *p, const struct event *e)
{
	tree_search_next(tree_of(p), p->state, e->key == 'N');
	return say_hits(s, p->state);
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	if (s->overlay)
		tree_search(tree_of(p), p->state, text);
	else
		tree_search_again(tree_of(p), p->state, text);
	if (*text)
		say_hits(s, p->state);
}

static bool show_text(struct shell *s, struct pane *p, const struct event *e)
{
	(void)p;
	(void)e;
	shell_line(s, "tree | less", true);
	return true;
}

/* A click on a mark folds, on a heading sorts. */
static bool click(struct shell *s, struct pane *p, const struct event *e)
{
	struct tree_state *state = p->state;
	int above = lines_above(p->area.height);
	enum tree_by by;
	uint32_t row;

	if (e->y < above && e->kind == EVENT_CLICK && heading_at(tree_of(p), p->area.width, e->x, &by)) {
		sort_by(p, by);
		return true;
	}
	if (e->y < above || !shell_list_row_at(&state->list, e->y - above, &row))
		return false;
	shell_list_go(&state->list, row);
	if (e->kind == EVENT_DOUBLE || e->x == mark_column(state, &state->row[row]))
		toggle(s, p, e);
	return true;
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE)
		return click(s, p, e);
	return shell_list_key(&((struct tree_state *)p->state)->list, e);
}

/* A frame that tagroot or tagleaf has put there is a label: filters of functions do not know it. */
static bool with_label(struct shell *s, struct pane *p, const char *option)
{
	const struct tree *t = tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *name = tree_name(t, box), *value = strstr(name, ": ");
	struct buf text = { 0 };
	char *key;

	if (!*name || !value || !t->f->frames[t->f->frame[box]].is_label)
		return false;
	key = mem_strndup(name, (size_t)(value - name));
	value += 2;
	if (strcmp(value, "(none)") != 0 && shell_label_add_text(key, value, strlen(value), &text))
		shell_linef(s, "%s=%s", option, buf_text(&text));
	else
		shell_say(s, false, "%s has no words for samples without a label", option);
	free(key);
	buf_release(&text);
	return true;
}

static bool filter_label(struct shell *s, struct pane *p, const struct event *e)
{
	return with_label(s, p, e->key == 'f' ? "tagfocus" : "tagignore");
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct tree *t = tree_of(p);
	uint32_t box = tree_selected(p->state);
	const char *function = *tree_name(t, box) ? t->f->frames[t->f->frame[box]].function : "";

	(void)s;
	if (*function)
		shell_quote(function, out);
}

static void end(struct pane *p)
{
	tree_forget(p->state);
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "Enter Space", "unfold or fold", "unfold", NULL, toggle },
	{ "Right l +", "unfold; once more: go to the first row below", NULL, NULL, unfold },
	{ "Left h -", "fold; once more: go to the row above it", NULL, NULL, fold },
	{ "E", "unfold all below", "all below", NULL, unfold_below },
	{ "C", "fold all", NULL, NULL, fold_all },
	{ "i", "upside down: functions by themselves, below them their callers", "invert", "inverted=true", invert },
	{ "S < >", "sort by another column", "sort", NULL, sort_next },
	{ "n N", "next match of the search, the one before; unfolds the way to it", NULL, NULL, search_next },
	{ "f", "only samples with the function, or the label, on their stack", NULL, "focus=NAME", filter_label },
	{ "x", "no samples with it", NULL, "ignore=NAME", filter_label },
	{ "T", "pprof's tree: each function with its callers and callees", NULL, "tree | less", show_text },
};

const struct pane_class shell_view_tree = {
	.title = "Tree",
	.explain =
		"Who calls whom: a row is a function on one way of calls, from the outermost caller down, and unfolds "
		"to "
		"what it calls there. Total is what it and all it calls took on this way, Self what it took itself; a "
		"function has a row for each way to it. pprof's tree (T) is another report: one entry per function, "
		"with "
		"all its callers and callees but no ways. + can be unfolded, - folded; \xe2\x94\x94 is the only thing "
		"the row "
		"above it calls. The way with most weight is open at first; the lowest line is the way to the selected "
		"row. "
		"Upside down (i) the first rows are functions by what they took themselves, and below each are its "
		"callers, "
		"with the part of that weight that came their way. "
		"Rows below 0.05 % of all are one row (\"3 smaller\"); A shows them. In a comparison Change is after "
		"less "
		"before: what grew has +. Colour says 5 % of all or more, bold 20 %.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct tree_state),
	.like = "flame",
	.make = tree_make,
	.shown = shown,
	.draw = draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};
