/*
 * remarks.c - what a profile says of how it was made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/remarks.h"

#include "libcpaprof/collector/collect_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void remark(struct remarks *r, const char *fmt, ...)
{
	va_list args;

	if (r->n == REMARKS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(r->text[r->n++], REMARK_LEN, fmt, args);
	va_end(args);
}

static void remark_stacks(struct remarks *r, const struct snap_cpu *c)
{
	static const char *const why[N_CUTS] = { "whole",
						 "cut at the limit",
						 "no call frame information",
						 "bad call frame information",
						 "a register unknown",
						 "a bad stack pointer",
						 "outside the stack",
						 "too many steps" };
	uint64_t n = 0;

	for (int i = 0; i < N_CUTS; i++)
		n += c->cut[i];
	for (int i = 0; i < N_CUTS && n; i++)
		if (c->cut[i] && r->n < REMARKS_MAX - 3)
			remark(r, "stacks, %s: %llu of %llu (%.2f%%)", why[i], (unsigned long long)c->cut[i],
			       (unsigned long long)n, 100.0 * (double)c->cut[i] / (double)n);
}

static void remark_cpu(struct remarks *r, const struct snap *s)
{
	const struct process *p = s->p;
	const struct snap_cpu *c = &s->cpu;
	unsigned hz =
		(unsigned)((1000000000 + s->period / 2) / s->period); /* that of the recording, if there are some */
	double seconds = (double)c->weight / hz;

	remark(r, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)p->pid,
	       p->engine & ENGINE_NONE                                    ? "some threads have no timer"
	       : p->engine & ENGINE_PERF && p->engine & ENGINE_THREADS    ? "events and timers of threads"
	       : p->engine & ENGINE_PERF                                  ? "events of threads"
	       : p->engine & ENGINE_PROCESS && p->engine & ENGINE_THREADS ? "timers of threads and of the process"
	       : p->engine & ENGINE_PROCESS                               ? "timer of the process"
									  : "timers of threads");
	remark(r, "%u Hz asked, %.1f stacks per second of CPU time; samples weigh by the periods they stand for", hz,
	       seconds > 0 ? (double)c->n_samples / seconds : 0.0);
	if (p->error)
		remark(r, "timers: %s", strerrordesc_np((int)p->error));
	if (p->moved)
		remark(r, "the program took our signal %u times; it is %d now", p->moved, collect_signal(p));
	if (p->perf_error)
		remark(r, "no events: %s", strerrordesc_np((int)p->perf_error));
	if (c->lost)
		remark(r, "lost: %llu periods in %s", (unsigned long long)c->lost, table_place_name[PLACE_LOST]);
	if (c->adopted)
		remark(r, "of them before threads were found at work: %llu", (unsigned long long)c->adopted);
	if (c->unsampled)
		remark(r, "used before threads had timers, or never sampled: %llu periods in %s",
		       (unsigned long long)c->unsampled, table_place_name[PLACE_UNSAMPLED]);
	if (c->blocked)
		remark(r, "signal blocked: %llu periods", (unsigned long long)c->blocked);
	if (c->orphans)
		remark(r, "signals in threads that nobody knew: %llu", (unsigned long long)c->orphans);
	if (c->bad)
		remark(r, "rings that made no sense: %llu", (unsigned long long)c->bad);
	remark_stacks(r, c);
}

/* Why there is no more in a heap. */
static void remark_heap(struct remarks *r, const struct snap *s)
{
	static const struct {
		uint32_t bit;
		const char *why;
	} all[] = {
		{ HEAP_FOREIGN, "the program, or a library in front of ours, has its own malloc" },
		{ HEAP_SANITIZER, "malloc is a sanitizer's" },
		{ HEAP_DEEPBIND, "an object was loaded with RTLD_DEEPBIND, which calls malloc past us" },
		{ HEAP_NO_TABLES, "no tables were left for this process" },
	};
	uint32_t bits = atomic_load_explicit(&collect_slot(s->p->c, collect_slot_of(s->p))->heap, memory_order_relaxed);

	if (s->period > 1)
		remark(r, "heap: one sample every %llu bytes on average; they weigh by what they stand for",
		       (unsigned long long)s->period);
	if (s->row.n == 0 && atomic_load_explicit(&s->p->c->head->heap_rate, memory_order_relaxed) == 0)
		remark(r, "heap: it is not measured; cpa_heap_set_rate() or CPA_HEAP_RATE begin it");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (bits & all[i].bit)
			remark(r, "heap: not all of it, for %s", all[i].why);
}

/* What found no room for its stack. */
static void remark_full(struct remarks *r, const struct snap *s)
{
	const uint32_t *frames = s->p->table.frames.data;
	const struct snap_row *row = s->row.data;

	for (size_t i = 0; i < s->row.n; i++)
		if (row[i].n == 1 && frames[row[i].at] == PLACE_FULL)
			remark(r, "no room for more stacks: %lld in %s", (long long)row[i].value[0],
			       table_place_name[PLACE_FULL]);
}

void remarks_make(struct remarks *r, const struct snap *s)
{
	if (s->kind == SNAP_CPU) {
		remark_cpu(r, s);
		return;
	}
	remark(r, "cpa %s: pid %d", PACKAGE_VERSION, (int)s->p->pid);
	if (s->kind == SNAP_HEAP || s->kind == SNAP_ALLOCS)
		remark_heap(r, s);
	remark_full(r, s);
}
