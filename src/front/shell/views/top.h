/*
 * top.h - shared by the files of the Top view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_TOP_H
#define FRONT_SHELL_VIEWS_TOP_H

#include "front/shell/state.h"
#include "front/shell/widgets/sheet.h"

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

/*
 * Open the window that chooses columns. The choice is saved as a preference, which columns_read restores.
 * The sheet must not move in memory while the window is open.
 */
void columns_open(struct shell *s, struct sheet *sheet, const char *name);
void columns_read(struct shell *s, struct sheet *sheet, const char *name);

#endif
