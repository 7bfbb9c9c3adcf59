/*
 * remarks.c - what a profile says of how it was made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "collect/remarks.h"

#include "collect/collect_int.h"

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
	double seconds = (double)c->weight / p->c->how.hz;

	remark(r, "cpa %s: pid %d, %s", PACKAGE_VERSION, (int)p->pid,
	       p->engine & ENGINE_NONE                                    ? "some threads have no timer"
	       : p->engine & ENGINE_PERF && p->engine & ENGINE_THREADS    ? "events and timers of threads"
	       : p->engine & ENGINE_PERF                                  ? "events of threads"
	       : p->engine & ENGINE_PROCESS && p->engine & ENGINE_THREADS ? "timers of threads and of the process"
	       : p->engine & ENGINE_PROCESS                               ? "timer of the process"
									  : "timers of threads");
	remark(r, "%u Hz asked, %.1f stacks per second of CPU time; samples weigh by the periods they stand for",
	       p->c->how.hz, seconds > 0 ? (double)c->n_samples / seconds : 0.0);
	if (p->perf_error)
		remark(r, "no events: %s", strerror((int)p->perf_error));
	if (c->lost)
		remark(r, "lost: %llu periods in %s", (unsigned long long)c->lost, table_place_name[PLACE_LOST]);
	if (c->adopted)
		remark(r, "of them before threads were found at work: %llu", (unsigned long long)c->adopted);
	if (c->blocked)
		remark(r, "signal blocked: %llu periods", (unsigned long long)c->blocked);
	if (c->orphans)
		remark(r, "signals in threads that nobody knew: %llu", (unsigned long long)c->orphans);
	if (c->bad)
		remark(r, "rings that made no sense: %llu", (unsigned long long)c->bad);
	remark_stacks(r, c);
}

void remarks_make(struct remarks *r, const struct snap *s)
{
	if (s->kind == SNAP_CPU)
		remark_cpu(r, s);
	else
		remark(r, "cpa %s: pid %d", PACKAGE_VERSION, (int)s->p->pid);
}
