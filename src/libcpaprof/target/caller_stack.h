/*
 * caller_stack.h - the stack of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_CALLER_STACK_H
#define LIBCPAPROF_TARGET_CALLER_STACK_H

#include <stdint.h>

enum { STACK_COPY_SIZE = 3 * 4096 };

/*
 * Copy the stack of this thread from sp on, to walk the copy.
 *
 * to      [STACK_COPY_SIZE] out
 * Returns the number of bytes; 0 if they cannot be read, or the process is sandboxed
 */
uint64_t cpi_caller_stack_copy_sig(uint64_t sp, unsigned char *to);

/*
 * Record the stack of the caller. Safe in any thread, in signal handlers, on small stacks and in programs that are
 * not profiled.
 *
 * pc      [max] out: leaf first; each address is in a call instruction, not the return address after it
 * max     at most FRAMES_MAX
 * skip    frames to leave out; 0 starts with the function that calls this
 * Returns the number of frames, at most max - skip - 1; 0 if the stack cannot be read
 */
uint32_t cpi_caller_stack_sig(uint64_t *pc, uint32_t max, uint32_t skip);

#endif
