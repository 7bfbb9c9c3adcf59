/*
 * grid_int.h - cells inside: what the files of the grid share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_GRID_INT_H
#define VIEWERS_SHELL_GRID_INT_H

#include "viewers/shell/grid.h"

/* One character as it goes into cells: with its marks, one or two columns wide. */
struct glyph {
	uint32_t ch;
	uint32_t mark[CELL_MARKS];
	int columns;
};

/* How many columns a character takes: 0, 1 or 2. The rule is that of viewers/flame. */
int glyph_columns(uint32_t ch);

/* What stands for a character where only ASCII can be shown; ? when nothing looks like it. */
char glyph_ascii(uint32_t ch);

/* The part of an area that is on the grid. */
struct area grid_clip(const struct grid *g, struct area a);

/*
 * Put a glyph into the cell of column x and row y of the grid, which must have both its columns. What
 * is left of a wide character that it covers by half becomes blank.
 */
void grid_put(struct grid *g, int x, int y, const struct glyph *glyph, struct look look);

#endif
