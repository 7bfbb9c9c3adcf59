/*
 * sheet.c - rows in columns: filter, order, widths, positions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers are never cut: when room is short, columns are dropped. A column is as wide as the widest cell shown so far,
 * so that columns do not jump while scrolling back.
 */
#include "config.h"

#include "front/shell/widgets/sheet.h"

#include "base/columns.h"
#include "base/mem.h"
#include "front/shell/widgets/name.h"
#include "front/shell/widgets/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows and columns ---- */

static void default_columns(struct sheet *s)
{
	s->n_shown = 0;
	for (uint32_t c = 0; c < s->class->n_columns; c++)
		if (!s->class->column[c].is_extra)
			s->shown[s->n_shown++] = c;
}

void sheet_init(struct sheet *s, const struct sheet_class *class, uint32_t by)
{
	assert(class->n_columns <= SHEET_MAX);
	assert(class->name < class->n_columns && by < class->n_columns);
	assert(class->cell && class->value && class->text);
	s->class = class;
	s->sort_column = by;
	default_columns(s);
}

void sheet_release(struct sheet *s)
{
	find_free(s->find);
	free(s->row);
	free(s->sorted);
	s->find = NULL;
	s->row = s->sorted = NULL;
}

void sheet_set_rows(struct sheet *s, const void *rows, uint32_t n)
{
	assert(s->class); /* call sheet_init first */
	s->rows = rows;
	s->n_rows = n;
	free(s->row);
	free(s->sorted);
	s->row = mem_alloc(n, sizeof(*s->row));
	s->sorted = mem_alloc(n, sizeof(*s->sorted));
	for (uint32_t i = 0; i < n; i++)
		s->sorted[i] = i;
	s->list.n = 0;
	memset(s->width, 0, sizeof(s->width));
}

/* ---- order ---- */

struct sheet_sort_key {
	double value;
	const char *text, *name;
	uint32_t row;
	bool is_reversed;
};

static int compare_values(double l, double r)
{
	if (isnan(l) || isnan(r))
		return isnan(l) - isnan(r);
	return (r > l) - (r < l);
}

static int sheet_compare(const void *a, const void *b)
{
	const struct sheet_sort_key *l = a, *r = b;
	int c = l->text ? strcmp(l->text, r->text) : compare_values(l->value, r->value);

	if (c)
		return l->is_reversed ? -c : c;
	c = strcmp(l->name, r->name);
	return c ? c : (l->row > r->row) - (l->row < r->row);
}

static void sheet_sort_rows(struct sheet *s)
{
	const struct sheet_class *class = s->class;
	struct sheet_sort_key *list = mem_alloc(s->n_rows, sizeof(*list));
	bool is_text = class->column[s->sort_column].is_text;

	assert(s->sort_column < class->n_columns);
	for (uint32_t i = 0; i < s->n_rows; i++)
		list[i] = (struct sheet_sort_key){ .value = is_text ? 0 : class->value(s, i, s->sort_column),
						   .text = is_text ? class->text(s, i, s->sort_column) : NULL,
						   .name = class->text(s, i, class->name),
						   .row = i,
						   .is_reversed = s->is_reversed };
	if (s->n_rows)
		qsort(list, s->n_rows, sizeof(*list), sheet_compare);
	for (uint32_t i = 0; i < s->n_rows; i++)
		s->sorted[i] = list[i].row;
	free(list);
}

/* Show the matching rows in sorted order. */
static void show_rows(struct sheet *s)
{
	uint32_t n = 0, row = 0;
	bool was = sheet_selected(s, &row);

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (!s->find || find_matches(s->find, s->class->text(s, s->sorted[i], s->class->name)))
			s->row[n++] = s->sorted[i];
	assert(n <= s->n_rows);
	s->list.n = n;
	if (!was || !sheet_select(s, row))
		shell_list_select(&s->list, 0);
}

void sheet_sort(struct sheet *s, bool is_sorted)
{
	bool at_top = s->list.selected == 0;

	if (is_sorted)
		for (uint32_t i = 0; i < s->n_rows; i++)
			s->sorted[i] = i;
	else
		sheet_sort_rows(s);
	show_rows(s);
	if (at_top)
		shell_list_select(&s->list, 0);
}

void sheet_filter(struct sheet *s, const char *text)
{
	find_set(&s->find, text);
	show_rows(s);
}

/* ---- selection ---- */

bool sheet_selected(const struct sheet *s, uint32_t *row)
{
	if (s->list.selected >= s->list.n)
		return false;
	*row = s->row[s->list.selected];
	return true;
}

bool sheet_select(struct sheet *s, uint32_t row)
{
	assert(row < s->n_rows);
	for (uint32_t i = 0; i < s->list.n; i++) {
		if (s->row[i] != row)
			continue;
		shell_list_select(&s->list, i);
		return true;
	}
	return false;
}

bool sheet_find(struct sheet *s, struct find *f, int by)
{
	uint32_t n = s->list.n, at = s->list.selected;

	assert(f && (by == 1 || by == -1));
	for (uint32_t i = 0; i < n; i++) {
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (!find_matches(f, s->class->text(s, s->row[at], s->class->name)))
			continue;
		shell_list_select(&s->list, at);
		return true;
	}
	return false;
}

void sheet_add_position(const struct sheet *s, struct buf *out)
{
	uint32_t at = s->list.n ? s->list.selected + 1 : 0;

	buf_addf(out, "%s/%s", shell_number_count(at).text, shell_number_count(s->list.n).text);
	if (s->find)
		buf_addf(out, " of %s rows", shell_number_count(s->n_rows).text);
}

/* ---- columns ---- */

static uint32_t sheet_place_of(const struct sheet *s, uint32_t col)
{
	uint32_t i = 0;

	while (i < s->n_shown && s->shown[i] != col)
		i++;
	return i;
}

bool sheet_heading_at(const struct sheet *s, int x, uint32_t *col)
{
	for (uint32_t c = 0; c < s->class->n_columns; c++)
		if (x >= s->x_begin[c] && x < s->x_end[c]) {
			*col = c;
			return true;
		}
	return false;
}

uint32_t sheet_neighbour_column(const struct sheet *s, int by)
{
	int64_t at = (int64_t)sheet_place_of(s, s->sort_column) + by;

	assert(s->n_shown > 0 && (by == 1 || by == -1));
	return s->shown[at < 0 ? 0 : at >= s->n_shown ? s->n_shown - 1 : at];
}

void sheet_add_columns(const struct sheet *s, struct buf *out)
{
	for (uint32_t i = 0; i < s->n_shown; i++)
		buf_addf(out, "%s%s", i ? " " : "", s->class->column[s->shown[i]].key);
}

void sheet_read_columns(struct sheet *s, const char *keys)
{
	s->n_shown = 0;
	while (*(keys += strspn(keys, " "))) {
		size_t n = strcspn(keys, " ");

		for (uint32_t c = 0; c < s->class->n_columns; c++) {
			const char *key = s->class->column[c].key;

			if (strlen(key) == n && memcmp(key, keys, n) == 0 && !sheet_is_shown(s, c))
				s->shown[s->n_shown++] = c;
		}
		keys += n;
	}
	if (!sheet_is_shown(s, s->class->name))
		default_columns(s);
	assert(s->n_shown > 0 && s->n_shown <= SHEET_MAX && sheet_is_shown(s, s->class->name));
}

bool sheet_is_shown(const struct sheet *s, uint32_t col)
{
	return sheet_place_of(s, col) < s->n_shown;
}

void sheet_toggle(struct sheet *s, uint32_t col)
{
	uint32_t at = sheet_place_of(s, col);

	assert(col < s->class->n_columns);
	if (col == s->class->name)
		return;
	if (at == s->n_shown) { /* insert the column before those that follow it by default */
		at = 0;
		while (at < s->n_shown && s->shown[at] < col)
			at++;
		memmove(s->shown + at + 1, s->shown + at, (s->n_shown++ - at) * sizeof(*s->shown));
		s->shown[at] = col;
	} else {
		memmove(s->shown + at, s->shown + at + 1, (--s->n_shown - at) * sizeof(*s->shown));
	}
	assert(s->n_shown > 0 && s->n_shown <= s->class->n_columns);
}

void sheet_shift(struct sheet *s, uint32_t col, int by)
{
	uint32_t at = sheet_place_of(s, col), to = at + (uint32_t)by;

	if (at >= s->n_shown || to >= s->n_shown)
		return;
	s->shown[at] = s->shown[to];
	s->shown[to] = col;
}

/* ---- drawing ---- */

enum { NAME_MIN = 18, NUMBER_GAP = 1, TEXT_GAP = 2, LONG_TEXT = 10000 };

/* The visible cells. */
struct sheet_cells {
	uint32_t top, n; /* rows */
	struct buf text;
	size_t *at; /* [n * n_shown] offset of each in text */
	struct style *style;
	int longest; /* width of the longest name */
};

static int sheet_columns_of(const char *text)
{
	return strnlen(text, LONG_TEXT) == LONG_TEXT ? LONG_TEXT : (int)column_count(text);
}

static int sheet_indent_of(const struct sheet *s, uint32_t row)
{
	return s->class->indent ? s->class->indent(s, row) : 0;
}

/* Format the visible cells and measure their widths. */
static void format_cells(struct sheet *s, struct sheet_cells *c)
{
	size_t n = (size_t)c->n * s->n_shown;

	assert(s->class && c->top + c->n <= s->list.n);
	c->at = mem_alloc(n, sizeof(*c->at));
	c->style = mem_alloc(n, sizeof(*c->style));
	buf_addz(&c->text, "");
	for (size_t i = 0; i < n; i++) {
		uint32_t col = s->shown[i % s->n_shown];

		c->at[i] = c->text.len;
		c->style[i] = theme_style(ROLE_PLAIN);
		s->class->cell(s, c->top + (uint32_t)(i / s->n_shown), col, &c->text, &c->style[i]);
		buf_add(&c->text, "", 1);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t col = s->shown[i % s->n_shown];
		int width = sheet_columns_of(c->text.data + c->at[i]);

		if (col == s->class->name)
			width += sheet_indent_of(s, s->row[c->top + (uint32_t)(i / s->n_shown)]);
		if (col == s->class->name)
			c->longest = width > c->longest ? width : c->longest;
		else if (s->class->column[col].is_text && width > s->class->column[col].width)
			width = s->class->column[col].width;
		s->width[col] = width > s->width[col] ? width : s->width[col];
	}
}

/* The width of the heading, including the sort mark. */
static int least_width(const struct sheet_column *c)
{
	int title = sheet_columns_of(c->title) + 1;

	return !c->is_text && c->width > title ? c->width : title;
}

static int gap_before(const struct sheet *s, uint32_t col)
{
	return s->class->column[col].is_text ? TEXT_GAP : NUMBER_GAP;
}

/* Place the columns from the left. The name gets the remaining width, which is returned. */
static int place_columns(struct sheet *s, const bool *dropped, int width)
{
	int x = 0, rest = width;

	for (int pass = 0; pass < 2; pass++) {
		bool first = true;

		x = 0;
		for (uint32_t i = 0; i < s->n_shown; i++) {
			uint32_t col = s->shown[i];
			int least = least_width(&s->class->column[col]), need = s->width[col];

			s->x_begin[col] = s->x_end[col] = 0;
			if (dropped[col])
				continue;
			x += first ? 0 : gap_before(s, col);
			need = need > least ? need : least;
			s->x_begin[col] = x;
			x += col == s->class->name ? (pass ? rest : 0) : need;
			s->x_end[col] = x;
			first = false;
		}
		rest = pass ? rest : width - x;
	}
	return rest;
}

/* The next column to drop. The sort column is dropped last. */
static uint32_t next_to_drop(const struct sheet *s, const bool *dropped)
{
	uint32_t found = SHEET_MAX;
	int rank = 0;

	for (uint32_t i = 0; i < s->n_shown; i++) {
		uint32_t col = s->shown[i];
		int own = s->class->column[col].drop_rank;

		if (own && col == s->sort_column)
			own = 1;
		if (!dropped[col] && own && own >= rank) {
			found = col;
			rank = own;
		}
	}
	return found;
}

static void fit_columns(struct sheet *s, int width)
{
	bool dropped[SHEET_MAX] = { false };
	uint32_t col;

	memset(s->x_begin, 0, sizeof(s->x_begin));
	memset(s->x_end, 0, sizeof(s->x_end));
	while (place_columns(s, dropped, width) < NAME_MIN) {
		col = next_to_drop(s, dropped);
		if (col == SHEET_MAX)
			break;
		dropped[col] = true;
	}
}

static struct area cell_area(const struct sheet *s, uint32_t col, struct area a, int y)
{
	int right = s->x_end[col] < a.width ? s->x_end[col] : a.width;

	assert(col < s->class->n_columns);
	return (struct area){ a.x + s->x_begin[col], a.y + y, right > s->x_begin[col] ? right - s->x_begin[col] : 0,
			      1 };
}

static void draw_headings(const struct sheet *s, struct grid *g, struct area a)
{
	grid_fill(g, (struct area){ a.x, a.y, a.width, 1 }, ' ', theme_style(ROLE_HEADING));
	for (uint32_t i = 0; i < s->n_shown; i++) {
		const struct sheet_column *c = &s->class->column[s->shown[i]];
		struct area cell = cell_area(s, s->shown[i], a, 0);
		bool here = s->shown[i] == s->sort_column;
		const char *mark = !here ? "" : s->is_reversed == c->is_text ? "\xe2\x96\xbc" : "\xe2\x96\xb2";
		struct style style = theme_style(here ? ROLE_HEADING_SORTED : ROLE_HEADING);
		struct buf title = { 0 };

		buf_addf(&title, "%s%s%s", c->is_text ? "" : mark, c->title, c->is_text ? mark : "");
		if (c->is_text)
			grid_text(g, cell, 0, 0, buf_text(&title), style);
		else
			grid_text_right(g, cell, cell.width, 0, buf_text(&title), style);
		buf_release(&title);
	}
}

/* Mark the search text in a name that is not cut. */
static void mark_match(const struct sheet *s, struct grid *g, struct area cell, const char *name)
{
	size_t at, n;
	char *part;
	int from, to;

	if (!s->find || !find_position(s->find, name, &at, &n))
		return;
	part = mem_strndup(name, at);
	from = sheet_columns_of(part);
	free(part);
	part = mem_strndup(name, at + n);
	to = sheet_columns_of(part);
	free(part);
	grid_paint(g, (struct area){ cell.x + from, cell.y, to - from, 1 }, theme_style(ROLE_MATCH));
}

static void sheet_draw_name(const struct sheet *s, struct grid *g, struct area cell, uint32_t row, const char *name,
			    struct style style, bool here)
{
	const char *mark = s->class->mark ? s->class->mark(s, row) : "";
	struct style quiet = here ? theme_selected(theme_style(ROLE_MUTED)) : theme_style(ROLE_MUTED);

	int indent = sheet_indent_of(s, row) < cell.width ? sheet_indent_of(s, row) : cell.width;

	assert(row < s->n_rows);
	if (s->list.scroll_x) {
		int end = grid_text(g, cell, indent - s->list.scroll_x, 0, name, style);

		grid_text(g, cell, end + 1, 0, mark, quiet);
	} else {
		cell.x += indent;
		cell.width -= indent;
		shell_name_draw(g, cell, 0, 0, name, mark, cell.width, style, quiet);
		if (sheet_columns_of(name) <= cell.width)
			mark_match(s, g, cell, name);
	}
}

static void sheet_draw_row(const struct sheet *s, const struct sheet_cells *c, struct grid *g, struct area a,
			   uint32_t i)
{
	bool here = c->top + i == s->list.selected && !s->is_inactive;
	struct area line = { a.x, a.y + (int)i, a.width, 1 };

	if (here)
		grid_fill(g, line, ' ', theme_style(ROLE_SELECTED));
	for (uint32_t k = 0; k < s->n_shown; k++) {
		uint32_t col = s->shown[k];
		size_t at = (size_t)i * s->n_shown + k;
		const char *text = c->text.data + c->at[at];
		struct style style = here ? theme_selected(c->style[at]) : c->style[at];
		struct area cell = cell_area(s, col, a, (int)i);

		if (col == s->class->name)
			sheet_draw_name(s, g, cell, s->row[c->top + i], text, style, here);
		else if (s->class->column[col].is_text)
			grid_text_short(g, cell, 0, 0, text, cell.width, style);
		else
			grid_text_right(g, cell, cell.width, 0, text, style);
	}
}

void sheet_draw(struct sheet *s, struct grid *g, struct area a)
{
	struct sheet_cells c = { 0 };
	struct area all = { a.x, a.y + 1, a.width, a.height > 1 ? a.height - 1 : 0 }, rows = all;
	uint32_t height = (uint32_t)all.height, name = s->class->name;
	int max;

	shell_list_fit(&s->list, s->list.n, all.height);
	if (s->list.n > height)
		rows.width = a.width - 2; /* a blank and the scroll bar */
	c.top = s->list.top;
	c.n = s->list.n - c.top < height ? s->list.n - c.top : height;
	format_cells(s, &c);
	fit_columns(s, rows.width);
	max = c.longest - (s->x_end[name] - s->x_begin[name]);
	s->list.scroll_x = s->list.scroll_x < max ? s->list.scroll_x : max > 0 ? max : 0;
	assert(s->list.scroll_x >= 0);
	if (a.height > 0)
		draw_headings(s, g, a);
	for (uint32_t i = 0; i < c.n; i++)
		sheet_draw_row(s, &c, g, rows, i);
	shell_list_draw_bar(&s->list, g, all, theme_style(ROLE_MUTED));
	buf_release(&c.text);
	free(c.at);
	free(c.style);
}
