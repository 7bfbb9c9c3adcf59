/*
 * here.c - the objects of this process, as a handler may look them up
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * glibc 2.35 and later have _dl_find_object, which takes no lock and knows what dlopen and dlclose
 * did. Elsewhere somebody outside handlers takes a snapshot after each of those; handlers read
 * whichever was published last. dl_iterate_phdr takes the loader's lock and is for the snapshot only.
 */
#include "config.h"

#include "libcpaprof/target/unwind/walk_int.h"

#include <stdatomic.h>

/* As glibc has it in dlfcn.h, also where the headers are older than the C library that runs. */
struct found_object {
	unsigned long long flags;
	void *map_start, *map_end, *link_map, *eh_frame;
	unsigned long long reserved[7];
};

extern int _dl_find_object(void *, struct found_object *) __attribute__((weak));

static _Atomic(const struct unwind_table *) published;    /* by cpi_unwind_publish; read by handlers */
static int (*find_object)(void *, struct found_object *); /* set before handlers run */

bool cpi_unwind_init(void)
{
	struct found_object found;

	find_object = _dl_find_object;
	/* the first call, so that the PLT binds now and not in a handler */
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

static const struct unwind_object *find_published(uint64_t pc)
{
	const struct unwind_table *t = atomic_load_explicit(&published, memory_order_acquire);

	return t ? cpi_unwind_table_find_sig((void *)t, pc, NULL) : NULL;
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
		room = &cache->object[(lo >> 12) * 0x9e3779b97f4a7c15 >> 61];
		if (room->lo == lo && room->hi == hi && (room->hdr == (uint64_t)found.eh_frame || !room->hdr))
			return room;
	}
	cpi_unwind_object_init_sig(found.map_start, hi - lo, true, lo, hi, (uint64_t)found.eh_frame, room);
	return room;
}
