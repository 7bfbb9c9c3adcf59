/*
 * memory.h - memory that is not the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector may live in a thread of the profiled program, which may have its own malloc, be in the
 * middle of it, or run out of it. So all memory here comes from mmap, and when there is none the
 * caller is told and drops what it wanted to keep; nothing ever ends the process.
 */
#ifndef LIBCPAPROF_COLLECTOR_MEMORY_H
#define LIBCPAPROF_COLLECTOR_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements of one size, one behind the other; growing moves them. Begins as zeros. */
struct vec {
	void *data;
	size_t n, cap;
};

/*
 * Room for more elements behind the n that there are; n is not changed.
 *
 * most    n never goes beyond this
 * Gives   the first new one, zeros unless it was there before; NULL when there is no memory or no room
 */
void *vec_room(struct vec *v, size_t more, size_t size, size_t most);
void vec_release(struct vec *v, size_t size);

/* Zeros of this many bytes, by mmap; NULL when there is no memory. */
void *memory_map(size_t size);
void memory_unmap(void *p, size_t size);
/* The same, for secrets: it is in no core dump. */
void *memory_map_secret(size_t size);

#endif
