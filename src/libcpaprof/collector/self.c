/*
 * self.c - a process that profiles itself: start and stop of CPU profiles, fork
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

#include <string.h>

struct segment_head *collect_segment(const struct collect *c)
{
	return c->head;
}

/* Reset the CPU profile. Stacks remain, with weight 0, because other profiles use their locations. */
static void reset_cpu(struct process *p)
{
	struct table_stack *stack = p->table.stack.data;

	for (size_t i = 0; i < p->table.stack.n; i++)
		stack[i].n_samples = stack[i].weight = 0;
	p->table.weight = p->table.n_samples = 0;
	p->lost = p->adopted = p->nested = p->blocked = p->bad = 0;
	memset(p->cut, 0, sizeof(p->cut));
	p->engine = 0;
	p->error = 0;
	p->start_ns = clock_wall();
	p->end_ns = 0;
	busy_read(&p->busy);
}

void collect_self_cpu_start(struct collect *c, uint32_t hz)
{
	collect_drain(c);
	c->options.hz = hz;
	c->is_cpu_always = true;
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (c->process[i].is_used)
			reset_cpu(&c->process[i]);
}

void collect_self_cpu_stop(struct collect *c)
{
	c->is_cpu_always = false;
	for (uint32_t i = 0; i < c->n_processes; i++)
		c->process[i].end_ns = clock_wall();
}

void collect_after_fork(struct collect *c, pid_t pid)
{
	uint32_t n = collect_n_rings(c);

	for (uint32_t i = 0; i < n; i++) {
		struct segment_ring *r = collect_ring(c, i);

		if (atomic_load(&r->state) == RING_FREE)
			continue;
		c->cursor[i].tail = atomic_load(&r->head);
		c->cursor[i].last = UINT32_MAX;
		atomic_store(&r->tail, c->cursor[i].tail);
		atomic_store(&r->state, RING_FREE);
	}
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (c->process[i].is_used) {
			c->process[i].pid = pid;
			counts_release(&c->process[i]);
			reset_cpu(&c->process[i]);
			process_time_samples(&c->process[i], NULL, NULL); /* the timeline in progress is the parent's */
		}
	c->is_cpu_always = false;
}

bool collect_has_stacks(const struct collect *c)
{
	for (uint32_t i = 0; i < c->n_processes; i++)
		if (c->process[i].is_used && c->process[i].counts.stack.n)
			return true;
	return false;
}
