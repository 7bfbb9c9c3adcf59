/*
 * columns.h - widths of characters in columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stddef.h>

/* The width of a text in columns of a fixed-width font; a character takes 0, 1 or 2. */
size_t column_count(const char *text);

/* The same of n bytes of terminal output: colours (ESC to m) take no column. */
size_t column_count_line(const char *line, size_t n);

/*
 * The length in bytes of the first character of a text and its combining marks; 0 at the end of the text.
 *
 * columns  set to its width
 */
size_t column_next(const char *text, size_t *columns);

#endif
