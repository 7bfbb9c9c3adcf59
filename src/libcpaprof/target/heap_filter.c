/*
 * heap_filter.c - find the sampled object at an address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table that stays in the first-level cache has an entry per hash of the address, which each free reads. An entry has
 * room for one object, its resident, and a tag of its address, by which most other objects with this entry are
 * recognised. Objects that find the room in use are counted in the entry and in a larger filter with another hash, and
 * are put into a shard of the table in live.c. With few sampled objects, hardly any free reads memory that is not in the
 * cache.
 *
 * The thread that sets the tag owns the resident until it sets the address. The thread that clears the address owns it
 * until it clears the tag. An object is added before it can be freed, so the thread that frees it finds it, whatever
 * other threads do to other objects.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/sys.h"

#include <string.h>
#include <sys/mman.h>

enum {
	SECOND_BITS = 18,
	COUNTER_MAX = 255, /* a counter that reaches this value is never decreased */
	TAG_SHIFT = 8,     /* an entry is the number of objects that found it in use, then the tag of the resident */
};

_Alignas(4096) _Atomic uint16_t cpi_heap_filter[HEAP_FILTER];
static _Alignas(4096) _Atomic uint8_t second[1 << SECOND_BITS]; /* numbers of objects in shards, by another hash */

/* Hash of the bits of an address that do not select the entry, in 1 to 255. */
static unsigned filter_tag_of(uint64_t at)
{
	return (uint32_t)((at >> 16) * 0x9e3779b97f4a7c15ULL >> 32) % COUNTER_MAX + 1;
}

static _Atomic uint8_t *second_counter(uint64_t at)
{
	return &second[(at >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - SECOND_BITS)];
}

static struct live_object *resident_of(struct segment_tables *t, uint64_t at)
{
	ptrdiff_t i = cpi_heap_filter_of((const void *)at) - cpi_heap_filter;

	return (struct live_object *)((uint8_t *)t + TABLES_LIVE_AT + LIVE_RESIDENTS_AT) + i;
}

static uint16_t entry_get(uint64_t at)
{
	return atomic_load_explicit(cpi_heap_filter_of((const void *)at), memory_order_relaxed);
}

static bool entry_replace(uint64_t at, uint16_t *before, unsigned after)
{
	return atomic_compare_exchange_weak_explicit(cpi_heap_filter_of((const void *)at), before, (uint16_t)after,
						     memory_order_acq_rel, memory_order_relaxed);
}

static bool has_tag(uint64_t at)
{
	return entry_get(at) >> TAG_SHIFT == filter_tag_of(at);
}

/* May this object be in a shard? */
static bool is_in_second(uint64_t at)
{
	return (entry_get(at) & COUNTER_MAX) && atomic_load_explicit(second_counter(at), memory_order_relaxed);
}

/* Change both counters of an object in a shard by 1 or -1, unless they have their maximum. */
static void second_count(uint64_t at, int change)
{
	uint16_t e = entry_get(at);
	uint8_t n = atomic_load_explicit(second_counter(at), memory_order_relaxed);

	while (n != COUNTER_MAX && !atomic_compare_exchange_weak(second_counter(at), &n, (uint8_t)(n + change)))
		;
	while ((e & COUNTER_MAX) != COUNTER_MAX && !entry_replace(at, &e, (unsigned)(e + change)))
		;
}

/* Set the tag of the entry of an address. Returns false if it has one. */
static bool tag_set(uint64_t at)
{
	uint16_t e = entry_get(at);

	while (e >> TAG_SHIFT == 0)
		if (entry_replace(at, &e, e | filter_tag_of(at) << TAG_SHIFT))
			return true;
	return false;
}

static void tag_clear(uint64_t at)
{
	uint16_t e = entry_get(at);

	while (!entry_replace(at, &e, e & COUNTER_MAX))
		;
}

static bool resident_put(struct segment_tables *t, const struct live_object *o)
{
	struct live_object *r = resident_of(t, o->at);

	if (!tag_set(o->at))
		return false;
	r->size = o->size;
	r->weight = o->weight;
	r->stack = o->stack;
	__atomic_store_n(&r->at, o->at, __ATOMIC_RELEASE);
	return true;
}

static bool resident_take(struct segment_tables *t, uint64_t at, struct live_object *out)
{
	struct live_object *r = resident_of(t, at);
	uint64_t expected = at;

	if (!has_tag(at) ||
	    !__atomic_compare_exchange_n(&r->at, &expected, 0, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	*out = (struct live_object){ .at = at, .size = r->size, .weight = r->weight, .stack = r->stack };
	tag_clear(at);
	return true;
}

bool cpi_heap_filter_put(struct segment_tables *t, const struct live_object *o)
{
	if (resident_put(t, o))
		return true;
	second_count(o->at, 1);
	if (cpi_live_put(t, o))
		return true;
	second_count(o->at, -1);
	return false;
}

bool cpi_heap_filter_take(struct segment_tables *t, uint64_t at, struct live_object *out)
{
	if (resident_take(t, at, out))
		return true;
	if (!is_in_second(at) || !cpi_live_remove(t, at, out))
		return false;
	second_count(at, -1);
	return true;
}

bool cpi_heap_filter_has(uint64_t at)
{
	return has_tag(at) || is_in_second(at);
}

void cpi_heap_filter_mark(uint64_t at)
{
	if (!tag_set(at))
		second_count(at, 1);
}

static void filter_clear_table(void *table, long size)
{
	if (sys_call(SYS_madvise, (long)table, size, MADV_DONTNEED, 0) != 0)
		memset(table, 0, (size_t)size);
}

void cpi_heap_filter_clear(void)
{
	filter_clear_table((void *)cpi_heap_filter, sizeof(cpi_heap_filter));
	filter_clear_table((void *)second, sizeof(second));
}
