/*
 * grid.h - a screen of character cells, and drawing into it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Views draw only here, so tests read screens as text; screen.c writes the cells to a
 * terminal. Everything is clipped, and text of a profile never leaves its cells.
 */
#ifndef FRONT_SHELL_TERMINAL_GRID_H
#define FRONT_SHELL_TERMINAL_GRID_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CELL_MARKS = 3 }; /* combining marks stored per character */

/* 0xRRGGBB, or the terminal's default. Terminals with fewer colours get the nearest one; see palette.h. */
#define COLOR_DEFAULT UINT32_C(0x1000000)

enum attr { ATTR_BOLD = 1, ATTR_DIM = 2, ATTR_UNDERLINE = 4, ATTR_REVERSE = 8 };

struct style {
	uint32_t fg, bg;
	uint8_t attr;
};

struct grid_cell {
	uint32_t ch;               /* 0: this cell is the right half of the wide character before it */
	uint32_t mark[CELL_MARKS]; /* combining marks, ended by 0 if there are fewer */
	struct style style;
};

struct grid {
	int width, height;
	struct grid_cell *cell; /* [height * width] row by row */
	int cursor_x, cursor_y; /* -1: no cursor */
	bool is_ascii;          /* the terminal has no UTF-8: draw other characters as similar ASCII or ? */
};

/* A rectangle of a grid. */
struct area {
	int x, y, width, height;
};

/* Set the size and clear the grid. Can be called again to resize. Released with grid_release. */
void grid_resize(struct grid *g, int width, int height);
void grid_release(struct grid *g);
void grid_clear(struct grid *g, struct style style);

struct area grid_area(const struct grid *g);

/* Fill a rectangle with one style and with blanks or the character ch. */
void grid_fill(struct grid *g, struct area a, uint32_t ch, struct style style);

/* Change the style of cells, not their characters. */
void grid_paint(struct grid *g, struct area a, struct style style);

/*
 * Write untrusted text from column x of row y of an area on. Control characters become \x1b, as in utf8_add_safe, and a
 * tab is one blank. The text is clipped to the area without halving characters; x may be below 0.
 *
 * Returns the column after it
 */
int grid_text(struct grid *g, struct area a, int x, int y, const char *text, struct style style);

/* Like grid_text, but the text ends before column x; text that does not fit is cut at its start. */
void grid_text_right(struct grid *g, struct area a, int x, int y, const char *text, struct style style);

/* Like grid_text, but a text wider than columns is cut in its middle. */
int grid_text_short(struct grid *g, struct area a, int x, int y, const char *text, int columns, struct style style);

/*
 * Draw a share of cells as a bar from column x of row y of an area on, in eighths of a cell. A share above 0
 * fills at least an eighth.
 *
 * share   clipped to 0..1
 */
void grid_bar(struct grid *g, struct area a, int x, int y, int cells, double share, struct style style);

/* Draw a border inside an area, with a title in its top line. Return the area inside the border. */
struct area grid_frame(struct grid *g, struct area a, const char *title, struct style style);

/* The width of a character in columns: 0, 1 or 2, as in viewers/flame. */
int grid_columns(uint32_t ch);

/*
 * Append the screen as text: a line per row without trailing blanks. with_styles also adds a | before each row, a line
 * of letters below each row that has styles, and finally the meaning of the letters and the position of the cursor.
 */
void grid_add_text(const struct grid *g, bool with_styles, struct buf *out);

/* Clear and return the area of a window of this size in the middle of a grid; smaller if the grid is. */
struct area grid_box(struct grid *g, int width, int height, struct style style);

/* Is a position, such as that of a mouse event, in an area? */
bool grid_has(struct area a, int x, int y);

#endif
