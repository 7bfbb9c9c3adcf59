/*
 * heap.h - sampling of heap objects
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread counts down the bytes it allocates. The object that takes the count below zero is sampled. Counts are
 * drawn from the exponential distribution, so each byte has the same chance, whatever was allocated before. An object
 * of s bytes is sampled with p = 1 - exp(-s / rate), and counts as 1 / p objects.
 */
#ifndef LIBCPAPROF_TARGET_HEAP_H
#define LIBCPAPROF_TARGET_HEAP_H

#include "libcpaprof/target/live.h"
#include "libcpaprof/target/locals.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Entries by hash of the address, not 0 if a sampled object has it. Most frees find 0 here and check no further. It is
 * small, so that it stays in the first-level cache together with the data of the allocator.
 */
enum { HEAP_FILTER = LIVE_RESIDENTS };
extern _Atomic uint16_t cpi_heap_filter[HEAP_FILTER] __attribute__((visibility("hidden")));

/* The entry of an address. Neighbours share cache lines; addresses 64 KiB apart share an entry. */
static inline _Atomic uint16_t *cpi_heap_filter_of(const void *p)
{
	return &cpi_heap_filter[((uintptr_t)p >> 4) % HEAP_FILTER];
}

/* May this object be sampled, or come from bootstrap memory? */
static inline bool cpi_heap_may_contain(const void *p)
{
	return __builtin_expect(atomic_load_explicit(cpi_heap_filter_of(p), memory_order_relaxed), 0);
}

/*
 * Subtract an allocation from the count; an object counts as at least one byte. Returns false if the count was smaller
 * than that. It has wrapped around then, and the caller must call cpi_heap_due, which sets it again.
 */
static inline bool cpi_heap_count_down(size_t size)
{
	uint64_t n = size + !size;
	bool is_below;

#if defined(__x86_64__)
	/* One instruction instead of three. It also counts objects of a signal handler that interrupts this function. */
	__asm__("subq %2, %0" : "+m"(cpi_local.bytes_to_sample), "=@ccc"(is_below) : "r"(n));
#else
	is_below = __builtin_sub_overflow(cpi_local.bytes_to_sample, n, &cpi_local.bytes_to_sample);
#endif
	return !__builtin_expect(is_below, 0);
}

/* Draw the next count, after the last one ran out. Returns the rate at which to sample this object, 0 for no sample. */
uint32_t cpi_heap_due(size_t size);
/*
 * Sample the object at p, unless rate is 0 or p is NULL. Returns p. The stack starts at the first frame outside this
 * library.
 */
void *cpi_heap_add(void *p, size_t size, uint32_t rate);

/*
 * Sampled objects that are being freed. cpi_heap_take removes an object from the live ones, if it is sampled, before
 * it is freed. Then either cpi_heap_count_free counts it as freed or cpi_heap_put_back adds it again.
 */
bool cpi_heap_take(void *p, struct live_object *out);
void cpi_heap_count_free(const struct live_object *o);
void cpi_heap_put_back(const struct live_object *o);

/* Stop heap profiling. why: bits of enum proc_heap, which are stored in the slot of the process. */
void cpi_heap_stop(uint32_t why);
/* Start heap profiling, unless it has been stopped. */
void cpi_heap_start(void);
/*
 * Probe whether calls to malloc reach our wrappers. Until sampling starts, bootstrap memory serves this thread, so
 * the program's heap stays unchanged. cpi_heap_probe_hit records a call by the probing thread; it returns false in
 * all other threads. cpi_heap_probe_was_hit returns whether there was such a call since the last time it was called.
 */
void cpi_heap_probe_begin(void);
bool cpi_heap_probe_was_hit(void);
bool cpi_heap_probe_hit(void);
/* Check whether allocations reach our wrappers. If so, sampling starts as soon as a rate is set. */
void cpi_heap_init(void);
/*
 * Call after the rate has changed. This thread reads the new rate at its next allocation, others after their next
 * sample or after a megabyte.
 */
void cpi_heap_rate_changed(void);
/* In the child of fork: drop the sampled objects of the parent. Called before the child claims tables. */
void cpi_heap_forget(void);
/* Call before an object is loaded with these dlopen flags. */
void cpi_heap_dlopen(int flags);

/* heap.c */
/* Bytes until the next sample: exponentially distributed with mean rate; 0 if rate is 1. */
uint64_t cpi_heap_draw(uint64_t *random, uint32_t rate);
/* A random number (splitmix64); *random is the state. Safe in signal handlers. */
uint64_t cpi_heap_random(uint64_t *random);
/* Number of objects that one sampled object represents, in 1/1024. */
uint64_t cpi_heap_weight(uint64_t size, uint32_t rate);

/* heap_filter.c */
/* Add a sampled object, at an address where there is none. Returns false if there is no room. */
bool cpi_heap_filter_put(struct segment_tables *t, const struct live_object *o);
/* Remove the sampled object at this address. Returns false if there is none. */
bool cpi_heap_filter_take(struct segment_tables *t, uint64_t at, struct live_object *out);
/* Add an address that is not that of a sampled object, but that our free must check. It is never removed. */
void cpi_heap_filter_mark(uint64_t at);
/* Return true if this address has probably been added. */
bool cpi_heap_filter_has(uint64_t at);
/* Remove all, in the child of fork. */
void cpi_heap_filter_clear(void);

/* heap_next.c */
/*
 * Allocate bootstrap memory, for calls that arrive while the next malloc is being looked up. Returns NULL when it is
 * used up.
 */
void *cpi_heap_bootstrap_alloc(size_t size, size_t align);
bool cpi_heap_is_bootstrap(const void *p);
/* In the child of fork: mark bootstrap objects in the filter again. */
void cpi_heap_bootstrap_mark(void);
/* Number of bytes from p, which must be in bootstrap memory, to the end of that memory. */
size_t cpi_heap_bootstrap_size(const void *p);

/* heap_malloc.c */
/* Call before an object is freed. Returns true if it is in bootstrap memory, which is never freed. */
bool cpi_heap_before_free(void *p);

/* heap_next.c */
struct heap_next {
	void *(*malloc)(size_t), *(*calloc)(size_t, size_t), *(*realloc)(void *, size_t);
	void (*free)(void *), (*cfree)(void *), (*free_sized)(void *, size_t);
	void (*free_aligned_sized)(void *, size_t, size_t);
	void *(*memalign)(size_t, size_t), *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t), *(*pvalloc)(size_t);
};
/* The allocator after ours in link order. Valid from the first call on. */
extern struct heap_next cpi_heap_next __attribute__((visibility("hidden")));

/*
 * Serve this thread from bootstrap memory while on is true: the loader allocates when it looks up symbols, and the
 * program's heap must be the same as without us.
 */
void cpi_heap_use_bootstrap(bool on);

/* heap_new.c */
/* Find out which operators new call malloc, so that our wrapper of malloc counts them already. */
void cpi_heap_new_init(void);

#endif
