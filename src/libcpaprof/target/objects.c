/*
 * objects.c - what is loaded, for walks, where the C library does not tell it in handlers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * glibc has _dl_find_object since 2.35. Before, handlers read a list of objects that is made when code came
 * or went. While code goes there is no list, for walks read the objects themselves; stacks then end early. A
 * list that was replaced is freed when no walk is under way.
 */
#include "config.h"

#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct list {
	struct unwind_table table;
	size_t size;
	struct list *next; /* of those that were replaced */
	struct unwind_object object[];
};

enum { MORE = 16, WAIT_NS = 100000000 };

static bool needed;
static _Atomic uint32_t walks;   /* under way */
static _Atomic uint32_t closing; /* threads in dlclose */
static struct list *now, *old;   /* changed by one thread at a time: see cpi_modules_refresh */

void cpi_objects_enter_sig(void)
{
	if (needed)
		atomic_fetch_add(&walks, 1);
}

void cpi_objects_leave_sig(void)
{
	if (needed)
		atomic_fetch_sub(&walks, 1);
}

static struct list *report_list_make(uint32_t room)
{
	size_t size = sizeof(struct list) + room * sizeof(struct unwind_object);
	struct list *l = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (l == MAP_FAILED)
		return NULL;
	l->size = size;
	l->table.object = l->object;
	l->table.n = cpi_unwind_snapshot(l->object, room);
	return l;
}

static void free_old(void)
{
	while (old && atomic_load(&walks) == 0) {
		struct list *l = old;

		old = l->next;
		munmap(l, l->size);
	}
}

static void replace(void)
{
	uint32_t n = cpi_unwind_snapshot(NULL, 0);
	struct list *l = report_list_make(n + MORE);

	if (!l)
		return;
	if (l->table.n > n + MORE) /* another thread loads: it comes here too */
		l->table.n = n + MORE;
	if (now) {
		now->next = old;
		old = now;
	}
	now = l;
}

void cpi_objects_refresh(bool changed)
{
	if (!needed)
		return;
	if (changed)
		replace();
	if (now && atomic_load(&closing) == 0)
		cpi_unwind_publish(&now->table);
	free_old();
}

void cpi_objects_close_begin(void)
{
	uint64_t end = sys_now(CLOCK_MONOTONIC) + WAIT_NS;

	if (!needed)
		return;
	atomic_fetch_add(&closing, 1);
	cpi_unwind_publish(NULL);
	while (atomic_load(&walks) && sys_now(CLOCK_MONOTONIC) < end)
		sys_call(SYS_sched_yield, 0, 0, 0, 0);
}

void cpi_objects_close_end(void)
{
	if (needed)
		atomic_fetch_sub(&closing, 1);
}

void cpi_objects_forget(void)
{
	atomic_store(&walks, 0);
	atomic_store(&closing, 0);
}

/* Without _dl_find_object, and where CPA_SNAPSHOT says to do as if there were none. */
void cpi_objects_init(void)
{
	bool asked = false;

	for (char **e = environ; e && *e; e++)
		asked |= strncmp(*e, "CPA_SNAPSHOT=", 13) == 0;
	needed = !cpi_unwind_init() || asked;
	if (asked)
		cpi_unwind_use_dl_find_object(false);
	cpi_objects_refresh(true);
}
