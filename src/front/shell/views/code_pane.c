/*
 * code_pane.c - one function at a time as rows of code: values, a bar, a line number or address, text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/code_pane.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "front/shell/widgets/name.h"
#include "front/shell/widgets/number.h"
#include "front/shell/widgets/wrap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	TAB = 8,
	TAB_NARROW = 4,
	NARROW = 100,     /* columns below which tab stops are closer */
	TEXT_WANTED = 16, /* desired width of the text; other columns are dropped if it is narrower */
	SHADE = 0x2591,
	EIGHTHS = 8,
	MNEMONIC = 6, /* width of a mnemonic in columns */
	HEIGHT_FOR_TITLE = 5,
	HEIGHT_FOR_HEAD = 3,
};

static const struct code_model *model_of(const struct pane *p)
{
	const struct code_model *m = p->model->view_data;

	assert(m->class && m->n > 0);
	return m;
}

static const struct code_class *code_pane_class_of(const struct pane *p)
{
	return model_of(p)->class;
}

void code_pane_release(struct pane *p)
{
	struct code_pane *c = p->state;

	find_free(c->find);
	free(c->hot);
}

/* ---- rows by value ---- */

struct code_sort_key code_sort_key(int64_t flat, int64_t cum, bool by_cum, uint32_t i)
{
	uint64_t f = num_abs(flat), c = num_abs(cum);

	return (struct code_sort_key){ by_cum ? c : f, by_cum ? f : c, i };
}

static int code_pane_compare_keys(const void *a, const void *b)
{
	const struct code_sort_key *x = a, *y = b;

	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second > y->second ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

void code_sort(struct code_sort_key *key, size_t n)
{
	if (n)
		qsort(key, n, sizeof(*key), code_pane_compare_keys);
}

void code_find_hot(struct pane *p, uint32_t lo, uint32_t hi,
		   bool (*get_values)(const struct pane *p, uint32_t i, int64_t *flat, int64_t *cum))
{
	struct code_pane *c = p->state;
	struct code_sort_key *all;
	uint32_t n = 0;

	assert(lo <= hi && get_values);
	all = mem_alloc((size_t)(hi - lo) + 1, sizeof(*all));
	for (uint32_t i = lo; i < hi; i++) {
		int64_t flat, cum;

		if (get_values(p, i, &flat, &cum) && (flat || cum))
			all[n++] = code_sort_key(flat, cum, model_of(p)->by_cum, i);
	}
	code_sort(all, n);
	free(c->hot);
	c->hot = mem_alloc((size_t)n + 1, sizeof(*c->hot));
	c->n_hot = n;
	for (uint32_t i = 0; i < n; i++)
		c->hot[i] = all[i].i;
	free(all);
}

/* ---- keys ---- */

bool code_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;

	(void)s;
	if (c->is_choosing)
		return shell_list_key(&c->routines, e);
	if (!shell_list_key(&c->list, e))
		return false;
	code_pane_class_of(p)->remember(p);
	return true;
}

/* Select the next colder or the next hotter row. From a row without a value, select the hottest row. */
static bool step_hot(struct shell *s, struct pane *p, int by)
{
	struct code_pane *c = p->state;
	struct buf name = { 0 };
	uint32_t selected, i = 0, to = 0;

	assert(by == 1 || by == -1);
	if (c->is_choosing || !c->n_hot)
		return false;
	selected = code_pane_class_of(p)->hot(p);
	while (i < c->n_hot && c->hot[i] != selected)
		i++;
	if (i < c->n_hot)
		to = by > 0 ? (i + 1) % c->n_hot : (i + c->n_hot - 1) % c->n_hot;
	code_pane_class_of(p)->select_hot(p, c->hot[to], &name);
	shell_notify(s, false, "%s, %s of %s by %s", buf_text(&name), shell_number_count((uint64_t)to + 1).text,
		     shell_number_count(c->n_hot).text, model_of(p)->by_cum ? "cum" : "flat");
	buf_release(&name);
	return true;
}

bool code_next_hot(struct shell *s, struct pane *p, const struct event *e)
{
	return step_hot(s, p, e->key == ']' ? 1 : -1);
}

/* Find the first row with a match, starting at a row, in steps of 1 or -1, wrapping around. Return false when there
   is none. */
static bool code_pane_find_row(const struct pane *p, uint32_t from, int by, uint32_t *out)
{
	const struct code_pane *c = p->state;
	uint32_t n = c->list.n, i = from, steps = 0;
	struct buf scratch = { 0 };

	assert(c->find && from < n);
	while (steps < n && !find_matches(c->find, code_pane_class_of(p)->search_text(p, i, &scratch))) {
		i = by > 0 ? (i + 1) % n : (i + n - 1) % n;
		steps++;
	}
	buf_release(&scratch);
	if (steps < n)
		*out = i;
	return steps < n;
}

static void code_pane_go_match(struct shell *s, struct pane *p, uint32_t from, int by)
{
	uint32_t row;

	if (code_pane_find_row(p, from, by, &row))
		code_pane_class_of(p)->select(p, row);
	else
		shell_notify(s, true, "\"%s\" does not occur in this function", p->search);
}

void code_search(struct shell *s, struct pane *p, const char *text)
{
	struct code_pane *c = p->state;

	if (!c->find)
		c->find_from = c->list.selected;
	find_set(&c->find, text);
	if (*text && c->list.n && !c->is_choosing)
		code_pane_go_match(s, p, c->find_from < c->list.n ? c->find_from : 0, 1);
}

bool code_next_found(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;
	uint32_t n = c->list.n;
	int by = e->key == 'n' ? 1 : -1;

	if (!c->find)
		return step_hot(s, p, by);
	if (n && !c->is_choosing)
		code_pane_go_match(s, p, by > 0 ? (c->list.selected + 1) % n : (c->list.selected + n - 1) % n, by);
	return true;
}

bool code_next_routine(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;
	uint32_t n = model_of(p)->n;

	assert(c->routine < n);
	if (n < 2)
		shell_notify(s, false, "only this function matches");
	else
		code_pane_class_of(p)->show(p, (c->routine + (e->key == '}' ? 1 : n - 1)) % n);
	return true;
}

bool code_choose(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;

	(void)s;
	(void)e;
	c->is_choosing = !c->is_choosing;
	c->routines.selected = c->routine;
	return true;
}

bool code_cancel_choice(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;
	bool was = c->is_choosing;

	(void)s;
	(void)e;
	c->is_choosing = false;
	return was;
}

bool code_accept_choice(struct pane *p)
{
	struct code_pane *c = p->state;

	if (!c->is_choosing)
		return false;
	assert(c->routines.selected < model_of(p)->n);
	c->is_choosing = false;
	code_pane_class_of(p)->show(p, c->routines.selected);
	return true;
}

bool code_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct code_pane *c = p->state;
	struct list *l = c->is_choosing ? &c->routines : &c->list;
	bool is_open = e->kind == EVENT_DOUBLE;
	uint32_t row;

	if (e->kind != EVENT_CLICK && !is_open)
		return code_move(s, p, e);
	if (!shell_list_row_at(l, e->y - (p->area.height - l->height), &row))
		return false;
	shell_list_select(l, row);
	if (!c->is_choosing)
		code_pane_class_of(p)->remember(p);
	return is_open ? code_pane_class_of(p)->open(s, p, e) : true;
}

/* ---- values ---- */

struct code_values code_values(const struct pane *p)
{
	return (struct code_values){ .head = &p->model->report.head, .is_change = model_of(p)->is_change, .width = 4 };
}

/* Append a value; 0 is written as ".". */
static void code_pane_add_value(const struct code_values *v, int64_t value, struct buf *out)
{
	if (value > 0 && v->is_change)
		buf_addz(out, "+");
	if (value)
		shell_number_add(v->head, value, out);
	else
		buf_addz(out, ".");
}

void code_values_add(struct code_values *v, int64_t value)
{
	struct buf text = { 0 };
	int64_t size = (int64_t)(num_abs(value) > INT64_MAX ? INT64_MAX : num_abs(value));

	if (value == 0)
		return;
	code_pane_add_value(v, value, &text);
	v->max = size > v->max ? size : v->max;
	v->width = (int)text.len > v->width ? (int)text.len : v->width;
	buf_release(&text);
}

/* Lay out the columns of a row for a width. If only one value fits, show cum if by_cum is set, else flat. */
static struct code_columns code_pane_columns_for(const struct code_values *v, int width, int mark_width, bool by_cum)
{
	struct code_columns c = { .bar_width = width >= 100 ? 6 : width >= 72 ? 4 : width >= 56 ? 2 : 1 };
	int value = v->width + 1, room = width - TEXT_WANTED - c.bar_width - 1;
	bool has_two = room >= 2 * value + mark_width, has_one = has_two || room >= value, has_mark;

	assert(v->width > 0 && mark_width >= 0);
	room -= has_two ? 2 * value : has_one ? value : 0;
	has_mark = room > mark_width;
	if (has_two || (has_one && !by_cum))
		c.flat = v->width;
	if (has_two || (has_one && by_cum))
		c.cum = has_two ? v->width + value : v->width;
	c.bar = c.cum > c.flat ? c.cum + 1 : c.flat ? c.flat + 1 : 0;
	c.text = c.bar + c.bar_width + 1;
	if (has_mark) {
		c.mark = c.bar + c.bar_width + mark_width;
		c.text = c.mark + 2;
	}
	return c;
}

/* The style of a value: heat for a share of the total, or the direction of a change. */
static struct style code_pane_value_style(const struct code_values *v, int64_t value)
{
	if (value == 0)
		return theme_style(ROLE_MUTED);
	if (v->is_change)
		return theme_style(value > 0 ? ROLE_GREW : ROLE_SHRANK);
	return theme_heat(unit_percent(value, v->head->total));
}

static double code_pane_share_of(const struct code_values *v, int64_t value)
{
	assert(v->max > 0 || value == 0);
	return v->max ? (double)num_abs(value) / (double)v->max : 0;
}

/* Draw flat as a full bar, and cum minus flat as a shaded bar. */
static void draw_bar(const struct code_values *v, const struct code_columns *c, struct grid *g, struct area row,
		     int64_t flat, int64_t cum, struct style style)
{
	double share = code_pane_share_of(v, cum);
	int eighths = share >= 1 ? c->bar_width * EIGHTHS : (int)(share * c->bar_width * EIGHTHS + 0.5);
	int cells = eighths ? (eighths + EIGHTHS - 1) / EIGHTHS : cum != 0;

	grid_fill(g, (struct area){ row.x + c->bar, row.y, cells, 1 }, SHADE, style);
	grid_bar(g, (struct area){ row.x, row.y, c->bar + c->bar_width, 1 }, c->bar, 0, c->bar_width,
		 code_pane_share_of(v, flat), style);
}

static void draw_value(const struct code_values *v, struct grid *g, struct area row, int end, int64_t value,
		       bool is_selected)
{
	struct style style = code_pane_value_style(v, value);
	struct buf text = { 0 };

	code_pane_add_value(v, value, &text);
	grid_text_right(g, row, end, 0, buf_text(&text), is_selected ? theme_selected(style) : style);
	buf_release(&text);
}

/* Draw both values and the bar of a row. flat is NULL for rows that only have cum. */
static void draw_values(const struct code_values *v, const struct code_columns *c, struct grid *g, struct area row,
			const int64_t *flat, int64_t cum, bool is_selected)
{
	struct style style = code_pane_value_style(v, flat && *flat ? *flat : cum);

	if (c->flat && flat)
		draw_value(v, g, row, c->flat, *flat, is_selected);
	if (c->cum)
		draw_value(v, g, row, c->cum, cum, is_selected);
	if (row.width > c->bar)
		draw_bar(v, c, g, row, flat ? *flat : 0, cum, is_selected ? theme_selected(style) : style);
}

/* ---- text ---- */

static int code_pane_draw_part(struct grid *g, struct area a, int x, const char *text, size_t n, struct style style)
{
	char *part = mem_strndup(text, n);

	x = grid_text(g, a, x, 0, part, style);
	free(part);
	return x;
}

/* Find the next match. Return NULL if there is none, or for a regular expression, whose match has no known position. */
static const char *code_pane_next_match(struct find *find, const char *text, size_t *n)
{
	size_t at;

	return find && find_position(find, text, &at, n) && *n ? text + at : NULL;
}

int code_draw_text(struct grid *g, struct area a, int x, int left, const char *text, struct style style,
		   struct find *find)
{
	struct area in = { a.x + x, a.y, a.width - x, 1 };
	size_t n_found = 0;
	const char *found = code_pane_next_match(find, text, &n_found);
	bool is_match = find && !found && find_matches(find, text);
	int at = -left, tab = a.width < NARROW ? TAB_NARROW : TAB;

	assert(left >= 0);
	style.attr |= is_match ? ATTR_UNDERLINE : 0;
	while (*text && at < in.width) {
		size_t n = strcspn(text, "\t");

		if (found && found > text && (size_t)(found - text) < n)
			n = (size_t)(found - text);
		if (*text == '\t') {
			at += tab - (at + left) % tab;
			n = 1;
		} else if (text == found) {
			n = n_found < n ? n_found : n;
			at = code_pane_draw_part(g, in, at, text, n, theme_style(ROLE_MATCH));
		} else {
			at = code_pane_draw_part(g, in, at, text, n, style);
		}
		if (found && found < text + n)
			found = code_pane_next_match(find, text + n, &n_found);
		text += n;
	}
	return x + at;
}

void code_add_instruction(const char *text, struct buf *out)
{
	size_t n = strcspn(text, " \t"), blank = strspn(text + n, " \t");

	buf_add(out, text, n);
	if (!text[n + blank])
		return;
	buf_fill(out, ' ', n < MNEMONIC ? MNEMONIC - n : 0);
	buf_addz(out, " ");
	buf_addz(out, text + n + blank);
}

int code_draw_sentences(struct grid *g, struct area a, const char *text, int max, enum role role)
{
	return wrap_draw(g, (struct area){ a.x, a.y, a.width - 1, max }, 1, 0, text, theme_style(role));
}

/* ---- the pane ---- */

struct style code_style(const struct code_place *at, enum role role)
{
	struct style style = theme_style(role);

	return at->is_selected ? theme_selected(style) : style;
}

/* Draw the headings of both values. */
static void draw_value_headings(const struct code_columns *c, struct grid *g, struct area row, bool by_cum)
{
	grid_fill(g, row, ' ', theme_style(ROLE_HEADING));
	if (c->flat)
		grid_text_right(g, row, c->flat, 0, "flat", theme_style(by_cum ? ROLE_HEADING : ROLE_HEADING_SORTED));
	if (c->cum)
		grid_text_right(g, row, c->cum, 0, "cum", theme_style(by_cum ? ROLE_HEADING_SORTED : ROLE_HEADING));
}

/* Draw the list of matching functions. */
static void draw_choice(const struct pane *p, struct grid *g, struct area a)
{
	enum { GAP = 2 };
	const struct code_model *m = model_of(p);
	struct list *l = &((struct code_pane *)p->state)->routines;
	struct code_values v = code_values(p);
	struct style quiet = theme_style(ROLE_MUTED);
	struct code_columns c;

	for (uint32_t i = 0; i < m->n; i++) {
		code_values_add(&v, m->class->routine(p, i).flat);
		code_values_add(&v, m->class->routine(p, i).cum);
	}
	c = code_pane_columns_for(&v, a.width, 0, m->by_cum);
	if (a.height >= HEIGHT_FOR_HEAD) {
		draw_value_headings(&c, g, (struct area){ a.x, a.y, a.width, 1 }, m->by_cum);
		grid_text(g, a, c.text, 0, "function (Enter to show)", theme_style(ROLE_HEADING));
		a.y++;
		a.height--;
	}
	shell_list_fit(l, m->n, a.height);
	for (int y = 0; y < a.height && l->top + (uint32_t)y < m->n; y++) {
		uint32_t i = l->top + (uint32_t)y;
		struct code_routine one = m->class->routine(p, i);
		struct area row = { a.x, a.y + y, a.width - 1, 1 };
		bool here = i == l->selected;
		struct style style = theme_style(here ? ROLE_SELECTED : ROLE_PLAIN);
		int room = row.width - c.text, x;

		if (here)
			grid_fill(g, row, ' ', style);
		draw_values(&v, &c, g, row, &one.flat, one.cum, here);
		x = shell_name_draw(g, row, c.text, 0, one.name, "", *one.file ? room * 2 / 3 : room, style, style);
		style = here ? theme_selected(quiet) : quiet;
		shell_name_draw(g, row, x + GAP, 0, one.file, "", row.width - x - GAP, style, style);
	}
	shell_list_draw_bar(l, g, a, theme_style(ROLE_PLAIN));
}

/* Draw the line above the headings: the function and its values. */
static void draw_title(const struct pane *p, struct grid *g, struct area row)
{
	const struct code_pane *c = p->state;
	const struct code_values *v = &c->values;
	struct code_routine r = code_pane_class_of(p)->routine(p, c->routine);
	struct style style = theme_style(ROLE_KEY);
	struct buf text = { 0 }, which = { 0 }, name = { 0 };
	int room = row.width, x;

	code_pane_class_of(p)->add_name(p, &name);
	buf_addz(&text, "  flat ");
	code_pane_add_value(v, r.flat, &text);
	buf_addz(&text, " ");
	unit_add_percent_trimmed(&text, r.flat, v->head->total);
	buf_addz(&text, "  cum ");
	code_pane_add_value(v, r.cum, &text);
	buf_addz(&text, " ");
	unit_add_percent_trimmed(&text, r.cum, v->head->total);
	if (room > (int)text.len + TEXT_WANTED) {
		grid_text_right(g, row, row.width, 0, buf_text(&text), theme_style(ROLE_PLAIN));
		room -= (int)text.len;
	}
	if (model_of(p)->n > 1)
		buf_addf(&which, "  %u of %u", c->routine + 1, model_of(p)->n);
	if (room <= (int)which.len + TEXT_WANTED / 2)
		which.len = 0;
	x = shell_name_draw(g, row, 0, 0, buf_text(&name), "", room - (int)which.len, style, style);
	if (which.len)
		grid_text(g, row, x, 0, buf_text(&which), theme_style(ROLE_MUTED));
	buf_release(&text);
	buf_release(&which);
	buf_release(&name);
}

/* Draw everything above the rows. Return the number of lines. */
static int code_pane_draw_head(const struct pane *p, const struct code_columns *c, struct grid *g, struct area a)
{
	const struct code_class *class = code_pane_class_of(p);
	int y = 0;

	if (a.height >= HEIGHT_FOR_TITLE)
		draw_title(p, g, (struct area){ a.x, a.y + y++, a.width, 1 });
	if (a.height >= HEIGHT_FOR_HEAD) {
		struct area row = { a.x, a.y + y++, a.width, 1 };

		draw_value_headings(c, g, row, model_of(p)->by_cum);
		if (c->mark)
			grid_text_right(g, row, c->mark, 0, class->mark_title, theme_style(ROLE_HEADING));
		class->draw_heading(p, c, g, row);
	}
	if (class->draw_notes)
		y += class->draw_notes(p, g, (struct area){ a.x, a.y + y, a.width, a.height - y });
	return y;
}

static void code_pane_draw_row(const struct code_place *at)
{
	const struct code_pane *c = at->p->state;
	struct code_row row = { 0 };
	int end;

	if (at->is_selected)
		grid_fill(at->g, at->area, ' ', theme_style(ROLE_SELECTED));
	code_pane_class_of(at->p)->row(at->p, at->i, &row);
	assert(row.text && row.role < N_ROLES);
	if (row.has_values)
		draw_values(&c->values, at->c, at->g, at->area, row.flat, row.cum, at->is_selected);
	if (at->c->mark && row.mark) {
		grid_text_right(at->g, at->area, at->c->mark, 0, row.mark, code_style(at, ROLE_MUTED));
		if (row.has_more)
			grid_text(at->g, at->area, at->c->mark, 0, "+", code_style(at, ROLE_KEY));
	}
	end = code_draw_text(at->g, at->area, at->c->text, c->list.scroll_x, row.text, code_style(at, row.role),
			     c->find);
	code_pane_class_of(at->p)->draw_extra(at, end);
	buf_release(&row.scratch);
}

void code_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct code_pane *c = p->state;
	struct code_columns columns =
		code_pane_columns_for(&c->values, a.width - 1, c->mark_width + 1, model_of(p)->by_cum);
	bool has_bar;
	int y;

	assert(c->list.scroll_x >= 0 && c->mark_width >= 0);
	(void)s;
	if (c->is_choosing) {
		draw_choice(p, g, a);
		return;
	}
	y = code_pane_draw_head(p, &columns, g, a);
	a = (struct area){ a.x, a.y + y, a.width, a.height - y > 0 ? a.height - y : 0 };
	has_bar = c->list.n > (uint32_t)a.height;
	shell_list_fit(&c->list, c->list.n, a.height);
	for (int line = 0; line < a.height && c->list.top + (uint32_t)line < c->list.n; line++) {
		uint32_t i = c->list.top + (uint32_t)line;

		code_pane_draw_row(&(struct code_place){ .p = p,
							 .g = g,
							 .c = &columns,
							 .area = { a.x, a.y + line, a.width - has_bar, 1 },
							 .i = i,
							 .is_selected = i == c->list.selected });
	}
	shell_list_draw_bar(&c->list, g, a, theme_style(ROLE_PLAIN));
}
