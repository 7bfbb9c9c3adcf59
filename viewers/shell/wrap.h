/*
 * wrap.h - text in rows of so many columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_WRAP_H
#define VIEWERS_SHELL_WRAP_H

#include "viewers/shell/grid.h"

#include <stddef.h>

/*
 * The first row of a text: up to a line's end or the last blank before the row is full; a word that is
 * longer than a row is cut.
 *
 * next    set to where the next row begins; text[next] is 0 at the end
 * Gives   how many bytes the row has; 0 only for an empty line
 */
size_t wrap_row(const char *text, int columns, size_t *next);

/* Draw a text in the rows of an area from row y on. Gives the row behind it. */
int wrap_draw(struct grid *g, struct area a, int x, int y, const char *text, struct look look);

#endif
