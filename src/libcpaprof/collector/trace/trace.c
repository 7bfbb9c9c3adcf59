/*
 * trace.c - record the samples of the threads of a process over time, and poll the waiting threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples are stored with the index of their stack, waits as they are observed. They are combined when the trace is
 * written (libcpaprof/collector/trace/trace_spans.h).
 *
 * The kernel counts how often a thread was scheduled. A thread that waited at the last poll and was not scheduled since
 * still waits with the same stack, which costs one small file to read. Only the stacks of other threads are walked.
 */
#include "config.h"

#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/trace/trace.h"
#include "libcpaprof/collector/trace/trace_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHARE = 10, POLL_MAX_MS = 1000 };
enum { POLL_RINGS_MS = 20 }; /* ring buffers overflow if they are not read often */

#define MS 1000000ULL

int trace_begin(struct process *p, struct trace **out)
{
	struct process_info info;
	struct trace *t;

	if (p->timed)
		return -EBUSY;
	t = memory_map(sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->slot = memory_map(TRACE_SLOTS * sizeof(*t->slot));
	t->sampler = (struct sample_stack){ .p = p, .reader = threads_reader(p), .folder = -1 };
	if (!t->slot || !t->sampler.reader) {
		trace_free(t);
		return -ENOMEM;
	}
	t->p = p;
	t->lost_before = p->lost;
	t->bad_before = p->bad;
	t->sampler.folder = task_open_folder(p->pid);
	t->error = t->sampler.folder < 0 ? errno : 0;
	process_info(p, &info);
	t->is_self = info.is_self;
	t->wall_ns = clock_wall();
	t->begin_ns = clock_now();
	if (!t->is_self && t->sampler.folder >= 0)
		trace_sched_begin(t);
	process_time_samples(p, trace_sample, t);
	*out = t;
	return 0;
}

void trace_sample(void *trace, uint32_t tid, uint32_t stack, uint32_t weight, uint64_t ns)
{
	const struct trace_sample x = { .ns = ns, .tid = tid, .weight = weight, .stack = stack };
	struct trace *t = trace;
	struct process_info info;

	if (stack >= t->p->table.stack.n || !weight)
		return;
	if (!t->hz) { /* the CPU recording may begin after the trace */
		process_info(t->p, &info);
		t->hz = info.hz;
	}
	t->n_no_room += !vec_add(&t->sample, &x, 1, sizeof(x), TRACE_EVENTS_MAX);
}

/* Poll the threads. Returns the ns until the next time. */
static uint64_t poll_threads(struct trace *t, uint64_t now)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), took, ns;
	int rc;

	if (t->last_poll_ns && now - t->last_poll_ns > t->max_gap_ns)
		t->max_gap_ns = now - t->last_poll_ns;
	t->last_poll_ns = now;
	rc = trace_poll_threads(t);
	if (rc < 0)
		t->error = -rc;
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	t->n_polls++;
	t->poll_ns += took;
	ns = took * (SHARE - 1);
	return ns < TRACE_POLL_MS * MS ? TRACE_POLL_MS * MS : ns > POLL_MAX_MS * MS ? POLL_MAX_MS * MS : ns;
}

unsigned trace_poll(struct trace *t)
{
	uint64_t now = clock_now(), ms;

	if (t->end_ns || t->p->has_ended || t->sampler.folder < 0)
		return POLL_MAX_MS;
	trace_sched_poll(t);
	if (now >= t->next_poll_ns)
		t->next_poll_ns = now + poll_threads(t, now);
	ms = (t->next_poll_ns - now) / MS;
	return ms < TRACE_POLL_MS ? TRACE_POLL_MS : ms > POLL_RINGS_MS && t->sched.fd.n ? POLL_RINGS_MS : (unsigned)ms;
}

static void collector_trace_end(struct trace *t)
{
	struct process *p = t->p;

	if (!p || t->end_ns)
		return;
	trace_sched_end(t);
	t->end_ns = clock_now();
	process_time_samples(p, NULL, NULL);
	t->n_lost = p->lost - t->lost_before;
	t->n_bad = p->bad - t->bad_before;
	if (t->sampler.folder >= 0)
		close(t->sampler.folder);
	t->sampler.folder = -1;
}

void trace_end(struct trace *t)
{
	if (t->end_ns)
		return;
	if (t->p->c && !t->p->has_ended)
		collect_read_rings(t->p->c);
	collector_trace_end(t);
	collect_find_mappings(t->p, true);
}

/* Add a row for a stack, unless it has a row. has is a bitmap, indexed by the position of the frames. */
static int trace_add_row(struct snap *s, uint64_t *has, uint32_t at, uint32_t n, uint32_t label)
{
	const struct snap_row row = { .at = at, .n = n, .label = label, .value = { 1 } };

	if (has[at / 64] >> at % 64 & 1 || n == 0)
		return 0;
	has[at / 64] |= 1ULL << at % 64;
	return vec_add(&s->row, &row, 1, sizeof(row), (size_t)TRACE_EVENTS_MAX * 2) ? 0 : -ENOMEM;
}

static int trace_add_rows(const struct trace *t, struct snap *s)
{
	const struct stack_table *table = &t->p->table;
	size_t size = (table->frames.n / 64 + 1) * sizeof(uint64_t);
	uint64_t *has = memory_map(size);
	int rc = has ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < t->sample.n; i++) {
		const struct trace_sample *x = (const struct trace_sample *)t->sample.data + i;
		const struct table_stack *stack = (const struct table_stack *)table->stack.data + x->stack;

		rc = trace_add_row(s, has, stack->at, stack->n, stack->label);
	}
	for (size_t i = 0; rc == 0 && i < t->wait.n; i++) {
		const struct trace_wait *x = (const struct trace_wait *)t->wait.data + i;

		rc = trace_add_row(s, has, x->at, x->n, x->label);
	}
	memory_unmap(has, size);
	return rc;
}

int trace_snap(const struct trace *t, struct snap **out)
{
	struct snap *s = memory_map(sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	*s = (struct snap){ .kind = SNAP_CUSTOM, .p = t->p, .period = 1, .name = "trace" };
	s->start_ns = t->wall_ns;
	s->end_ns = t->wall_ns + (t->end_ns ? t->end_ns : clock_now()) - t->begin_ns;
	rc = trace_add_rows(t, s);
	rc = rc < 0 ? rc : snap_sort(s);
	if (rc < 0) {
		snap_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	collector_trace_end(t);
	memory_unmap(t->slot, TRACE_SLOTS * sizeof(*t->slot));
	vec_release(&t->sample, sizeof(struct trace_sample));
	vec_release(&t->wait, sizeof(struct trace_wait));
	vec_release(&t->thread, sizeof(struct trace_thread));
	vec_release(&t->reason, TRACE_REASON_MAX);
	trace_sched_release(t);
	memory_unmap(t, sizeof(*t));
}

enum { REASONS_MAX = 1024, WAITS_MAX = TRACE_EVENTS_MAX / 2 };
enum { PART_RUN = 2 }; /* a thread waited if it ran or was ready for less than half of the time between two polls */
enum { MAPS_READ_NS = 1000000000 };

struct trace_thread *trace_find_thread(struct trace *t, uint32_t tid)
{
	uint32_t at = (tid * 2654435769U) % TRACE_SLOTS;
	struct trace_thread *x = t->thread.data;

	for (; t->slot[at]; at = (at + 1) % TRACE_SLOTS)
		if (x[t->slot[at] - 1].tid == tid)
			return &x[t->slot[at] - 1];
	x = vec_add(&t->thread, &(struct trace_thread){ .tid = tid }, 1, sizeof(*x), TRACE_THREADS_MAX);
	if (x)
		t->slot[at] = (uint32_t)t->thread.n;
	return x;
}

static uint32_t trace_add_reason(struct trace *t, const struct task *task, enum task_status is)
{
	char(*reason)[TRACE_REASON_MAX] = t->reason.data, now[TRACE_REASON_MAX] = { 0 };

	task_describe_wait(task, is, now, sizeof(now));
	for (size_t i = 0; i < t->reason.n; i++)
		if (memcmp(reason[i], now, sizeof(now)) == 0)
			return (uint32_t)i;
	return vec_add(&t->reason, now, 1, sizeof(now), REASONS_MAX) ? (uint32_t)t->reason.n - 1 : 0;
}

/* Is it a thread of our own, in a program that profiles itself? */
static bool is_own_thread(const struct trace *t, const struct task *task)
{
	struct task_signal signal;

	return t->is_self &&
	       (task->tid == (uint32_t)syscall(SYS_gettid) ||
		(strcmp(task->name, "cpa") == 0 &&
		 task_signal(t->sampler.folder, task->tid, collect_signal(t->p), &signal) && signal.blocked));
}

/* Extend the last wait to now if the thread still waits in the same way and hardly ran in between. */
static bool extend_wait(struct trace *t, const struct trace_thread *x, const struct trace_wait *now,
			const struct task_times *times)
{
	struct trace_wait *was = x->wait ? (struct trace_wait *)t->wait.data + x->wait - 1 : NULL;
	uint64_t ran = times->cpu_ns - x->times.cpu_ns, ready = times->ready_ns - x->times.ready_ns;

	if (!was || !x->is_waiting || was->at != now->at || was->n != now->n || was->reason != now->reason ||
	    was->label != now->label || ran + ready > (now->begin - x->seen_ns) / PART_RUN)
		return false;
	was->end = now->begin;
	was->woken += (uint32_t)(times->runs - x->times.runs);
	was->ran_us += (uint32_t)(ran / 1000);
	was->ready_us += (uint32_t)(ready / 1000);
	return true;
}

/*
 * The start time of a wait. If the thread ran at the last poll and was not scheduled again, it ran from then on, for
 * the CPU time that it has used since.
 */
static uint64_t trace_wait_begin(const struct trace_thread *x, const struct task_times *times, uint64_t now)
{
	uint64_t ran = times->cpu_ns - x->times.cpu_ns;

	if (!x->has_times || x->is_waiting || !x->seen_ns || times->runs != x->times.runs || ran > now - x->seen_ns)
		return now;
	return x->seen_ns + ran;
}

static void trace_add_wait(struct trace *t, struct trace_thread *x, const struct task *task, const uint64_t *pc,
			   uint32_t n, const struct task_times *times, uint64_t now)
{
	struct stack_table *table = &t->p->table;
	struct trace_wait w = { .begin = now, .end = now, .tid = x->tid, .n = n };

	w.label = sample_stack_label(&t->sampler, x->tid);
	w.reason = trace_add_reason(t, task, TASK_WAITING);
	if (!n || !table_intern(table, pc, n, w.label, &w.at))
		w.n = 0;
	if (x->has_times && extend_wait(t, x, &w, times))
		return;
	w.begin = trace_wait_begin(x, times, now);
	w.holder = sample_stack_holder(&t->sampler, task);
	x->wait = vec_add(&t->wait, &w, 1, sizeof(w), WAITS_MAX) ? (uint32_t)t->wait.n : 0;
	t->n_no_room += !x->wait;
}

/* The thread runs now and was scheduled only once since the last poll: it waited until then. */
static void end_wait(struct trace *t, const struct trace_thread *x, const struct task_times *times, uint64_t now)
{
	struct trace_wait *was = x->wait ? (struct trace_wait *)t->wait.data + x->wait - 1 : NULL;
	uint64_t after = times->cpu_ns - x->times.cpu_ns + times->ready_ns - x->times.ready_ns;

	if (was && x->is_waiting && x->has_times && times->runs == x->times.runs + 1 && after < now - was->end)
		was->end = now - after;
}

/* Read the mappings again after a while: most of the time they do not change. */
static void read_maps(struct trace *t, uint64_t now)
{
	if (t->maps_read_ns && now - t->maps_read_ns < MAPS_READ_NS)
		return;
	t->maps_read_ns = now;
	space_read_maps(&t->sampler.reader->space, t->p->pid);
}

/* Poll a thread that may have run since the last poll. */
static void poll_stack(struct trace *t, struct trace_thread *x, const struct task_times *times, bool has_times)
{
	uint64_t pc[FRAMES_MAX], now;
	enum task_status is;
	struct task task;
	uint32_t n = 0;

	if (!task_read(t->sampler.folder, x->tid, &task) || task.state == 'Z' || task.state == 'X')
		return;
	if (!x->seen_ns || task.cpu_ns < x->times.cpu_ns) { /* a new thread, possibly with the tid of one that ended */
		*x = (struct trace_thread){ .tid = x->tid,
					    .is_ours = is_own_thread(t, &task),
					    .has_events = x->has_events,
					    .sched = x->sched,
					    .first_cpu_ns = task.cpu_ns };
		if (x->is_ours)
			return;
	}
	memcpy(x->name, task.name, sizeof(x->name));
	is = sample_stack_read(&t->sampler, &task, pc, &n);
	now = clock_now();
	if (is == TASK_DENIED)
		t->error = task.error;
	if (is == TASK_WAITING)
		trace_add_wait(t, x, &task, pc, n, times, now);
	else
		end_wait(t, x, times, now);
	x->is_waiting = is == TASK_WAITING;
	x->seen_ns = now;
	x->times = *times;
	x->has_times = has_times;
}

static void poll_thread(struct trace *t, uint32_t tid)
{
	struct trace_thread *x = trace_find_thread(t, tid);
	struct task_times times = { 0 };
	uint64_t now = clock_now();
	bool has_times;

	if (!x) {
		t->n_no_room++;
		return;
	}
	if (x->is_ours)
		return;
	has_times = task_times(t->sampler.folder, tid, &times);
	if (x->is_waiting && has_times && x->has_times && times.runs == x->times.runs && x->wait) {
		((struct trace_wait *)t->wait.data)[x->wait - 1].end = now;
		x->seen_ns = now;
		return;
	}
	read_maps(t, now);
	poll_stack(t, x, &times, has_times);
}

static bool poll_each(void *trace, uint32_t tid)
{
	poll_thread(trace, tid);
	return true;
}

int trace_poll_threads(struct trace *t)
{
	return task_each(t->sampler.folder, poll_each, t);
}
