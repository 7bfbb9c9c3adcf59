/*
 * trace_write_sched.c - write the CPUs of a timeline, and the numbers of switches
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/trace/trace_write_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CPUS_PID = (1 << 22) + 1 }; /* above the pids of Linux */

static const struct trace_thread *trace_write_sched_find_thread(const struct trace_writer *x, uint32_t tid)
{
	size_t lo = 0, hi = x->t->thread.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (trace_write_thread(x, mid)->tid < tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->t->thread.n && trace_write_thread(x, lo)->tid == tid ? trace_write_thread(x, lo) : NULL;
}

static void write_run(struct trace_writer *x, const struct sched_run *r)
{
	static const char *const then[] = { "waited", "preempted", NULL, NULL, "ended" }; /* by enum off_kind */
	char buffer[32];
	const char *name = trace_write_name(trace_write_sched_find_thread(x, r->tid), r->tid, buffer, sizeof(buffer));

	trace_write_begin(x, name, strlen(name), "running", CPUS_PID, (uint32_t)r->cpu + 1, r->begin, r->end);
	stream_add(&x->json, ",\"args\":{\"tid\":%" PRIu32 ",\"switches\":%" PRIu32, r->tid, r->n_switches);
	if (then[r->then])
		stream_add(&x->json, ",\"then\":\"%s\"", then[r->then]);
	stream_put(&x->json, "}}", 2);
	x->has_element = true;
}

void trace_write_cpus(struct trace_writer *x)
{
	const struct sched_run *run = x->t->sched.run.data;
	uint32_t last = UINT32_MAX;

	if (x->t->sched.run.n)
		trace_write_meta(x, "process_name", CPUS_PID, CPUS_PID, "name",
				 "CPUs, while threads of the program run", 0);
	for (size_t i = 0; i < x->t->sched.run.n; i++) {
		const struct sched_run *r = &run[x->runs[i]];
		char name[16];

		snprintf(name, sizeof(name), "CPU %u", r->cpu);
		if (r->cpu != last) {
			trace_write_meta(x, "thread_name", CPUS_PID, (uint32_t)r->cpu + 1, "name", name, 0);
			trace_write_meta(x, "thread_sort_index", CPUS_PID, (uint32_t)r->cpu + 1, "sort_index", NULL,
					 r->cpu);
		}
		last = r->cpu;
		write_run(x, r);
	}
}

/* Write the number of times that each thread left its CPU. */
static void trace_write_sched_write_counts(struct trace_writer *x)
{
	trace_write_next(x, "\n\"switched\":{");
	x->has_element = false;
	for (size_t i = 0; i < x->t->thread.n; i++) {
		const struct trace_thread *k = trace_write_thread(x, i);

		if (!k->sched.n_waited && !k->sched.n_preempted)
			continue;
		trace_write_next(x, "");
		stream_add(&x->json, "\"%" PRIu32 "\":{\"waited\":%" PRIu64 ",\"preempted\":%" PRIu64 "}", k->tid,
			   k->sched.n_waited, k->sched.n_preempted);
	}
	stream_put(&x->json, "}", 1);
	x->has_element = true;
}

void trace_write_sched(struct trace_writer *x)
{
	const struct sched *s = &x->t->sched;
	char text[64];

	if (s->end_ns) {
		trace_write_number(x, "switches", s->n_switches);
		trace_write_number(x, "lost_switches", s->n_lost);
		trace_write_number(x, "switches_min_us", SCHED_MIN_NS / 1000);
		trace_write_sched_write_counts(x);
	}
	if (s->error || x->t->is_self) {
		snprintf(text, sizeof(text), "%s: errno %d",
			 s->error == EACCES || s->error == EPERM    ? "not permitted"
			 : s->error == EMFILE || s->error == ENFILE ? "too many files"
								    : "not available",
			 s->error);
		trace_write_next(x, "\n\"switches_not_seen\":");
		trace_write_string(x, x->t->is_self ? "the program profiles itself" : text);
	}
}
