/*
 * sheet.h - rows in columns with headings: sorted, filtered, with the columns one chose
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A view gives the columns and the text of cells; the sheet knows which rows are shown in which
 * order, which columns fit, where a click was. Only visible cells are asked for.
 */
#ifndef VIEWERS_SHELL_SHEET_H
#define VIEWERS_SHELL_SHEET_H

#include "base/buf.h"
#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

enum { SHEET_MAX = 16 };

struct sheet_column {
	const char *key;   /* in what is kept */
	const char *title; /* over it */
	const char *does;  /* what it is, for the list to choose from */
	uint8_t rank;      /* where room is short the highest goes first; 0 stays */
	uint8_t width;     /* at least; of a text at most, but for the name, which takes what there is */
	bool is_text;      /* to the left and cut when it is long, and sorted from A to Z; else to the right */
	bool is_extra;     /* only there when chosen */
};

/* The functions of a view. at is the place of a row among the shown ones, sheet->row[at] its number. */
struct sheet;
struct sheet_class {
	const struct sheet_column *column; /* [n_columns] at most SHEET_MAX */
	uint32_t n_columns;
	uint32_t name; /* the column that is searched, and that parts rows with equal values */
	/* Append the text of a cell; *look is plain before. */
	void (*cell)(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct look *look);
	/* Weight to sort numbers by, the largest first; not called for text. */
	double (*weight)(const struct sheet *s, uint32_t row, uint32_t col);
	/* A text, borrowed; not called for numbers. */
	const char *(*text)(const struct sheet *s, uint32_t row, uint32_t col);
	/* A mark after the name, drawn quietly; NULL: no row has one. */
	const char *(*mark)(const struct sheet *s, uint32_t row);
};

struct sheet {
	const struct sheet_class *class;
	const void *rows; /* the view's, for its functions */
	uint32_t n_rows;
	struct list list;                   /* of the shown rows */
	uint32_t *row;                      /* [list.n] the shown ones */
	uint32_t *sorted;                   /* [n_rows] all */
	uint32_t shown[SHEET_MAX], n_shown; /* columns, left to right */
	uint32_t by;                        /* column that rows are sorted by */
	bool is_reversed;
	bool is_quiet;                      /* the selected row is not marked */
	struct find *find;                  /* rows that have it are shown; NULL: all */
	int width[SHEET_MAX];               /* what its cells took so far */
	int from[SHEET_MAX], to[SHEET_MAX]; /* where it was drawn; from is to when it was not */
};

/* Columns as they are at first. The sheet is zero before; sheet_release ends it. */
void sheet_init(struct sheet *s, const struct sheet_class *class, uint32_t by);
void sheet_release(struct sheet *s);

/* Show other rows. Then sheet_sort must be called. */
void sheet_set_rows(struct sheet *s, const void *rows, uint32_t n);

/*
 * Put all rows in order: by s->by, equal ones by name, then as they came.
 *
 * as_came  they come in this order
 */
void sheet_sort(struct sheet *s, bool as_came);

/* Show the rows that have a text, in their order; "" shows all. */
void sheet_filter(struct sheet *s, const char *text);

/* The number of the selected row; false when there is none. */
bool sheet_selected(const struct sheet *s, uint32_t *row);

/* Select a row by its number; false when it is not shown. */
bool sheet_select(struct sheet *s, uint32_t row);

/* Select the next row in a direction, 1 or -1, that has f; round the end. */
bool sheet_find(struct sheet *s, struct find *f, int by);

/* Draw headings and rows. */
void sheet_draw(struct sheet *s, struct grid *g, struct area a);

/* Append the position of the selected row: "12/340", "3/12 of 340 rows". */
void sheet_add_position(const struct sheet *s, struct buf *out);

/* The column whose heading is at x; false when none is. */
bool sheet_heading_at(const struct sheet *s, int x, uint32_t *col);

/* The shown column so many places to the right of the one that rows are sorted by. */
uint32_t sheet_beside(const struct sheet *s, int by);

/* Write the shown columns as their keys, and read that; unknown keys are skipped. */
void sheet_add_columns(const struct sheet *s, struct buf *out);
void sheet_read_columns(struct sheet *s, const char *keys);

/* Show a column or not, move it to the left or right; name columns stay. */
bool sheet_is_shown(const struct sheet *s, uint32_t col);
void sheet_toggle(struct sheet *s, uint32_t col);
void sheet_shift(struct sheet *s, uint32_t col, int by);

/*
 * Open the window to choose columns. What is chosen is kept under a name, for later sessions where
 * shell_open says so; columns_read reads it. The sheet must stay where it is while the window is open.
 */
void columns_open(struct shell *s, struct sheet *sheet, const char *name);
void columns_read(struct shell *s, struct sheet *sheet, const char *name);

#endif
