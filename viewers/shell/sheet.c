/*
 * sheet.c - rows in columns: which are shown, in which order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/sheet.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

struct sorting {
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
	const struct sorting *l = a, *r = b;
	int c = l->text ? strcmp(l->text, r->text) : compare_weights(l->weight, r->weight);

	if (c)
		return l->is_reversed ? -c : c;
	c = strcmp(l->name, r->name);
	return c ? c : (l->row > r->row) - (l->row < r->row);
}

static void sort_rows(struct sheet *s)
{
	const struct sheet_class *class = s->class;
	struct sorting *list = mem_alloc(s->n_rows, sizeof(*list));
	bool is_text = class->column[s->by].is_text;

	for (uint32_t i = 0; i < s->n_rows; i++)
		list[i] = (struct sorting){ .weight = is_text ? 0 : class->weight(s, i, s->by),
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

/* The shown rows are those of the sorted ones that have what is looked for. */
static void show_rows(struct sheet *s)
{
	uint32_t n = 0, row = 0;
	bool was = sheet_selected(s, &row);

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (!s->find || find_in(s->find, s->class->text(s, s->sorted[i], s->class->name)))
			s->row[n++] = s->sorted[i];
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

void sheet_filter(struct sheet *s, struct find *f)
{
	find_free(s->find);
	s->find = f;
	show_rows(s);
}

/* ---- where one is ---- */

bool sheet_selected(const struct sheet *s, uint32_t *row)
{
	if (s->list.at >= s->list.n)
		return false;
	*row = s->row[s->list.at];
	return true;
}

bool sheet_select(struct sheet *s, uint32_t row)
{
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
}

bool sheet_is_shown(const struct sheet *s, uint32_t col)
{
	return place_of(s, col) < s->n_shown;
}

void sheet_toggle(struct sheet *s, uint32_t col)
{
	uint32_t at = place_of(s, col);

	if (col == s->class->name)
		return;
	if (at == s->n_shown) { /* in front of the one that stands behind it at first */
		at = 0;
		while (at < s->n_shown && s->shown[at] < col)
			at++;
		memmove(s->shown + at + 1, s->shown + at, (s->n_shown++ - at) * sizeof(*s->shown));
		s->shown[at] = col;
	} else {
		memmove(s->shown + at, s->shown + at + 1, (--s->n_shown - at) * sizeof(*s->shown));
	}
}

void sheet_shift(struct sheet *s, uint32_t col, int by)
{
	uint32_t at = place_of(s, col), to = at + (uint32_t)by;

	if (at >= s->n_shown || to >= s->n_shown)
		return;
	s->shown[at] = s->shown[to];
	s->shown[to] = col;
}
