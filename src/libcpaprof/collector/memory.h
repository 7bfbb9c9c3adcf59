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

/*
 * Index of the first row for which is_before is false; it is true for all rows before that one, and false for all after.
 *
 * size  of a row, which is not 0
 */
static inline size_t vec_bound(const struct vec *v, size_t size, bool (*is_before)(const void *row, uint64_t key),
			       uint64_t key)
{
	size_t lo = 0, hi = v->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (is_before((const uint8_t *)v->data + mid * size, key))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static inline bool vec_tid_is_before(const void *row, uint64_t tid)
{
	return *(const uint32_t *)row < tid;
}

/* The row of a thread; NULL when there is none. Rows begin with a uint32_t tid, and are in order of it. */
static inline void *vec_find_tid(const struct vec *v, size_t size, uint32_t tid)
{
	size_t i = vec_bound(v, size, vec_tid_is_before, tid);
	void *row = i < v->n ? (uint8_t *)v->data + i * size : NULL;

	return row && *(const uint32_t *)row == tid ? row : NULL;
}

#endif
