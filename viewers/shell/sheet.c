/*
 * sheet.c - rows in columns: which are shown, in which order, how wide, and where
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers are never cut: where room is short, columns are left out. A column is as wide as the widest of its cells
 * that were seen, so that it does not jump while scrolling back.
 */
#include "config.h"

#include "viewers/shell/sheet.h"

#include "base/mem.h"
#include "viewers/flame/flame.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rows, which columns ---- */

static void first_columns(struct sheet *s)
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
	assert(class->cell && class->weight && class->text);
	s->class = class;
	s->by = by;
	first_columns(s);
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
	assert(s->class); /* after sheet_init */
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

struct sort_key {
	double weight;
	const char *text, *name;
	uint32_t row;
	bool is_reversed;
};

static int compare_weights(double l, double r)
{
	if (isnan(l) || isnan(r))
		return isnan(l) - isnan(r);
	return (r > l) - (r < l);
}

static int compare(const void *a, const void *b)
{
	const struct sort_key *l = a, *r = b;
	int c = l->text ? strcmp(l->text, r->text) : compare_weights(l->weight, r->weight);

	if (c)
		return l->is_reversed ? -c : c;
	c = strcmp(l->name, r->name);
	return c ? c : (l->row > r->row) - (l->row < r->row);
}

static void sort_rows(struct sheet *s)
{
	const struct sheet_class *class = s->class;
	struct sort_key *list = mem_alloc(s->n_rows, sizeof(*list));
	bool is_text = class->column[s->by].is_text;

	assert(s->by < class->n_columns);
	for (uint32_t i = 0; i < s->n_rows; i++)
		list[i] = (struct sort_key){ .weight = is_text ? 0 : class->weight(s, i, s->by),
					     .text = is_text ? class->text(s, i, s->by) : NULL,
					     .name = class->text(s, i, class->name),
					     .row = i,
					     .is_reversed = s->is_reversed };
	if (s->n_rows)
		qsort(list, s->n_rows, sizeof(*list), compare);
	for (uint32_t i = 0; i < s->n_rows; i++)
		s->sorted[i] = list[i].row;
	free(list);
}

/* Show the rows with a match, in their order. */
static void show_rows(struct sheet *s)
{
	uint32_t n = 0, row = 0;
	bool was = sheet_selected(s, &row);

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (!s->find || find_in(s->find, s->class->text(s, s->sorted[i], s->class->name)))
			s->row[n++] = s->sorted[i];
	assert(n <= s->n_rows);
	s->list.n = n;
	if (!was || !sheet_select(s, row))
		shell_list_go(&s->list, 0);
}

void sheet_sort(struct sheet *s, bool as_came)
{
	bool at_top = s->list.at == 0;

	if (as_came)
		for (uint32_t i = 0; i < s->n_rows; i++)
			s->sorted[i] = i;
	else
		sort_rows(s);
	show_rows(s);
	if (at_top)
		shell_list_go(&s->list, 0);
}

void sheet_filter(struct sheet *s, const char *text)
{
	find_set(&s->find, text);
	show_rows(s);
}

/* ---- the selected row ---- */

bool sheet_selected(const struct sheet *s, uint32_t *row)
{
	if (s->list.at >= s->list.n)
		return false;
	*row = s->row[s->list.at];
	return true;
}

bool sheet_select(struct sheet *s, uint32_t row)
{
	assert(row < s->n_rows);
	for (uint32_t i = 0; i < s->list.n; i++) {
		if (s->row[i] != row)
			continue;
		shell_list_go(&s->list, i);
		return true;
	}
	return false;
}

bool sheet_find(struct sheet *s, struct find *f, int by)
{
	uint32_t n = s->list.n, at = s->list.at;

	assert(f && (by == 1 || by == -1));
	for (uint32_t i = 0; i < n; i++) {
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (!find_in(f, s->class->text(s, s->row[at], s->class->name)))
			continue;
		shell_list_go(&s->list, at);
		return true;
	}
	return false;
}

void sheet_add_position(const struct sheet *s, struct buf *out)
{
	uint32_t at = s->list.n ? s->list.at + 1 : 0;

	if (s->find)
		buf_addf(out, "%" PRIu32 "/%" PRIu32 " of %" PRIu32 " rows", at, s->list.n, s->n_rows);
	else
		buf_addf(out, "%" PRIu32 "/%" PRIu32, at, s->list.n);
}

/* ---- columns ---- */

static uint32_t place_of(const struct sheet *s, uint32_t col)
{
	uint32_t i = 0;

	while (i < s->n_shown && s->shown[i] != col)
		i++;
	return i;
}

bool sheet_heading_at(const struct sheet *s, int x, uint32_t *col)
{
	for (uint32_t c = 0; c < s->class->n_columns; c++)
		if (x >= s->from[c] && x < s->to[c]) {
			*col = c;
			return true;
		}
	return false;
}

uint32_t sheet_beside(const struct sheet *s, int by)
{
	int64_t at = (int64_t)place_of(s, s->by) + by;

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
		first_columns(s);
	assert(s->n_shown > 0 && s->n_shown <= SHEET_MAX && sheet_is_shown(s, s->class->name));
}

bool sheet_is_shown(const struct sheet *s, uint32_t col)
{
	return place_of(s, col) < s->n_shown;
}

void sheet_toggle(struct sheet *s, uint32_t col)
{
	uint32_t at = place_of(s, col);

	assert(col < s->class->n_columns);
	if (col == s->class->name)
		return;
	if (at == s->n_shown) { /* before the column that follows it at first */
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
	uint32_t at = place_of(s, col), to = at + (uint32_t)by;

	if (at >= s->n_shown || to >= s->n_shown)
		return;
	s->shown[at] = s->shown[to];
	s->shown[to] = col;
}

/* ---- drawing ---- */

enum { NAME_MIN = 12, NUMBER_GAP = 1, TEXT_GAP = 2, LONG_TEXT = 10000 };

/* The cells of the rows in sight. */
struct cells {
	uint32_t top, n; /* rows */
	struct buf text;
	size_t *at; /* [n * n_shown] where each begins */
	struct look *look;
	int longest; /* columns of a name */
};

static int columns_of(const char *text)
{
	return strnlen(text, LONG_TEXT) == LONG_TEXT ? LONG_TEXT : (int)flame_columns(text);
}

/* Ask for what is in sight, and how wide that is. */
static void take_cells(struct sheet *s, struct cells *c)
{
	size_t n = (size_t)c->n * s->n_shown;

	assert(s->class && c->top + c->n <= s->list.n);
	c->at = mem_alloc(n, sizeof(*c->at));
	c->look = mem_alloc(n, sizeof(*c->look));
	buf_addz(&c->text, "");
	for (size_t i = 0; i < n; i++) {
		uint32_t col = s->shown[i % s->n_shown];

		c->at[i] = c->text.len;
		c->look[i] = theme_look(LOOK_PLAIN);
		s->class->cell(s, c->top + (uint32_t)(i / s->n_shown), col, &c->text, &c->look[i]);
		buf_add(&c->text, "", 1);
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t col = s->shown[i % s->n_shown];
		int width = columns_of(c->text.data + c->at[i]);

		if (col == s->class->name)
			c->longest = width > c->longest ? width : c->longest;
		else if (s->class->column[col].is_text && width > s->class->column[col].width)
			width = s->class->column[col].width;
		s->width[col] = width > s->width[col] ? width : s->width[col];
	}
}

/* The width of the heading, with room for the mark of the order. */
static int least_width(const struct sheet_column *c)
{
	int title = columns_of(c->title) + 1;

	return !c->is_text && c->width > title ? c->width : title;
}

static int gap_before(const struct sheet *s, uint32_t col)
{
	return s->class->column[col].is_text ? TEXT_GAP : NUMBER_GAP;
}

/* Place the columns from the left; the name gets the remaining width, which is returned. */
static int place_columns(struct sheet *s, const bool *gone, int width)
{
	int x = 0, rest = width;

	for (int pass = 0; pass < 2; pass++) {
		bool first = true;

		x = 0;
		for (uint32_t i = 0; i < s->n_shown; i++) {
			uint32_t col = s->shown[i];
			int least = least_width(&s->class->column[col]), need = s->width[col];

			s->from[col] = s->to[col] = 0;
			if (gone[col])
				continue;
			x += first ? 0 : gap_before(s, col);
			need = need > least ? need : least;
			s->from[col] = x;
			x += col == s->class->name ? (pass ? rest : 0) : need;
			s->to[col] = x;
			first = false;
		}
		rest = pass ? rest : width - x;
	}
	return rest;
}

/* Of the columns that may go, the one to go next; the one of the order stays longest. */
static uint32_t least_wanted(const struct sheet *s, const bool *gone)
{
	uint32_t found = SHEET_MAX;
	int rank = 0;

	for (uint32_t i = 0; i < s->n_shown; i++) {
		uint32_t col = s->shown[i];
		int own = s->class->column[col].rank;

		if (own && col == s->by)
			own = 1;
		if (!gone[col] && own && own >= rank) {
			found = col;
			rank = own;
		}
	}
	return found;
}

static void fit_columns(struct sheet *s, int width)
{
	bool gone[SHEET_MAX] = { false };
	uint32_t col;

	memset(s->from, 0, sizeof(s->from));
	memset(s->to, 0, sizeof(s->to));
	while (place_columns(s, gone, width) < NAME_MIN) {
		col = least_wanted(s, gone);
		if (col == SHEET_MAX)
			break;
		gone[col] = true;
	}
}

static struct area cell_area(const struct sheet *s, uint32_t col, struct area a, int y)
{
	int right = s->to[col] < a.width ? s->to[col] : a.width;

	assert(col < s->class->n_columns);
	return (struct area){ a.x + s->from[col], a.y + y, right > s->from[col] ? right - s->from[col] : 0, 1 };
}

static void draw_headings(const struct sheet *s, struct grid *g, struct area a)
{
	grid_fill(g, (struct area){ a.x, a.y, a.width, 1 }, ' ', theme_look(LOOK_HEAD));
	for (uint32_t i = 0; i < s->n_shown; i++) {
		const struct sheet_column *c = &s->class->column[s->shown[i]];
		struct area cell = cell_area(s, s->shown[i], a, 0);
		bool here = s->shown[i] == s->by;
		const char *mark = !here ? "" : s->is_reversed == c->is_text ? "\xe2\x96\xbc" : "\xe2\x96\xb2";
		struct look look = theme_look(here ? LOOK_HEAD_HERE : LOOK_HEAD);
		struct buf title = { 0 };

		buf_addf(&title, "%s%s%s", c->is_text ? "" : mark, c->title, c->is_text ? mark : "");
		if (c->is_text)
			grid_text(g, cell, 0, 0, buf_text(&title), look);
		else
			grid_text_right(g, cell, cell.width, 0, buf_text(&title), look);
		buf_release(&title);
	}
}

/* Show where in a name that is there as a whole the searched text is. */
static void paint_found(const struct sheet *s, struct grid *g, struct area cell, const char *name)
{
	size_t at, n;
	char *part;
	int from, to;

	if (!s->find || !find_at(s->find, name, &at, &n))
		return;
	part = mem_strndup(name, at);
	from = columns_of(part);
	free(part);
	part = mem_strndup(name, at + n);
	to = columns_of(part);
	free(part);
	grid_paint(g, (struct area){ cell.x + from, cell.y, to - from, 1 }, theme_look(LOOK_MATCH));
}

static void draw_name(const struct sheet *s, struct grid *g, struct area cell, uint32_t row, const char *name,
		      struct look look, bool here)
{
	const char *mark = s->class->mark ? s->class->mark(s, row) : "";
	struct look quiet = here ? theme_selected(theme_look(LOOK_QUIET)) : theme_look(LOOK_QUIET);
	int room = (int)strlen(mark) + 1, end;

	assert(row < s->n_rows);
	room = !*mark || room > cell.width / 2 ? cell.width : cell.width - room;
	if (s->list.left) {
		end = grid_text(g, cell, -s->list.left, 0, name, look);
	} else {
		end = grid_text_short(g, cell, 0, 0, name, room, look);
		if (columns_of(name) <= room)
			paint_found(s, g, cell, name);
	}
	if (*mark && (room < cell.width || s->list.left))
		grid_text(g, cell, end + 1, 0, mark, quiet);
}

static void draw_row(const struct sheet *s, const struct cells *c, struct grid *g, struct area a, uint32_t i)
{
	bool here = c->top + i == s->list.at && !s->is_quiet;
	struct area line = { a.x, a.y + (int)i, a.width, 1 };

	if (here)
		grid_fill(g, line, ' ', theme_look(LOOK_SELECTED));
	for (uint32_t k = 0; k < s->n_shown; k++) {
		uint32_t col = s->shown[k];
		size_t at = (size_t)i * s->n_shown + k;
		const char *text = c->text.data + c->at[at];
		struct look look = here ? theme_selected(c->look[at]) : c->look[at];
		struct area cell = cell_area(s, col, a, (int)i);

		if (col == s->class->name)
			draw_name(s, g, cell, s->row[c->top + i], text, look, here);
		else if (s->class->column[col].is_text)
			grid_text_short(g, cell, 0, 0, text, cell.width, look);
		else
			grid_text_right(g, cell, cell.width, 0, text, look);
	}
}

void sheet_draw(struct sheet *s, struct grid *g, struct area a)
{
	struct cells c = { 0 };
	struct area all = { a.x, a.y + 1, a.width, a.height > 1 ? a.height - 1 : 0 }, rows = all;
	uint32_t height = (uint32_t)all.height, name = s->class->name;
	int most;

	shell_list_fit(&s->list, s->list.n, all.height);
	if (s->list.n > height)
		rows.width = a.width - 2; /* a blank and the bar */
	c.top = s->list.top;
	c.n = s->list.n - c.top < height ? s->list.n - c.top : height;
	take_cells(s, &c);
	fit_columns(s, rows.width);
	most = c.longest - (s->to[name] - s->from[name]);
	s->list.left = s->list.left < most ? s->list.left : most > 0 ? most : 0;
	assert(s->list.left >= 0);
	if (a.height > 0)
		draw_headings(s, g, a);
	for (uint32_t i = 0; i < c.n; i++)
		draw_row(s, &c, g, rows, i);
	shell_list_draw_bar(&s->list, g, all, theme_look(LOOK_QUIET));
	buf_release(&c.text);
	free(c.at);
	free(c.look);
}
