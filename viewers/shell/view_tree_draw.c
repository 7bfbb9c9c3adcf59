/*
 * view_tree_draw.c - the rows of the view tree
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_tree_int.h"

#include "base/unit.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/headline.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

size_t tree_columns(const struct tree *t, enum tree_by out[N_TREE_BYS])
{
	size_t n, found = 0;
	const struct tree_column *c = columns_of(t, &n);

	for (size_t i = 0; i < n; i++)
		if (found == 0 || out[found - 1] != c[i].by)
			out[found++] = c[i].by;
	out[found++] = TREE_NAME;
	return found;
}

int tree_lines_above(int height)
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

bool tree_heading_at(const struct tree *t, int width, int x, enum tree_by *out)
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

/* How far to the left all names go so that the selected one can be seen. */
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

int tree_mark_column(const struct tree_state *s, const struct tree_row *row)
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

void tree_draw(struct shell *sh, struct pane *p, struct grid *g, struct area a)
{
	const struct tree *t = p->model->own;
	struct tree_state *s = p->state;
	int above = tree_lines_above(a.height), below = lines_below(a.height);
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
