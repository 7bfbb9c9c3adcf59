/*
 * threads_lines.h - lines of a dump of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_THREADS_LINES_H
#define ATTACH_THREADS_LINES_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

enum { THREADS_WIDTH = 80, THREADS_PLACE_MAX = 34 };

/* Append a piece of a list of names, on the next line if it is too wide for this one. */
void attach_threads_add_piece(struct buf *out, const char *piece, size_t n, size_t *column);

/* Append FILE:LINE without its folder. n of file 0: nothing; line 0: none. */
void attach_threads_add_place(struct buf *out, const char *file, size_t n, uint64_t line);

/*
 * Append FUNCTION PLACE, both made harmless and cut so that the line is not too wide.
 *
 * column   where places begin, if the function leaves them room
 */
void attach_threads_add_line(struct buf *out, const char *function, const struct buf *place, size_t column);

#endif
