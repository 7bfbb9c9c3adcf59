/*
 * objects.c - list of loaded objects for walks, if the C library has no lookup for handlers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * glibc has _dl_find_object since 2.35. With older versions, handlers read a list of objects, which is made again
 * whenever code is loaded or unloaded. While code is being unloaded there is no list, because walks would read memory
 * of the unloaded objects; stacks are truncated then. A replaced list is freed when no walk is running.
 */
#include "config.h"

#include "libcpaprof/target/objects.h"

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <stdatomic.h>
#include <sys/mman.h>

struct objects_list {
	struct unwind_table table;
	size_t size;
	struct objects_list *next; /* next in the list of replaced lists */
	struct unwind_object object[];
};

enum { SPARE_OBJECTS = 16, WAIT_NS = 100000000 };

bool cpi_objects_is_needed;
static _Atomic uint32_t walks;                  /* number of walks that are running */
static _Atomic uint32_t closing;                /* number of threads in dlclose */
static struct objects_list *current, *replaced; /* changed by one thread at a time: see cpi_modules_refresh */

void cpi_objects_count_walk_sig(int change)
{
	atomic_fetch_add(&walks, (uint32_t)change);
}

static struct objects_list *list_make(uint32_t room)
{
	size_t size = sizeof(struct objects_list) + room * sizeof(struct unwind_object);
	struct objects_list *l = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (l == MAP_FAILED)
		return NULL;
	l->size = size;
	l->table.object = l->object;
	l->table.n = cpi_unwind_snapshot(l->object, room);
	return l;
}

static void free_old(void)
{
	while (replaced && atomic_load(&walks) == 0) {
		struct objects_list *l = replaced;

		replaced = l->next;
		munmap(l, l->size);
	}
}

static void objects_replace(void)
{
	uint32_t n = cpi_unwind_snapshot(NULL, 0);
	struct objects_list *l = list_make(n + SPARE_OBJECTS);

	if (!l)
		return;
	/* another thread is loading an object, and will make a new list afterwards */
	if (l->table.n > n + SPARE_OBJECTS)
		l->table.n = n + SPARE_OBJECTS;
	if (current) {
		current->next = replaced;
		replaced = current;
	}
	current = l;
}

/* Describe the loaded objects, for those that _dl_find_object does not find enough of. */
static void objects_set_loaded(void)
{
	uint32_t room = cpi_unwind_snapshot(NULL, 0) + SPARE_OBJECTS;
	struct objects_list *l = list_make(room);

	if (!l)
		return;
	cpi_unwind_set_loaded(l->object, l->table.n < room ? l->table.n : room);
	munmap(l, l->size);
}

void cpi_objects_refresh(bool changed)
{
	if (!cpi_objects_is_needed) {
		if (changed)
			objects_set_loaded();
		return;
	}
	if (changed)
		objects_replace();
	if (current && atomic_load(&closing) == 0)
		cpi_unwind_publish(&current->table);
	free_old();
}

void cpi_objects_close_begin(void)
{
	uint64_t end = sys_now(CLOCK_MONOTONIC) + WAIT_NS;

	if (!cpi_objects_is_needed)
		return;
	atomic_fetch_add(&closing, 1);
	cpi_unwind_publish(NULL);
	while (atomic_load(&walks) && sys_now(CLOCK_MONOTONIC) < end)
		sys_call(SYS_sched_yield, 0, 0, 0, 0);
}

void cpi_objects_close_end(void)
{
	if (cpi_objects_is_needed)
		atomic_fetch_sub(&closing, 1);
}

void cpi_objects_forget(void)
{
	atomic_store(&walks, 0);
	atomic_store(&closing, 0);
}

/* A sandbox may forbid the system call: objects count as mapped then. */
static bool objects_is_mapped_sig(uint64_t addr)
{
	return atomic_load_explicit(&cpi.is_sandboxed, memory_order_relaxed) || sys_is_mapped(addr);
}

/* A list is needed if there is no _dl_find_object, or if CPA_SNAPSHOT is set. */
void cpi_objects_init(void)
{
	bool is_forced = cpi_env_find_sig("CPA_SNAPSHOT");

	cpi_objects_is_needed = !cpi_unwind_init(objects_is_mapped_sig) || is_forced;
	if (is_forced)
		cpi_unwind_use_dl_find_object(false);
	cpi_objects_refresh(true);
}
