/*
 * trace_look.c - a look at the threads of a process: who waits, since when, what for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel counts how often a thread was given a CPU. One that waited at the last look and was given none
 * since waits still, where it did: that is one small file to read. Only the others have their stacks walked.
 */
#include "config.h"

#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/trace_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS_MOST = 1024, WAITS_MOST = TRACE_EVENTS_MOST / 2 };
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
	word = vec_room(&t->word, 1, sizeof(*word), WORDS_MOST);
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

	w.label = glance_label(&t->at, x->tid);
	w.word = word_of(t, task, TASK_WAITING);
	if (!n || !table_intern(table, pc, n, w.label, &w.at))
		w.n = 0;
	if (x->knows_times && goes_on(t, x, &w, times))
		return;
	w.begin = since(x, times, now);
	w.holder = glance_holder(&t->at, task);
	to = vec_room(&t->wait, 1, sizeof(*to), WAITS_MOST);
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
	is = glance_stack(&t->at, &task, pc, &n);
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
