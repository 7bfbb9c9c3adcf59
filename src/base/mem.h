/*
 * mem.h - memory allocation that never fails: the program exits when memory runs out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Allocate count * size uninitialized bytes. Exits with status 2 when there is no memory or the product
 * overflows. The caller frees with free().
 */
void *mem_alloc(size_t count, size_t size) __attribute__((returns_nonnull));

/* Like mem_alloc, but zero-filled. */
void *mem_zalloc(size_t count, size_t size) __attribute__((returns_nonnull));

/*
 * Make room for at least need elements; the capacity grows by half each time.
 *
 * p       the array or NULL
 * cap     its capacity in elements; updated
 * Returns the array, which may have moved
 */
static inline void *mem_grow(void *p, size_t *cap, size_t need, size_t size) __attribute__((returns_nonnull));

/* The slow path of mem_grow: there is no room. */
void *mem_grow_slow(void *p, size_t *cap, size_t need, size_t size) __attribute__((returns_nonnull));

static inline void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap && p ? p : mem_grow_slow(p, cap, need, size);
}

/* Shrink an array to count elements; returns p unchanged if realloc fails. */
void *mem_trim(void *p, size_t count, size_t size);

/*
 * Allocate a large array in huge pages, which saves most of the page faults. Free with free().
 */
void *mem_alloc_large(size_t count, size_t size) __attribute__((returns_nonnull));

/* A quarter of the physical memory in bytes, at least 256 MiB. */
uint64_t mem_quarter_of_ram(void);

/* A NUL-terminated copy of n bytes; the caller frees it. */
char *mem_strndup(const char *s, size_t n) __attribute__((returns_nonnull));

#endif
