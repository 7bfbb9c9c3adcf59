/*
 * trace.c - samples of the threads of a process over time, and polls of those that wait
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples are kept as they come, with the number of their stack; waits as they are seen. What that makes
 * of a thread is decided when it is written (libcpaprof/collector/trace_spans.h).
 *
 * The kernel counts how often a thread was given a CPU. One that waited at the last look and was given none
 * since waits still, where it did: that is one small file to read. Only the others have their stacks walked.
 */
#include "config.h"

#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/trace.h"
#include "libcpaprof/collector/trace_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SHARE = 10, LOOK_MOST_MS = 1000 };

/* All that are traced together; handlers look at it with each sample. */
static void want_times(struct collect *c, int more)
{
	c->n_traces += (uint32_t)more;
	atomic_store_explicit(&c->head->times, c->n_traces, memory_order_relaxed);
}

static void open_folder(struct trace *t)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/task", (int)t->p->pid);
	t->at.folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	t->error = t->at.folder < 0 ? errno : 0;
}

int trace_begin(struct process *p, struct trace **out)
{
	struct trace *t;

	if (p->trace)
		return -EBUSY;
	t = memory_map(sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->slot = memory_map(TRACE_SLOTS * sizeof(*t->slot));
	t->at = (struct sample_stack){ .p = p, .peek = threads_peek(p), .folder = -1 };
	if (!t->slot || !t->at.peek) {
		trace_free(t);
		return -ENOMEM;
	}
	t->p = p;
	t->lost_before = p->lost;
	t->bad_before = p->bad;
	t->blocked_before = p->blocked;
	open_folder(t);
	if (p->c) {
		t->by_self = p->c->options.self;
		want_times(p->c, 1);
	}
	t->wall_ns = clock_ns(CLOCK_REALTIME);
	t->begin_ns = clock_now();
	p->trace = t;
	*out = t;
	return 0;
}

void trace_sample(struct trace *t, uint32_t tid, uint32_t stack, uint32_t weight, uint64_t ns)
{
	struct trace_sample *x;

	if (stack >= t->p->table.stack.n || !weight)
		return;
	if (!t->hz) /* the recording may begin later */
		t->hz = t->p->c->options.hz;
	x = vec_room(&t->sample, 1, sizeof(*x), TRACE_EVENTS_MOST);
	if (!x) {
		t->n_no_room++;
		return;
	}
	*x = (struct trace_sample){ .ns = ns, .tid = tid, .weight = weight, .stack = stack };
	t->sample.n++;
}

unsigned trace_look(struct trace *t)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID), now = clock_now(), took, ms;
	int rc;

	if (t->end_ns || t->p->ended || t->at.folder < 0)
		return LOOK_MOST_MS;
	if (t->looked_ns && now - t->looked_ns > t->apart_ns)
		t->apart_ns = now - t->looked_ns;
	t->looked_ns = now;
	rc = trace_look_all(t);
	if (rc < 0)
		t->error = -rc;
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	t->n_looks++;
	t->look_ns += took;
	ms = took * (SHARE - 1) / 1000000;
	return ms < TRACE_LOOK_MS ? TRACE_LOOK_MS : ms > LOOK_MOST_MS ? LOOK_MOST_MS : (unsigned)ms;
}

static void end(struct trace *t)
{
	struct process *p = t->p;

	if (!p || t->end_ns)
		return;
	t->end_ns = clock_now();
	p->trace = NULL;
	t->n_lost = p->lost - t->lost_before;
	t->n_bad = p->bad - t->bad_before;
	if (p->c)
		want_times(p->c, -1);
	if (t->at.folder >= 0)
		close(t->at.folder);
	t->at.folder = -1;
}

void trace_forget(struct process *p)
{
	if (!p->trace)
		return;
	p->trace = NULL;
	want_times(p->c, -1);
}

void trace_end(struct trace *t)
{
	if (t->end_ns)
		return;
	if (t->p->c && !t->p->ended)
		collect_rings(t->p->c);
	end(t);
	collect_find_places(t->p, true);
}

/* A row for a stack, unless there is one. Which there is, is told by where the frames are. */
static int add_row(struct snap *s, uint64_t *has, uint32_t at, uint32_t n, uint32_t label)
{
	struct snap_row *row;

	if (has[at / 64] >> at % 64 & 1 || n == 0)
		return 0;
	row = vec_room(&s->row, 1, sizeof(*row), (size_t)TRACE_EVENTS_MOST * 2);
	if (!row)
		return -ENOMEM;
	has[at / 64] |= 1ULL << at % 64;
	*row = (struct snap_row){ .at = at, .n = n, .label = label, .value = { 1 } };
	s->row.n++;
	return 0;
}

static int add_rows(const struct trace *t, struct snap *s)
{
	const struct stack_table *table = &t->p->table;
	size_t size = (table->frames.n / 64 + 1) * sizeof(uint64_t);
	uint64_t *has = memory_map(size);
	int rc = has ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < t->sample.n; i++) {
		const struct trace_sample *x = (const struct trace_sample *)t->sample.data + i;
		const struct table_stack *stack = (const struct table_stack *)table->stack.data + x->stack;

		rc = add_row(s, has, stack->at, stack->n, stack->label);
	}
	for (size_t i = 0; rc == 0 && i < t->wait.n; i++) {
		const struct trace_wait *x = (const struct trace_wait *)t->wait.data + i;

		rc = add_row(s, has, x->at, x->n, x->label);
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
	rc = add_rows(t, s);
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
	end(t);
	memory_unmap(t->slot, TRACE_SLOTS * sizeof(*t->slot));
	vec_release(&t->sample, sizeof(struct trace_sample));
	vec_release(&t->wait, sizeof(struct trace_wait));
	vec_release(&t->thread, sizeof(struct trace_thread));
	vec_release(&t->word, TRACE_WORD_MAX);
	memory_unmap(t, sizeof(*t));
}

enum { WORDS_MAX = 1024, WAITS_MAX = TRACE_EVENTS_MOST / 2 };
enum {
	LITTLE = 2
}; /* a thread that ran, or could have, for less than such a part of the time between two looks waited */
enum { MAPPED_NS = 1000000000 };

/* The record of a thread, made if need be; NULL when there is no room. */
static struct trace_thread *find(struct trace *t, uint32_t tid)
{
	uint32_t at = (tid * 2654435769U) % TRACE_SLOTS;
	struct trace_thread *x = t->thread.data;

	for (; t->slot[at]; at = (at + 1) % TRACE_SLOTS)
		if (x[t->slot[at] - 1].tid == tid)
			return &x[t->slot[at] - 1];
	x = vec_room(&t->thread, 1, sizeof(*x), TRACE_THREADS_MOST);
	if (!x)
		return NULL;
	*x = (struct trace_thread){ .tid = tid };
	t->slot[at] = (uint32_t)++t->thread.n;
	return x;
}

static uint32_t word_of(struct trace *t, const struct task *task, enum task_is is)
{
	char(*word)[TRACE_WORD_MAX] = t->word.data, now[TRACE_WORD_MAX] = { 0 };

	task_wait(task, is, now, sizeof(now));
	for (size_t i = 0; i < t->word.n; i++)
		if (memcmp(word[i], now, sizeof(now)) == 0)
			return (uint32_t)i;
	word = vec_room(&t->word, 1, sizeof(*word), WORDS_MAX);
	if (!word)
		return 0;
	memcpy(*word, now, sizeof(now));
	return (uint32_t)t->word.n++;
}

/* In a program that profiles itself. */
static bool is_ours(const struct trace *t, const struct task *task)
{
	struct task_signal signal;

	return t->by_self && (task->tid == (uint32_t)syscall(SYS_gettid) ||
			      (strcmp(task->name, "cpa") == 0 &&
			       task_signal(t->at.folder, task->tid, collect_signal(t->p), &signal) && signal.blocked));
}

/* Does the wait that was seen last go on, with little between? Then it is longer now. */
static bool goes_on(struct trace *t, const struct trace_thread *x, const struct trace_wait *now,
		    const struct task_times *times)
{
	struct trace_wait *was = x->wait ? (struct trace_wait *)t->wait.data + x->wait - 1 : NULL;
	uint64_t ran = times->cpu_ns - x->times.cpu_ns, ready = times->ready_ns - x->times.ready_ns;

	if (!was || !x->waits || was->at != now->at || was->n != now->n || was->word != now->word ||
	    was->label != now->label || ran + ready > (now->begin - x->seen_ns) / LITTLE)
		return false;
	was->end = now->begin;
	was->woken += (uint32_t)(times->runs - x->times.runs);
	was->ran_us += (uint32_t)(ran / 1000);
	was->ready_us += (uint32_t)(ready / 1000);
	return true;
}

/*
 * When it began to wait: one that ran at the last look, and was given no CPU since, ran on from then as long as
 * it did.
 */
static uint64_t since(const struct trace_thread *x, const struct task_times *times, uint64_t now)
{
	uint64_t ran = times->cpu_ns - x->times.cpu_ns;

	if (!x->knows_times || x->waits || !x->seen_ns || times->runs != x->times.runs || ran > now - x->seen_ns)
		return now;
	return x->seen_ns + ran;
}

static void put_wait(struct trace *t, struct trace_thread *x, const struct task *task, const uint64_t *pc, uint32_t n,
		     const struct task_times *times, uint64_t now)
{
	struct stack_table *table = &t->p->table;
	struct trace_wait w = { .begin = now, .end = now, .tid = x->tid, .n = n }, *to;

	w.label = sample_stack_label(&t->at, x->tid);
	w.word = word_of(t, task, TASK_WAITING);
	if (!n || !table_intern(table, pc, n, w.label, &w.at))
		w.n = 0;
	if (x->knows_times && goes_on(t, x, &w, times))
		return;
	w.begin = since(x, times, now);
	w.holder = sample_stack_holder(&t->at, task);
	to = vec_room(&t->wait, 1, sizeof(*to), WAITS_MAX);
	if (!to) {
		t->n_no_room++;
		x->wait = 0;
		return;
	}
	*to = w;
	x->wait = (uint32_t)++t->wait.n;
}

/* It was given a CPU once since, and runs: it waited until then. */
static void ended(struct trace *t, const struct trace_thread *x, const struct task_times *times, uint64_t now)
{
	struct trace_wait *was = x->wait ? (struct trace_wait *)t->wait.data + x->wait - 1 : NULL;
	uint64_t after = times->cpu_ns - x->times.cpu_ns + times->ready_ns - x->times.ready_ns;

	if (was && x->waits && x->knows_times && times->runs == x->times.runs + 1 && after < now - was->end)
		was->end = now - after;
}

/* What is mapped is looked at now and then: most of the time it stays. */
static void look_at_maps(struct trace *t, uint64_t now)
{
	if (t->mapped_ns && now - t->mapped_ns < MAPPED_NS)
		return;
	t->mapped_ns = now;
	space_look(&t->at.peek->space, t->p->pid);
}

/* Look at a thread that may have run since. */
static void look_closely(struct trace *t, struct trace_thread *x, const struct task_times *times, bool knows)
{
	uint64_t pc[FRAMES_MAX], now;
	enum task_is is;
	struct task task;
	uint32_t n = 0;

	if (!task_read(t->at.folder, x->tid, &task) || task.state == 'Z' || task.state == 'X')
		return;
	if (!x->seen_ns || task.cpu_ns < x->times.cpu_ns) { /* a new one, maybe with the id of one that ended */
		*x = (struct trace_thread){ .tid = x->tid, .ours = is_ours(t, &task), .first_cpu_ns = task.cpu_ns };
		if (x->ours)
			return;
	}
	memcpy(x->name, task.name, sizeof(x->name));
	is = sample_stack_take(&t->at, &task, pc, &n);
	now = clock_now();
	if (is == TASK_DENIED)
		t->error = task.error;
	if (is == TASK_WAITING)
		put_wait(t, x, &task, pc, n, times, now);
	else
		ended(t, x, times, now);
	x->waits = is == TASK_WAITING;
	x->seen_ns = now;
	x->times = *times;
	x->knows_times = knows;
}

static void look_at(struct trace *t, uint32_t tid)
{
	struct trace_thread *x = find(t, tid);
	struct task_times times = { 0 };
	uint64_t now = clock_now();
	bool knows;

	if (!x) {
		t->n_no_room++;
		return;
	}
	if (x->ours)
		return;
	knows = task_times(t->at.folder, tid, &times);
	if (x->waits && knows && x->knows_times && times.runs == x->times.runs && x->wait) {
		((struct trace_wait *)t->wait.data)[x->wait - 1].end = now;
		x->seen_ns = now;
		return;
	}
	look_at_maps(t, now);
	look_closely(t, x, &times, knows);
}

static bool look_at_each(void *trace, uint32_t tid)
{
	look_at(trace, tid);
	return true;
}

int trace_look_all(struct trace *t)
{
	return task_each(t->at.folder, look_at_each, t);
}
