/*
 * peek.h - the stack of a thread that waits, without a word to it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel tells where a thread that waits is, and its memory can be read. Nothing is stopped and no
 * signal is sent, so no call of it is interrupted.
 */
#ifndef LIBCPAPROF_COLLECTOR_PEEK_H
#define LIBCPAPROF_COLLECTOR_PEEK_H

#include "libcpaprof/collector/space.h"

enum { PEEK_RANGES = 4 };

/* Begins as zeros, but for space.mem: -1. */
struct peek {
	struct space space;
	struct unwind_cache cache;
	unsigned char *copy[PEEK_RANGES]; /* of pieces of stacks */
};

/*
 * The stack that begins at these registers.
 *
 * pc      [max] out: leaf first; all but the first are of calls, not return addresses
 * end     out: why it ended
 * Gives   the number of frames, at least 1
 */
uint32_t peek_stack(struct peek *p, uint64_t ip, uint64_t sp, uint64_t *pc, uint32_t max, enum unwind_end *end);

void peek_release(struct peek *p);

#endif
