/*
 * heap.h - objects of the heap, some of which are sampled
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread counts down the bytes it allocates; the object in which the count runs out is sampled. Counts
 * are drawn from the exponential distribution, so that each byte has the same chance whatever was
 * allocated before. An object of s bytes is sampled with p = 1 - exp(-s / rate), and stands for 1 / p.
 */
#ifndef LIBCPAPROF_TARGET_HEAP_H
#define LIBCPAPROF_TARGET_HEAP_H

#include "libcpaprof/target/live.h"
#include "libcpaprof/target/locals.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts of sampled objects by address: 0 says that there is none, and most frees look no further. */
enum { HEAP_FILTER = 1 << 16 };
extern _Atomic uint8_t cpi_heap_filter[HEAP_FILTER];

/* May this object be sampled, or be of the first memory? Neighbours share cache lines of the filter. */
static inline bool cpi_heap_has(const void *p)
{
	uintptr_t at = (uintptr_t)p;

	return __builtin_expect(
		atomic_load_explicit(&cpi_heap_filter[(at >> 4 ^ at >> 20) % HEAP_FILTER], memory_order_relaxed), 0);
}

/* Count down. False when the count ran out, and is left as it was. Objects have at least a byte. */
static inline bool cpi_heap_passes(size_t size)
{
	uint64_t left;

	if (__builtin_expect(__builtin_sub_overflow(cpi_local.left, size + !size, &left), 0))
		return false;
	cpi_local.left = left;
	return true;
}

/* The count ran out: draw the next. Gives the rate to sample this object with, or 0. */
uint32_t cpi_heap_due(size_t size);
/* Sample the object at p, if rate is not 0 and there is one. Gives p. The stack is that of our caller's callers. */
void *cpi_heap_add(void *p, size_t size, uint32_t rate);

/* Take an object out, if it is sampled, before it is freed; then say that it is, or put it back. */
bool cpi_heap_take(void *p, struct live_object *out);
void cpi_heap_count_free(const struct live_object *o);
void cpi_heap_put_back(const struct live_object *o);

/* Why heap profiles cannot be had: bits of enum proc_heap. Tracking stops, and it is told in the slot. */
void cpi_heap_stop(uint32_t why);
/* From now on there may be samples, unless it was stopped. */
void cpi_heap_start(void);
/*
 * Until sampling starts all that this thread allocates is of the first memory: the program's heap stays as it
 * is, while we look who answers. cpi_heap_seen: did something come to us, since this was asked?
 */
void cpi_heap_see(void);
bool cpi_heap_seen(void);
bool cpi_heap_is_seer(void);
/* An object that our free will look at. */
void cpi_heap_mark(const void *p);

/* Are we the ones who see what is allocated? Then sampling begins when a rate is set. */
void cpi_heap_init(void);
/* The rate has changed: this thread looks at once, others after a sample, or after a megabyte. */
void cpi_heap_look(void);
/* In the child of fork: it has no sampled objects. Its tables are yet to be claimed. */
void cpi_heap_forget(void);
/* An object is about to be loaded, with these flags of dlopen. */
void cpi_heap_dlopen(int flags);

/* heap_draw.c */
/* The bytes until the next sample: exponential, of this mean; 0 for 1. */
uint64_t cpi_heap_draw(uint64_t *random, uint32_t rate);
/* The objects that a sampled one stands for, in 1/1024. */
uint64_t cpi_heap_weight(uint64_t size, uint32_t rate);

/* heap_first.c */
/* Memory for those who allocate while we look for malloc; NULL when it is used up. */
void *cpi_heap_first(size_t size, size_t align);
bool cpi_heap_is_first(const void *p);
/* Let free look at it again: in the child of fork. */
void cpi_heap_first_mark(void);
/* Bytes from p, which is of it, to its end. */
size_t cpi_heap_first_size(const void *p);

/* heap_malloc.c */
/* The object is about to be freed. True when it is of the first memory, and stays. */
bool cpi_heap_drop(void *p);

/* heap_next.c */
struct heap_next {
	void *(*malloc)(size_t), *(*calloc)(size_t, size_t), *(*realloc)(void *, size_t);
	void (*free)(void *), (*cfree)(void *), (*free_sized)(void *, size_t);
	void (*free_aligned_sized)(void *, size_t, size_t);
	void *(*memalign)(size_t, size_t), *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t), *(*pvalloc)(size_t);
};
/* What our wrappers stand in front of. Good from the first call on. */
extern struct heap_next cpi_heap_next;

/*
 * What this thread allocates is of our memory until this is off again: the loader allocates when it is asked
 * for names, and the program shall find its heap as it would be without us.
 */
void cpi_heap_lend(bool on);

/* heap_new.c */
/* Which operators new allocate by malloc, and are seen there? */
void cpi_heap_new_init(void);

#endif
