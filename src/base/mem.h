/*
 * mem.h - memory allocation that never fails: the program exits when memory runs out, unless a server can release some
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
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

/*
 * Give the memory of a part of an array back to the system, as far as it consists of whole huge pages. The array is still to be
 * freed.
 *
 * Returns the first byte that was kept: before it, the contents are lost
 */
void *mem_forget(void *p, size_t bytes);

/* A quarter of the physical memory in bytes, at least 256 MiB. */
uint64_t mem_quarter_of_ram(void);

/* The memory that this process may use in bytes: the RAM, or less if its control group or RLIMIT_AS limits it. */
uint64_t mem_limit(void);

/* The memory of this process that is in RAM, in bytes; 0 if it is unknown. */
uint64_t mem_resident(void);

/*
 * Add the sizes of all blocks that this thread allocates from now on, and the threads that it starts with pool_run.
 * What is freed is not subtracted. NULL: stop counting.
 */
void mem_count_into(atomic_uint_fast64_t *bytes);
atomic_uint_fast64_t *mem_counter(void);

/*
 * Set a function that is called when there is no memory, by any thread, perhaps with locks held. It waits a moment and
 * returns true if the allocation is to be tried again; n is the number of failures before. NULL: none. To be called while
 * there is one thread only, or while no other thread allocates.
 */
void mem_set_wait(bool (*wait)(void *arg, unsigned n), void *arg);

/* A NUL-terminated copy of n bytes; the caller frees it. */
char *mem_strndup(const char *s, size_t n) __attribute__((returns_nonnull));

#endif
