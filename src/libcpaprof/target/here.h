/*
 * here.h - the stack of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_HERE_H
#define LIBCPAPROF_TARGET_HERE_H

#include <stdint.h>

/*
 * The stack of the caller.
 *
 * pc      [max] out: leaf first; all but pc[0] are already of calls, not return addresses
 * skip    frames to leave out: 0 begins with the function that calls this
 * Gives   the number of frames, less than max by those left out; 0 when the stack is none that can be read.
 *         Any thread may call it, also of a program that is not profiled, also in signal handlers, and on
 *         small stacks. max is at most FRAMES_MAX.
 */
uint32_t cpi_here_sig(uint64_t *pc, uint32_t max, uint32_t skip);

#endif
