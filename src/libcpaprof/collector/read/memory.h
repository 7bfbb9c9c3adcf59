/*
 * memory.h - memory from mmap instead of the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector may run in a thread of the profiled program, which may have its own malloc, be inside a malloc call,
 * or run out of memory. So all memory comes from mmap. On failure the caller gets an error and drops its data; the
 * process is never ended.
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_MEMORY_H
#define LIBCPAPROF_COLLECTOR_READ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of elements of one size. Growing moves the elements. Zero-initialised. */
struct vec {
	void *data;
	size_t n, cap;
};

/*
 * Make room for more elements after the existing n; n is not changed.
 *
 * max     limit of n
 * Returns the first new element, which is zeroed unless it was used before; NULL if out of memory or above the limit
 */
void *vec_reserve(struct vec *v, size_t more, size_t size, size_t max);
/* Append n elements from an array. Returns the first new one; NULL, as from vec_reserve, and then nothing is appended. */
void *vec_add(struct vec *v, const void *from, size_t n, size_t size, size_t max);
void vec_release(struct vec *v, size_t size);
/* Copy the elements to an empty vec. Returns false if out of memory. */
static inline bool vec_copy(struct vec *to, const struct vec *from, size_t size)
{
	return from->n == 0 || vec_add(to, from->data, from->n, size, from->n);
}

/* Map size zeroed bytes; NULL if out of memory. */
void *memory_map(size_t size);
void memory_unmap(void *p, size_t size);
/* Like memory_map, for secrets: the memory is excluded from core dumps. */
void *memory_map_secret(size_t size);

/*
 * Binary search: the index of the first row for which is_before is false. Rows for which it is true come first.
 *
 * size  of a row, not 0
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

/* Find the row of a thread; NULL if there is none. Rows begin with a uint32_t tid and are sorted by it. */
static inline void *vec_find_tid(const struct vec *v, size_t size, uint32_t tid)
{
	size_t i = vec_bound(v, size, vec_tid_is_before, tid);
	void *row = i < v->n ? (uint8_t *)v->data + i * size : NULL;

	return row && *(const uint32_t *)row == tid ? row : NULL;
}

#endif
