/*
 * sample_stack.c - the stack of a waiting thread, its labels, and the holder of the mutex it waits for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/sample_stack.h"

#include "libcpaprof/collector/collect_int.h"

#include "libcpaprof/target/locals.h"

#include <linux/futex.h>
#include <sys/syscall.h>

enum { TRIES = 3 };

uint32_t sample_stack_label(const struct sample_stack *g, uint32_t tid)
{
	const struct segment_proc *s = g->p->c ? collect_slot(g->p->c, collect_slot_index(g->p)) : NULL;
	struct address_space *r = &g->reader->space;
	uint64_t table = s ? *(const volatile uint64_t *)&s->locals : 0, at = 0;
	struct local_at l[LOCAL_PROBES];
	uint32_t inner = namespace_inner_tid(g->p, g->folder, tid), first = inner % N_LOCALS, label;
	uint32_t n = N_LOCALS - first < LOCAL_PROBES ? N_LOCALS - first : LOCAL_PROBES;
	size_t size = n * sizeof(*l), rest = sizeof(l) - size;

	if (!table || space_read(r, table + first * sizeof(*l), l, size) != size ||
	    (rest && space_read(r, table, l + n, rest) != rest))
		return 0;
	for (uint32_t i = 0; i < LOCAL_PROBES && !at; i++)
		if (atomic_load_explicit(&l[i].tid, memory_order_relaxed) == inner)
			at = (uint64_t)(uintptr_t)atomic_load_explicit(&l[i].local, memory_order_relaxed);
	if (!at || space_read(r, at + offsetof(struct local, label), &label, sizeof(label)) != sizeof(label))
		return 0;
	return label;
}

uint32_t sample_stack_holder(const struct sample_stack *g, const struct task *t)
{
	enum { CONTENDED = 2, KINDS = 512 };
	struct {
		int32_t lock;
		uint32_t count;
		int32_t owner;
		uint32_t n_users;
		int32_t kind;
	} mutex;

	if (t->nr != SYS_futex || (t->arg[1] & FUTEX_CMD_MASK) != FUTEX_WAIT || (uint32_t)t->arg[2] != CONTENDED ||
	    space_read(&g->reader->space, t->arg[0], &mutex, sizeof(mutex)) != sizeof(mutex))
		return 0;
	if (mutex.lock != CONTENDED || mutex.owner <= 0 || mutex.n_users == 0 || mutex.kind < 0 || mutex.kind >= KINDS)
		return 0;
	return namespace_outer_tid(g->p, (uint32_t)mutex.owner);
}

enum task_status sample_stack_read(const struct sample_stack *g, struct task *t, uint64_t *pc, uint32_t *n)
{
	struct task after = *t;
	enum unwind_end end;

	for (int i = 0; i < TRIES; i++) {
		enum task_status is = task_locate(g->folder, t->tid, t);

		if (is != TASK_WAITING)
			return is;
		*n = read_stack_at(g->reader, t->pc, t->sp, pc, g->p->max_depth, &end);
		is = task_locate(g->folder, t->tid, &after);
		if (is == TASK_WAITING && after.sp == t->sp && after.pc == t->pc && after.nr == t->nr) {
			*n = t->pc ? *n : 0;
			return TASK_WAITING;
		}
	}
	return TASK_RUNNING;
}
