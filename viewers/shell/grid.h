/*
 * grid.h - a screen of character cells, and drawing into it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Views draw here and nowhere else, so tests read screens as text; screen.c carries the cells to a
 * terminal. Everything is clipped; no text of a profile gets out of its cells.
 */
#ifndef VIEWERS_SHELL_GRID_H
#define VIEWERS_SHELL_GRID_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_MARKS = 3 }; /* combining marks kept on one character */

/* 0xRRGGBB, or the terminal's own. Terminals with fewer colours get the nearest; see depth.h. */
#define COLOR_OWN UINT32_C(0x1000000)

enum attr { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8 };

struct look {
	uint32_t ink, paper; /* colours */
	uint8_t attr;
};

struct grid_cell {
	uint32_t ch;               /* 0: the right half of the wide character before it */
	uint32_t mark[CELL_MARKS]; /* 0 ends them */
	struct look look;
};

struct grid {
	int width, height;
	struct grid_cell *cell; /* [height * width] row by row */
	int cursor_x, cursor_y; /* -1: no cursor */
	bool ascii;             /* the terminal has no UTF-8: what is not ASCII becomes ? or a like character */
};

/* A rectangle of a grid. */
struct area {
	int x, y, width, height;
};

/* Of this size, blank; released with grid_release. A second call gives it a new size. */
void grid_resize(struct grid *g, int width, int height);
void grid_release(struct grid *g);
void grid_clear(struct grid *g, struct look look);

struct area grid_area(const struct grid *g);

/* Fill a rectangle with one look, blank or with the character ch. */
void grid_fill(struct grid *g, struct area a, uint32_t ch, struct look look);

/* Change the look of cells and leave their characters. */
void grid_paint(struct grid *g, struct area a, struct look look);

/*
 * Write text (hostile: controls become \x1b, as utf8_add_safe; a tab is one blank) from column x of row y
 * of an area on, cut at the area's sides with no character halved: x may be below 0.
 *
 * Gives   the column after it
 */
int grid_text(struct grid *g, struct area a, int x, int y, const char *text, struct look look);

/* The same with the text's end at column x (exclusive); what does not fit is cut at its start. */
void grid_text_right(struct grid *g, struct area a, int x, int y, const char *text, struct look look);

/* The same with a text shortened from its middle when it takes more than columns. */
int grid_text_short(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct look look);

/*
 * Draw a share of cells as a bar from column x of row y of an area on, to an eighth of a cell. A share above 0
 * fills an eighth at least.
 *
 * share   0 to 1; smaller and larger ones are cut
 */
void grid_bar(struct grid *g, struct area a, int x, int y, int cells, double share, struct look look);

/* A frame of lines around an area, inside it, with a title in its upper side; gives what is inside. */
struct area grid_frame(struct grid *g, struct area a, const char *title, struct look look);

/* The columns that a character takes: 0, 1 or 2, by the rule of viewers/flame. */
int grid_columns(uint32_t ch);

/*
 * Append the screen as text: a line per row without blanks at its end. looks puts | before each row, below
 * those that have some a line of letters for the looks of their cells, and after all rows what the letters
 * mean and where the cursor is.
 */
void grid_add_text(const struct grid *g, bool looks, struct buf *out);

#endif
