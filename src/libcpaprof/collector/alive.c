/*
 * alive.c - programs learn that their collector is gone, however it ended
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The word that says who collects is like a robust lock that we hold: when our thread ends, also by SIGKILL, the
 * kernel takes the thread's number out of it. The list that the C library keeps for such locks, which we do not
 * use, is replaced by one that has just this, as what is about to be unlocked.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/memory.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct alive {
	struct robust_list_head head;
	struct robust_list_head *before; /* that of the C library */
	size_t size;
};

void collect_alive_begin(struct collect *c)
{
	struct alive *a = memory_map(sizeof(*a));

	atomic_store(&c->head->active, (uint32_t)syscall(SYS_gettid));
	if (!a)
		return;
	a->head.list.next = &a->head.list;
	a->head.list_op_pending = &a->head.list;
	a->head.futex_offset = (long)((uintptr_t)&c->head->active - (uintptr_t)&a->head.list);
	if (syscall(SYS_get_robust_list, 0, &a->before, &a->size) == 0 &&
	    syscall(SYS_set_robust_list, &a->head, sizeof(a->head)) == 0)
		c->alive = a;
	else
		memory_unmap(a, sizeof(*a));
}

void collect_alive_end(struct collect *c)
{
	if (!c->alive)
		return;
	syscall(SYS_set_robust_list, c->alive->before, c->alive->size);
	memory_unmap(c->alive, sizeof(*c->alive));
	c->alive = NULL;
}
