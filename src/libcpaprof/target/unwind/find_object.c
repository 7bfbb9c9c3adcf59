/*
 * find_object.c - lookup of the objects of this process, for handlers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * glibc 2.35 and later have _dl_find_object, which takes no lock and follows dlopen and dlclose. With older versions a
 * snapshot is taken outside handlers after each dlopen and dlclose, and handlers read the latest snapshot.
 * dl_iterate_phdr takes the loader's lock, so it is used only for the snapshot.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

#include <stdatomic.h>

/* struct dl_find_object of glibc's dlfcn.h, for headers that are older than the C library at run time. */
struct found_object {
	unsigned long long flags;
	void *map_start, *map_end, *link_map, *eh_frame;
	unsigned long long reserved[7];
};

extern int _dl_find_object(void *, struct found_object *) __attribute__((weak));

static _Atomic(const struct unwind_table *) published;    /* set by cpi_unwind_publish; read by handlers */
static int (*find_object)(void *, struct found_object *); /* set before handlers run */
static bool (*object_is_mapped)(uint64_t addr);           /* the same */

/* Objects that describe fails for. An entry never changes; outside of handlers more are added, or switched off. */
enum { OTHERS_MAX = 64 };
static struct unwind_object other[OTHERS_MAX];
static _Atomic bool is_unloaded[OTHERS_MAX];
static _Atomic uint32_t n_others;

/* Describe the object that was found. Returns false if its range does not begin with an ELF header. */
__attribute__((cold)) static bool find_object_describe(const struct found_object *found, struct unwind_object *out)
{
	uint64_t lo = (uint64_t)found->map_start, hi = (uint64_t)found->map_end;

	return cpi_unwind_object_init_sig(found->map_start, hi - lo, true, lo, hi, (uint64_t)found->eh_frame, out);
}

static const struct unwind_object *find_other_sig(uint64_t lo, uint64_t hi)
{
	for (uint32_t i = atomic_load_explicit(&n_others, memory_order_acquire); i > 0; i--)
		if (!atomic_load(&is_unloaded[i - 1]) && lo >= other[i - 1].lo && hi <= other[i - 1].hi)
			return &other[i - 1];
	return NULL;
}

static bool is_same_object(const struct unwind_object *a, const struct unwind_object *b)
{
	return a->lo == b->lo && a->hi == b->hi && a->hdr == b->hdr && a->text_lo == b->text_lo &&
	       a->text_hi == b->text_hi;
}

static void loaded_add_other(const struct unwind_object *o)
{
	uint32_t n = atomic_load_explicit(&n_others, memory_order_relaxed);
	struct found_object found;
	struct unwind_object object;

	if (o->text_lo >= o->text_hi || find_object((void *)o->text_lo, &found) != 0 ||
	    find_object_describe(&found, &object))
		return;
	for (uint32_t i = 0; i < n; i++)
		if (is_same_object(&other[i], o)) {
			atomic_store(&is_unloaded[i], false);
			return;
		}
	if (n == OTHERS_MAX)
		return;
	other[n] = *o;
	atomic_store_explicit(&n_others, n + 1, memory_order_release);
}

void cpi_unwind_set_loaded(const struct unwind_object *object, uint32_t n)
{
	uint32_t n_now = atomic_load_explicit(&n_others, memory_order_relaxed);

	for (uint32_t i = 0; i < n_now; i++) {
		uint32_t k;

		for (k = 0; k < n && !is_same_object(&object[k], &other[i]); k++)
			;
		if (k == n)
			atomic_store(&is_unloaded[i], true);
	}
	for (uint32_t i = 0; find_object && i < n; i++)
		loaded_add_other(&object[i]);
}

bool cpi_unwind_init(bool (*is_mapped)(uint64_t addr))
{
	struct found_object found;

	object_is_mapped = is_mapped;
	find_object = _dl_find_object;
	/* call it now, so that the PLT is not bound in a handler */
	if (find_object && find_object((void *)cpi_unwind_init, &found) != 0)
		find_object = NULL;
	return find_object != NULL;
}

void cpi_unwind_use_dl_find_object(bool use)
{
	find_object = use ? _dl_find_object : NULL;
}

const struct unwind_table *cpi_unwind_publish(const struct unwind_table *table)
{
	return atomic_exchange_explicit(&published, table, memory_order_acq_rel);
}

__attribute__((cold)) static const struct unwind_object *find_published(uint64_t pc)
{
	const struct unwind_table *t = atomic_load_explicit(&published, memory_order_acquire);

	return t ? cpi_unwind_table_find_sig((void *)t, pc, NULL) : NULL;
}

bool cpi_unwind_may_read_sig(const struct unwind_source *from, const struct unwind_object *obj)
{
	return from->find != cpi_unwind_find_sig || !find_object || object_is_mapped(obj->lo);
}

const struct unwind_object *cpi_unwind_find_sig(void *arg, uint64_t pc, struct unwind_object *room)
{
	struct unwind_cache *cache = arg;
	struct found_object found;
	uint64_t lo, hi;

	if (!find_object)
		return find_published(pc);
	if (find_object((void *)pc, &found) != 0)
		return NULL;
	lo = (uint64_t)found.map_start;
	hi = (uint64_t)found.map_end;
	if (cache) {
		room = &cache->object[(lo >> 12) * 0x9e3779b97f4a7c15 >> (64 - UNWIND_CACHE_BITS)];
		if (room->lo == lo && room->hi == hi && (room->hdr == (uint64_t)found.eh_frame || !room->hdr))
			return room;
	}
	if (!object_is_mapped(lo))
		return NULL;
	if (!find_object_describe(&found, room)) {
		const struct unwind_object *o = find_other_sig(lo, hi);

		*room = o ? *o : *room;
		room->lo = lo;
		room->hi = hi;
	}
	return room;
}
