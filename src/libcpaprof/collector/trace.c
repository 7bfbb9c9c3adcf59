/*
 * trace.c - what the threads of a process did, one after the other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples are kept as they come, with the number of their stack; waits as they are seen. What that makes
 * of a thread is decided when it is written (libcpaprof/collector/trace_spans.h).
 */
#include "config.h"

#include "libcpaprof/collector/trace.h"

#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/trace_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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
	t->at = (struct glance){ .p = p, .peek = threads_peek(p), .folder = -1 };
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
		t->by_self = p->c->how.self;
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
		t->hz = t->p->c->how.hz;
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
