/*
 * threads.h - print the threads of a running process for people, in Go's text format, or as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_THREADS_H
#define ATTACH_THREADS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_threads_options {
	int64_t debug; /* 1, 2: as Go prints goroutines; 0: for people */
	bool proto;    /* write profile.proto instead */
};

/*
 * Append the threads of a process. For people, threads with the same stack and the same kind of wait are grouped, the
 * longest wait first, in lines of at most 80 columns.
 *
 * pid     above 0
 * Fails   ERR_IO if the process cannot be read, else as symbolize_local
 */
int attach_threads(pid_t pid, const struct attach_threads_options *o, struct buf *out, struct err *err);

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
