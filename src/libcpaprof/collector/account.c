/*
 * account.c - the CPU time of each process, and how much of it has stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each sample represents a period, and the first period of a thread starts at a random phase. So the samples of many
 * threads are worth their CPU time, but those of one thread may be worth up to a period more or less. When a process
 * ends, its samples are compared with its CPU clock: time that they do not cover is added as not sampled, and time that
 * they exceed it by is removed from all stacks in proportion. So the total of a profile is the CPU time of its process.
 *
 * The clock is read by the process itself when it exits or executes another program, and here at each drain, as long as
 * the process has not been waited for. The parent of the program knows its CPU time exactly. A process counts from the
 * time of the program that it executed before, so loading it counts too.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKED_NS = 200000000, SLACK_NS = 1000000000, ROUNDING_NS = 100000, CHILDREN_MAX = 1 << 22 };

struct blocked_search {
	const struct process *p;
	int folder; /* descriptor of /proc/PID/task */
	bool found;
};

/* Could the processes of this run have used so much CPU time? Otherwise a program has overwritten the number. */
static bool is_possible(const struct collect *c, uint64_t ns)
{
	uint64_t now = clock_wall(), wall = now > c->start_ns ? now - c->start_ns : 0;
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);

	return ns / (uint64_t)(n_cpus > 0 ? n_cpus : 1) <= wall + SLACK_NS;
}

/* The CPU time that a process is known to have used as this program. */
static uint64_t account_used(const struct process *p)
{
	return p->cpu_ns > p->cpu_base_ns ? p->cpu_ns - p->cpu_base_ns : 0;
}

/* Does a thread that is ready to run have our signal blocked? */
static bool check_blocked_thread(void *search, uint32_t tid)
{
	struct blocked_search *s = search;
	struct task_signal is;
	struct task t;

	s->found = task_read(s->folder, tid, &t) && t.state == 'R' &&
		   task_signal(s->folder, tid, collect_signal(s->p), &is) && is.blocked;
	return !s->found;
}

/*
 * Much CPU time without samples: check whether the signal of a thread is blocked. Handlers block it for a moment, so it
 * must be found blocked twice.
 */
static void check_blocked(struct process *p)
{
	uint64_t weight_ns = p->table.weight * (1000000000 / p->c->options.hz), used = account_used(p);
	uint64_t gap = used > weight_ns ? used - weight_ns : 0;
	struct blocked_search s = { .p = p };

	if (gap < p->blocked_gap_ns + BLOCKED_NS)
		return;
	p->blocked_gap_ns = gap;
	s.folder = task_open_folder(p->pid);
	if (s.folder < 0)
		return;
	task_each(s.folder, check_blocked_thread, &s);
	close(s.folder);
	p->n_found_blocked += s.found;
}

void account_read(struct process *p)
{
	uint64_t ns;

	if (!p->c->is_cpu_always || p->c->options.is_self || !p->is_verified || p->is_replaced || p->is_unprofiled)
		return;
	ns = collect_cpu_ns(p->pid);
	/* once it has been waited for, the pid may be that of another process */
	if (p->pidfd < 0 || (syscall(SYS_pidfd_send_signal, p->pidfd, 0, NULL, 0) != 0 && errno != EPERM) ||
	    ns < p->cpu_ns)
		return;
	p->cpu_ns = ns;
	p->is_cpu_final = p->has_ended;
	if (!p->has_ended)
		check_blocked(p);
}

/* Read the time that the process reported before it ended. */
static void read_reports(struct process *p, const struct segment_proc *s)
{
	uint64_t ns = atomic_load_explicit(&s->cpu_ns, memory_order_relaxed),
		 slotless_ns = atomic_load_explicit(&s->slotless_ns, memory_order_relaxed);
	uint32_t n = atomic_load_explicit(&s->n_slotless, memory_order_relaxed);

	if (is_possible(p->c, ns) && is_possible(p->c, slotless_ns) && n <= CHILDREN_MAX) {
		p->slotless_ns = slotless_ns;
		p->n_slotless = n;
	} else {
		p->c->problems.is_damaged = true;
		ns = 0;
	}
	if (p->is_main && !p->is_replaced && !p->is_unprofiled && p->c->main_ns)
		p->cpu_ns = p->c->main_ns;
	else if (ns && (ns > p->cpu_ns || p->is_replaced || p->is_unprofiled))
		p->cpu_ns = ns;
	p->is_cpu_final |= ns || (p->is_main && p->c->main_ns);
}

/* The weight of stacks, without pseudo frames. */
static uint64_t stacks_weight(const struct stack_table *t)
{
	const struct table_stack *stack = t->stack.data;
	uint64_t n = t->weight;

	for (size_t i = 0; i < N_PSEUDO_FRAMES && i < t->stack.n; i++)
		n -= stack[i].weight;
	return n;
}

void account_end(struct process *p)
{
	struct collect_totals *t = &p->c->totals;
	uint64_t period = 1000000000 / p->c->options.hz, weight_ns = p->table.weight * period, used;

	if (!p->c->is_cpu_always || p->c->options.is_self)
		return;
	read_reports(p, collect_slot(p->c, collect_slot_index(p)));
	used = account_used(p);
	p->is_accounted = p->is_cpu_final && used;
	p->rest_ns = used > weight_ns ? used - weight_ns : 0;
	if (p->n_found_blocked >= 2) {
		p->blocked += p->rest_ns / period;
		table_add_pseudo(&p->table, PSEUDO_BLOCKED, 0, p->rest_ns / period);
		p->rest_ns %= period;
	}
	if (!p->is_accounted && used < weight_ns)
		used = weight_ns;
	t->sampled_ns += account_scale(p, stacks_weight(&p->table) * period);
	t->cpu_ns += used + p->slotless_ns;
	t->n_processes += 1 + p->n_slotless;
	for (int i = 0; i < N_CUTS; i++)
		t->n_stacks += p->cut[i];
	t->n_complete += p->cut[0];
}

uint64_t account_scale(const struct process *p, uint64_t ns)
{
	uint64_t all = p->table.weight * (1000000000 / p->c->options.hz), used = account_used(p);

	return p->is_accounted && all > used ? (uint64_t)((unsigned __int128)ns * used / all) : ns;
}

void account_release(struct process *p)
{
	p->is_accounted = false;
	p->rest_ns = p->slotless_ns = 0;
}

void collect_main_ended(struct collect *c, uint64_t own_ns, uint64_t total_ns)
{
	c->is_main_over = true;
	c->main_ns = own_ns;
	c->total_ns = total_ns;
}

void collect_add_outside(struct collect *c, const struct collect_totals *t)
{
	c->totals.sampled_ns += t->sampled_ns;
	c->totals.cpu_ns += t->cpu_ns;
	c->totals.n_processes += t->n_processes;
	c->totals.n_stacks += t->n_stacks;
	c->totals.n_complete += t->n_complete;
}

void collect_get_totals(const struct collect *c, struct collect_totals *out)
{
	uint64_t ns = atomic_load_explicit(&c->head->slotless_ns, memory_order_relaxed);
	uint32_t n = atomic_load_explicit(&c->head->n_slotless, memory_order_relaxed);

	*out = c->totals;
	if (is_possible(c, ns) && n <= CHILDREN_MAX) {
		out->cpu_ns += ns;
		out->n_processes += n;
		out->slotless_ns = ns;
	}
	/* without --follow, the programs that children executed are not part of the profile */
	if (c->options.follow && c->total_ns > out->cpu_ns + ROUNDING_NS) {
		out->unreported_ns = c->total_ns - out->cpu_ns;
		out->cpu_ns = c->total_ns;
	}
}
