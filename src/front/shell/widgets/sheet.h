/*
 * sheet.h - rows in columns with headings: sorting, filtering, choice of columns
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A view provides the columns and the text of cells. The sheet manages which rows are shown in which
 * order, which columns fit, and which cell was clicked. Only visible cells are formatted.
 */
#ifndef FRONT_SHELL_WIDGETS_SHEET_H
#define FRONT_SHELL_WIDGETS_SHEET_H

#include "base/buf.h"
#include "front/shell/terminal/theme.h"
#include "front/shell/widgets/find.h"
#include "front/shell/widgets/list.h"

enum { SHEET_MAX = 16 };

struct sheet_column {
	const char *key;   /* name in the saved preferences */
	const char *title; /* the heading */
	const char *help;  /* explains the column in the list of columns */
	uint8_t drop_rank; /* columns with the highest rank are dropped first; 0 is never dropped */
	uint8_t width;     /* minimum for numbers, maximum for text; the name takes the remaining room */
	bool is_text;      /* aligned left, cut when too long, sorted from A to Z; numbers are aligned right */
	bool is_extra;     /* hidden unless chosen */
};

/* The callbacks of a view. at is an index into the shown rows; sheet->row[at] is the row's number. */
struct sheet;
struct sheet_class {
	const struct sheet_column *column; /* [n_columns] at most SHEET_MAX */
	uint32_t n_columns;
	uint32_t name; /* the column that is searched, and that orders rows with equal values */
	/* Append the text of a cell. *style is plain initially. */
	void (*cell)(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct style *style);
	/* The value to sort numbers by, the largest first; not called for text. */
	double (*value)(const struct sheet *s, uint32_t row, uint32_t col);
	/* The text, borrowed; not called for numbers. */
	const char *(*text)(const struct sheet *s, uint32_t row, uint32_t col);
	/* A mark after the name, drawn dimmed; NULL: rows have none. */
	const char *(*mark)(const struct sheet *s, uint32_t row);
	/* Columns that the name is indented by; NULL: no row is indented. */
	int (*indent)(const struct sheet *s, uint32_t row);
};

struct sheet {
	const struct sheet_class *class;
	const void *rows; /* view data for the callbacks */
	uint32_t n_rows;
	struct list list;                   /* the shown rows */
	uint32_t *row;                      /* [list.n] the numbers of the shown rows */
	uint32_t *sorted;                   /* [n_rows] the numbers of all rows */
	uint32_t shown[SHEET_MAX], n_shown; /* columns, left to right */
	uint32_t sort_column;               /* column that rows are sorted by */
	bool is_reversed;
	bool is_inactive;                         /* the selected row is not highlighted */
	struct find *find;                        /* only matching rows are shown; NULL: all */
	int width[SHEET_MAX];                     /* width of the widest cell so far */
	int x_begin[SHEET_MAX], x_end[SHEET_MAX]; /* edges of the columns; equal if not drawn */
};

/* Start with the default columns. The sheet must be zeroed; sheet_release frees it. */
void sheet_init(struct sheet *s, const struct sheet_class *class, uint32_t by);
void sheet_release(struct sheet *s);

/* Set the rows. sheet_sort must be called next. */
void sheet_set_rows(struct sheet *s, const void *rows, uint32_t n);

/*
 * Sort all rows by s->sort_column, then by name, then by number.
 *
 * is_sorted  the rows are already in this order
 */
void sheet_sort(struct sheet *s, bool is_sorted);

/* Show only the rows whose name matches, in order; "" shows all. */
void sheet_filter(struct sheet *s, const char *text);

/* The number of the selected row; false when there is none. */
bool sheet_selected(const struct sheet *s, uint32_t *row);

/* Select a row by its number; false when it is not shown. */
bool sheet_select(struct sheet *s, uint32_t row);

/* Select the next row that matches f, in direction 1 or -1, wrapping around. */
bool sheet_find(struct sheet *s, struct find *f, int by);

/* Draw headings and rows. */
void sheet_draw(struct sheet *s, struct grid *g, struct area a);

/* Append the position of the selected row: "12/340", "3/12 of 340 rows". */
void sheet_add_position(const struct sheet *s, struct buf *out);

/* The column whose heading is at x; false when there is none. */
bool sheet_heading_at(const struct sheet *s, int x, uint32_t *col);

/* The shown column this many places to the right of the sort column. */
uint32_t sheet_neighbour_column(const struct sheet *s, int by);

/* Write the keys of the shown columns, and read them; unknown keys are skipped. */
void sheet_add_columns(const struct sheet *s, struct buf *out);
void sheet_read_columns(struct sheet *s, const char *keys);

/* Show or hide a column, or move it to the left (-1) or right (1). Name columns are always shown. */
bool sheet_is_shown(const struct sheet *s, uint32_t col);
void sheet_toggle(struct sheet *s, uint32_t col);
void sheet_shift(struct sheet *s, uint32_t col, int by);

#endif
