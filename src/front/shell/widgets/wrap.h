/*
 * wrap.h - wrapping text to a number of columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_WRAP_H
#define FRONT_SHELL_WIDGETS_WRAP_H

#include "front/shell/terminal/grid.h"

#include <stddef.h>

/*
 * Find the first row of a text: up to the end of its line, or the last blank that fits. A word longer than a row
 * is cut.
 *
 * next    set to the start of the next row; text[next] is 0 at the end
 * Returns the number of bytes in the row; 0 only for an empty line
 */
size_t wrap_row(const char *text, int columns, size_t *next);

/* Draw a text in the rows of an area from row y on. Return the row after it. */
int wrap_draw(struct grid *g, struct area a, int x, int y, const char *text, struct style style);

#endif
