/*
 * self.c - a process that profiles itself: CPU time on and off, fork
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/trace_int.h"

#include <string.h>
#include <sys/mman.h>

struct segment_head *collect_segment(const struct collect *c)
{
	return c->head;
}

/* Stacks stay, for their locations are those of other profiles too, but weigh nothing. */
static void forget_cpu(struct process *p)
{
	struct table_stack *stack = p->table.stack.data;

	for (size_t i = 0; i < p->table.stack.n; i++)
		stack[i].weight = 0;
	p->table.weight = p->table.n_samples = 0;
	p->lost = p->adopted = p->nested = p->blocked = p->bad = 0;
	memset(p->cut, 0, sizeof(p->cut));
	p->engine = 0;
	p->error = 0;
	p->start_ns = collect_wall_ns();
	p->end_ns = 0;
}

void collect_cpu_begin(struct collect *c, uint32_t hz)
{
	collect_drain(c);
	c->options.hz = hz;
	c->cpu = true;
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used)
			forget_cpu(&c->process[i]);
}

void collect_cpu_end(struct collect *c)
{
	c->cpu = false;
	for (uint32_t i = 0; i < N_PROCS; i++)
		c->process[i].end_ns = collect_wall_ns();
}

void collect_forked(struct collect *c, pid_t pid)
{
	for (uint32_t i = 0; i < c->at.n_rings; i++) {
		struct segment_ring *r = collect_ring(c, i);

		if (atomic_load(&r->state) == RING_FREE)
			continue;
		c->seen[i].tail = atomic_load(&r->head);
		c->seen[i].last = UINT32_MAX;
		atomic_store(&r->tail, c->seen[i].tail);
		atomic_store(&r->state, RING_FREE);
	}
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used) {
			c->process[i].pid = pid;
			counts_release(&c->process[i]);
			forget_cpu(&c->process[i]);
			trace_forget(&c->process[i]);
		}
	c->cpu = false;
}

bool collect_has_stacks(const struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (c->process[i].used && c->process[i].counts.stack.n)
			return true;
	return false;
}
