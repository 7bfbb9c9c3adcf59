/*
 * mem.h - memory that is there or the program has stopped
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Allocate count * size bytes, not cleared. Stops the program with exit status 2 when memory is
 * gone or the product overflows. The caller frees with free().
 */
void *mem_alloc(size_t count, size_t size) __attribute__((returns_nonnull));

/* The same, cleared. */
void *mem_zalloc(size_t count, size_t size) __attribute__((returns_nonnull));

/*
 * Make room for at least need elements, doubling.
 *
 * p       the array or NULL
 * cap     its capacity in elements; updated
 * Gives   the array, which may have moved
 */
static inline void *mem_grow(void *p, size_t *cap, size_t need, size_t size) __attribute__((returns_nonnull));

/* The part of mem_grow that is called once in a while: when there is no room. */
void *mem_grow_now(void *p, size_t *cap, size_t need, size_t size) __attribute__((returns_nonnull));

static inline void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	return need <= *cap && p ? p : mem_grow_now(p, cap, need, size);
}

/* Give back what lies behind count elements; keeps p when the system cannot. */
void *mem_trim(void *p, size_t count, size_t size);

/*
 * Allocate a large array that will be filled once from front to back: asks for huge pages, which
 * saves most of the page faults. Free with free().
 */
void *mem_alloc_large(size_t count, size_t size) __attribute__((returns_nonnull));

/* A quarter of the memory of this machine, in bytes; at least 256 MiB. */
uint64_t mem_quarter(void);

/* A copy of n bytes with a NUL behind; the caller frees. */
char *mem_strndup(const char *s, size_t n) __attribute__((returns_nonnull));

#endif
