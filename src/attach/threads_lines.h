/*
 * threads_lines.h - format the lines of a dump of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_THREADS_LINES_H
#define ATTACH_THREADS_LINES_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { THREADS_WIDTH = 80, THREADS_PLACE_MAX = 34 };

/* Append a piece of a list of names, on the next line if this line has no room for it. */
void attach_threads_add_piece(struct buf *out, const char *piece, size_t n, size_t *column);

/* Append FILE:LINE without the folder. n 0: append nothing; line 0: no line. */
void attach_threads_add_place(struct buf *out, const char *file, size_t n, uint64_t line);

/*
 * Append FUNCTION PLACE, with unsafe characters replaced, and cut to the width of the line.
 *
 * column   where places begin, if the functions are short enough
 */
void attach_threads_add_line(struct buf *out, const char *function, const struct buf *place, size_t column);

#endif
