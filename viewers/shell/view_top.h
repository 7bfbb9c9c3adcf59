/*
 * view_top.h - shared by the files of the Top view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_TOP_H
#define VIEWERS_SHELL_VIEW_TOP_H

#include "viewers/shell/sheet.h"

/* Columns of the sheet. */
enum top_column {
	SHEET_FLAT,
	SHEET_FLAT_PCT,
	SHEET_SUM_PCT,
	SHEET_CUM,
	SHEET_CUM_PCT,
	SHEET_NAME,
	SHEET_INLINED,
	SHEET_FILE,
	SHEET_LINE
};

/* Columns of the sheet with before and after: four for flat, the same four for cum, and others. */
enum sides_column {
	SIDES_BEFORE,
	SIDES_AFTER,
	SIDES_DELTA,
	SIDES_DELTA_PCT,
	SIDES_CUM_BEFORE,
	SIDES_CUM_AFTER,
	SIDES_CUM_DELTA,
	SIDES_CUM_DELTA_PCT,
	SIDES_NAME,
	SIDES_INLINED,
	SIDES_FILE,
	SIDES_LINE
};

/* The model. */
struct top_rows {
	const struct report *r;
	const struct row_place *place; /* [rows] */
	enum sort sort;                /* the order of the rows */
	bool is_net;                   /* values are differences */
	bool is_sides;                 /* rows have both sides (report top_sides) */
	bool is_preliminary;           /* inlined functions are not marked yet */
	int64_t before, after;         /* totals of the sides */
	int64_t *sum; /* [rows] running sum of flat over the shown rows; filled in by the view, unused for sides */
};

extern const struct sheet_class shell_top_sheet, shell_top_sides_sheet;

/* Add up flat over the shown rows. */
void shell_top_add_up(const struct sheet *s);

/* The function and file of each row. If a row has no file, the file of the first function of that name is used. On
   the worker's thread. */
struct row_place *shell_top_places(const struct profile *p, const struct report *r, struct arena *mem);

#endif
