/*
 * series.c - totals over time as text: a table with bars, or a plot
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "viewers/text/text_int.h"
#include "viewers/text/text.h"

#include <stdlib.h>
#include <string.h>

enum { BAR_WIDTH = 30, PLOT_HEIGHT = 12, PLOT_WIDTH = 72, TIME_WIDTH = 20, COL_TIME = 0, COL_TOTAL = 1 };

static int64_t text_series_value_at(const struct table *t, uint32_t row, uint32_t col)
{
	return t->cell[(size_t)row * t->n_cols + col].value;
}

/* The column whose values the bars show: that of cum if there is one. */
static uint32_t bar_column(const struct table *t)
{
	for (uint32_t c = 0; c < t->n_cols; c++)
		if (strcmp(t->col[c].key, "cum") == 0)
			return c;
	return COL_TOTAL;
}

static uint64_t text_series_largest(const struct table *t, uint32_t col)
{
	uint64_t max = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		max = num_abs(text_series_value_at(t, i, col)) > max ? num_abs(text_series_value_at(t, i, col)) : max;
	return max;
}

/* The length of a bar of at most width for a value; at least 1 unless the value is 0. */
static size_t bar_length(int64_t value, uint64_t max, size_t width)
{
	double share = max ? (double)num_abs(value) / (double)max : 0;
	size_t n = (size_t)(share * (double)width + 0.5);

	return n ? n : value != 0;
}

static size_t text_series_column_width(const struct report *r, uint32_t col)
{
	const struct column *c = &r->table.col[col];
	size_t least = strlen(c->title) + 1, width;

	if (c->kind == CELL_WORD || c->kind == CELL_NAME)
		return TIME_WIDTH;
	width = text_compare_width(r, col, false, least);
	return width < 9 ? 9 : width;
}

/* The widths of all columns; freed by the caller. */
static size_t *column_widths(const struct report *r)
{
	size_t *width = mem_alloc(r->table.n_cols, sizeof(*width));

	for (uint32_t c = 0; c < r->table.n_cols; c++)
		width[c] = text_series_column_width(r, c);
	return width;
}

static void text_series_add_titles(const struct report *r, const size_t *width, bool color, struct buf *out)
{
	const struct table *t = &r->table;

	buf_addz(out, color ? STYLE_TITLE : "");
	buf_addf(out, "%-*s", TIME_WIDTH, t->col[COL_TIME].title);
	for (uint32_t c = 1; c < t->n_cols; c++)
		if (t->col[c].kind != CELL_NAME)
			text_compare_add_title(t->col[c].title, width[c], out);
	buf_addz(out, color ? STYLE_END "\n" : "\n");
}

/* The column of the bars. */
struct bars {
	uint32_t col;
	uint64_t max;
};

static void text_series_add_row(const struct report *r, uint32_t row, const size_t *width, const struct bars *bars,
				bool color, struct buf *out)
{
	const struct table *t = &r->table;
	const union cell *cell = t->cell + (size_t)row * t->n_cols;
	const char *marks = "";
	size_t length = bar_length(cell[bars->col].value, bars->max, BAR_WIDTH);

	buf_addf(out, "%-*s", TIME_WIDTH, cell[COL_TIME].text);
	for (uint32_t c = 1; c < t->n_cols; c++) {
		if (t->col[c].kind == CELL_NAME)
			marks = cell[c].text;
		else
			text_compare_add_cell(&r->head, &t->col[c], &cell[c], width[c], out);
	}
	if (length || *marks)
		buf_addz(out, "  ");
	buf_fill(out, '#', length);
	if (*marks) {
		buf_fill(out, ' ', length ? 1 : 0);
		buf_addz(out, color ? STYLE_NOTE "< " : "< ");
		utf8_add_safe(out, marks, strlen(marks));
		buf_addz(out, color ? STYLE_END : "");
	}
	buf_add(out, "\n", 1);
}

void text_draw_series(const struct report *r, bool color, struct buf *out)
{
	const struct table *t = &r->table;
	const struct bars bars = { bar_column(t), text_series_largest(t, bar_column(t)) };
	size_t *width = column_widths(r);

	text_add_total_head(r, out);
	text_series_add_titles(r, width, color, out);
	for (uint32_t i = 0; i < t->n_rows; i++)
		text_series_add_row(r, i, width, &bars, color, out);
	free(width);
}

/* ---- plot ---- */

/* The number of characters that each step is wide, and of steps that each character shows; one of them is 1. */
struct scale {
	uint32_t width, steps;
};

static struct scale plot_scale(uint32_t n)
{
	if (n > PLOT_WIDTH)
		return (struct scale){ 1, (n + PLOT_WIDTH - 1) / PLOT_WIDTH };
	return (struct scale){ n ? PLOT_WIDTH / n : 1, 1 };
}

/* The largest value of the steps of one character. */
static int64_t plot_value(const struct table *t, uint32_t col, uint32_t at, uint32_t steps)
{
	int64_t max = 0;

	for (uint32_t i = at * steps; i < (at + 1) * steps && i < t->n_rows; i++)
		max = num_abs(text_series_value_at(t, i, col)) > num_abs(max) ? text_series_value_at(t, i, col) : max;
	return max;
}

static void text_series_add_line(const struct report *r, uint32_t col, uint64_t max, size_t height, struct buf *out)
{
	const struct table *t = &r->table;
	struct scale scale = plot_scale(t->n_rows);
	uint32_t n = (t->n_rows + scale.steps - 1) / scale.steps;
	bool has_value = height == PLOT_HEIGHT || height == PLOT_HEIGHT / 2 + 1;
	int64_t shown = height == PLOT_HEIGHT ? (int64_t)max : (int64_t)(max / 2);

	if (has_value)
		text_add_value(&r->head, shown, 10, out);
	else
		buf_fill(out, ' ', 10);
	buf_addz(out, " |");
	for (uint32_t i = 0; i < n; i++) {
		bool is_filled = bar_length(plot_value(t, col, i, scale.steps), max, PLOT_HEIGHT) >= height;

		buf_fill(out, is_filled ? '#' : ' ', scale.width);
	}
	while (out->data[out->len - 1] == ' ')
		out->len--;
	buf_add(out, "\n", 1);
}

void text_plot_series(const struct report *r, bool color, struct buf *out)
{
	const struct table *t = &r->table;
	struct scale scale = plot_scale(t->n_rows);
	uint32_t col = bar_column(t), n = (t->n_rows + scale.steps - 1) / scale.steps;
	uint64_t max = text_series_largest(t, col);
	const char *first = t->n_rows ? t->cell[0].text : "", *last;

	(void)color;
	last = t->n_rows > 1 ? t->cell[(size_t)(t->n_rows - 1) * t->n_cols].text : "";
	text_add_total_head(r, out);
	for (size_t height = PLOT_HEIGHT; height > 0; height--)
		text_series_add_line(r, col, max, height, out);
	buf_fill(out, ' ', 11);
	buf_addz(out, "+");
	buf_fill(out, '-', (size_t)n * scale.width);
	buf_addf(out, "\n            %s", first);
	if ((size_t)n * scale.width > strlen(first) + strlen(last))
		buf_fill(out, ' ', (size_t)n * scale.width - strlen(first) - strlen(last));
	else
		buf_addz(out, *last ? " .. " : "");
	buf_addf(out, "%s\n", last);
}
