/*
 * sample_events.c - sample processes with perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Waits: the kernel samples a thread when it stops to run, and reports when it runs again. A thread that could
 * continue (it was preempted) does not wait. Reports of several CPUs are merged in order of time, after a delay in
 * which all of them arrive. Threads that wait when sampling begins are read through /proc.
 */
#include "config.h"

#include "attach/files.h"
#include "attach/sample_int.h"
#include "base/mem.h"
#include "base/search.h"
#include "libcpaprof/collector/clock.h"
#include "libcpaprof/collector/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	STACK_BYTES = 32 << 10,     /* copied per sample */
	WAIT_STACK_BYTES = 8 << 10, /* context switches can be frequent */
	POLL_MS = 100,
	POLL_MANY_MS = 10,
	KERNEL_FRAMES_MAX = 127, /* kernel.perf_event_max_stack by default */
	EVENT_REGS_MAX = 32,
};

#define ARRIVAL_NS UINT64_C(20000000) /* records are available after this time at the latest */

/* A sample of a thread that stops to run, until the kernel reports why. */
struct held {
	uint32_t tid;
	uint64_t reg[EVENT_REGS_MAX], kernel[KERNEL_FRAMES_MAX];
	unsigned char stack[WAIT_STACK_BYTES];
	size_t n_stack;
	uint32_t n_kernel;
	bool has_regs;
};

/* A thread started or stopped to wait. */
struct change {
	uint64_t time_ns;
	uint32_t tid, stack; /* stack: of a thread that waits */
	bool waits;
	struct process *p; /* of a thread that waits */
};

struct waits {
	struct session *s;
	struct held **held; /* [n_held] by ring; NULL: none yet */
	size_t n_held, cap_held;
	struct change *change; /* [n] not yet processed */
	size_t n, cap;
	struct change *waiting; /* [n_waiting] threads that wait, sorted by tid */
	size_t n_waiting, cap_waiting;
	uint64_t ready_ns; /* all records before this time have arrived */
};

static int open_cgroup(struct session *s, struct err *err)
{
	static const char *const roots[] = { "", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/",
					     "/sys/fs/cgroup/perf_event/" };
	int fd = -1, rc;

	for (size_t i = *s->o->cgroup != '/'; fd < 0 && i < sizeof(roots) / sizeof(roots[0]); i++) {
		struct buf path = { 0 };

		buf_addf(&path, "%s%s/cgroup.procs", roots[i], s->o->cgroup);
		if (access(buf_text(&path), F_OK) == 0) {
			path.len = 0;
			buf_addf(&path, "%s%s", roots[i], s->o->cgroup);
			fd = open(buf_text(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		}
		buf_release(&path);
	}
	if (fd < 0)
		return err_set(err, ERR_IO, "%s: no cgroup of this name below /sys/fs/cgroup", s->o->cgroup);
	rc = events_add_cgroup(s->events, fd);
	close(fd);
	return rc < 0 ? attach_sample_explain(s, 0, -rc, err) : 0;
}

static int add_all(struct session *s, struct err *err)
{
	int rc;

	if (s->o->cgroup)
		return open_cgroup(s, err);
	if (s->o->n_pids == 0) {
		rc = events_add_machine(s->events);
		return rc < 0 ? attach_sample_explain(s, 0, -rc, err) : 0;
	}
	for (size_t i = 0; i < s->o->n_pids; i++) {
		rc = events_add_process(s->events, s->o->pid[i]);
		if (rc < 0)
			return attach_sample_explain(s, s->o->pid[i], -rc, err);
	}
	return 0;
}

static int try_open(struct session *s, bool no_kernel, struct err *err)
{
	struct events_options o = { .n_types = s->n_types,
				    .hz = s->hz,
				    .no_kernel = no_kernel,
				    .has_children = s->o->follow,
				    .closes_ended = s->library != NULL,
				    .n_stack = STACK_BYTES };
	int rc;

	memcpy(o.type, s->type, sizeof(o.type));
	if (s->kind == SAMPLE_OFF_CPU) {
		static const char name[] = "context-switches";

		o.type[0] = events_find(name, sizeof(name) - 1);
		o.all_switches = true;
		o.n_stack = WAIT_STACK_BYTES;
	}
	rc = events_new(&o, &s->events, err);
	if (rc == 0)
		rc = add_all(s, err);
	if (rc < 0) {
		events_free(s->events);
		s->events = NULL;
	}
	s->has_kernel = rc == 0 && !no_kernel;
	return rc;
}

int attach_sample_open_events(struct session *s, struct err *err)
{
	int rc = try_open(s, false, err);

	/* switches happen in the kernel; other events may be permitted without it */
	return rc < 0 && s->kind != SAMPLE_OFF_CPU ? try_open(s, true, err) : rc;
}

static uint32_t add_sample(const struct session *s, struct sampled *t, const struct event_record *r, uint64_t weight)
{
	const struct stack_sample user = { .reg = r->reg, .stack = r->stack, .n_stack = r->n_stack };
	const struct external_sample sample = { .kernel = r->kernel,
						.n_kernel = r->n_kernel,
						.user = r->reg ? &user : NULL,
						.event = r->type,
						.weight = weight };

	attach_sample_refresh(s, t);
	return external_add_sample(t->p, &sample);
}

/* Records of all kinds of profiles that are not samples. */
static void add_other(struct session *s, const struct event_record *r)
{
	struct sampled *t;

	switch (r->kind) {
	case RECORD_LOST:
		s->n_lost += r->n_lost;
		break;
	case RECORD_MAPPING:
		t = attach_sample_known(s, (pid_t)r->pid);
		if (t)
			t->is_stale = true;
		break;
	case RECORD_REST:
		t = attach_sample_target(s, (pid_t)r->pid);
		if (t)
			external_add_unsampled(t->p, r->period);
		break;
	case RECORD_EXEC:
		attach_sample_exec(s, (pid_t)r->pid);
		if (!s->o->n_pids || s->o->follow) /* it may end soon */
			attach_sample_target(s, (pid_t)r->pid);
		break;
	default:
		break;
	}
}

static void on_record(void *arg, unsigned ring, const struct event_record *r)
{
	struct session *s = arg;
	struct sampled *t;

	(void)ring;
	if (r->kind != RECORD_SAMPLE) {
		add_other(s, r);
		return;
	}
	t = attach_sample_target(s, (pid_t)r->pid);
	if (t)
		add_sample(s, t, r, r->period);
}

static struct held *held_of(struct waits *w, unsigned ring)
{
	while (w->n_held <= ring) {
		w->held = mem_grow(w->held, &w->cap_held, w->n_held + 1, sizeof(struct held *));
		w->held[w->n_held++] = NULL;
	}
	if (!w->held[ring])
		w->held[ring] = mem_zalloc(1, sizeof(struct held));
	return w->held[ring];
}

static void hold(struct held *h, const struct event_record *r)
{
	h->tid = r->tid;
	h->has_regs = r->reg != NULL;
	if (r->reg)
		memcpy(h->reg, r->reg, read_stack_n_event_regs() * sizeof(*h->reg));
	h->n_kernel = r->n_kernel < KERNEL_FRAMES_MAX ? r->n_kernel : KERNEL_FRAMES_MAX;
	if (h->n_kernel)
		memcpy(h->kernel, r->kernel, h->n_kernel * sizeof(*h->kernel));
	h->n_stack = r->n_stack < sizeof(h->stack) ? r->n_stack : sizeof(h->stack);
	if (h->n_stack)
		memcpy(h->stack, r->stack, h->n_stack);
}

/* The thread of the held sample waits: add its stack. */
static uint32_t add_held(const struct session *s, struct sampled *t, const struct held *h)
{
	const struct event_record r = { .kernel = h->kernel,
					.n_kernel = h->n_kernel,
					.reg = h->has_regs ? h->reg : NULL,
					.stack = h->stack,
					.n_stack = h->n_stack };

	return add_sample(s, t, &r, 0);
}

static void add_change(struct waits *w, const struct change *new)
{
	w->change = mem_grow(w->change, &w->cap, w->n + 1, sizeof(*w->change));
	w->change[w->n++] = *new;
}

static void on_switch(void *arg, unsigned ring, const struct event_record *r)
{
	struct waits *w = arg;
	struct change new = { .time_ns = r->time_ns, .tid = r->tid, .stack = UINT32_MAX };
	struct held *h = held_of(w, ring);
	struct sampled *t;

	if (r->kind == RECORD_SAMPLE) {
		hold(h, r);
	} else if (r->kind == RECORD_SWITCH_IN) {
		add_change(w, &new);
	} else if (r->kind == RECORD_SWITCH_OUT) {
		t = h->tid == r->tid && !r->is_preempted ? attach_sample_target(w->s, (pid_t)r->pid) : NULL;
		if (t) {
			new.waits = true;
			new.p = t->p;
			new.stack = add_held(w->s, t, h);
			add_change(w, &new);
		}
		h->tid = 0;
	} else {
		add_other(w->s, r);
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return y->waits - x->waits;
}

struct tid_key {
	const struct waits *w;
	uint32_t tid;
};

static bool is_below_tid(const void *arg, size_t i)
{
	const struct tid_key *key = arg;

	return key->w->waiting[i].tid < key->tid;
}

/* A thread waits or runs from now on: account for the wait that ends. */
static void apply(struct waits *w, const struct change *c)
{
	size_t at = lower_bound(0, w->n_waiting, is_below_tid, &(struct tid_key){ w, c->tid });
	bool found = at < w->n_waiting && w->waiting[at].tid == c->tid;

	if (found) {
		struct change *was = &w->waiting[at];

		if (was->waits && c->time_ns > was->time_ns)
			external_add_weight(was->p, was->stack, c->time_ns - was->time_ns);
		*was = *c;
		return;
	}
	w->waiting = mem_grow(w->waiting, &w->cap_waiting, w->n_waiting + 1, sizeof(*w->waiting));
	memmove(w->waiting + at + 1, w->waiting + at, (w->n_waiting - at) * sizeof(*w->waiting));
	w->waiting[at] = *c;
	w->n_waiting++;
}

/* Process the changes before a time, in order. */
static void apply_before(struct waits *w, uint64_t end_ns)
{
	size_t n = 0;

	if (w->n)
		qsort(w->change, w->n, sizeof(*w->change), compare_changes);
	while (n < w->n && w->change[n].time_ns < end_ns)
		apply(w, &w->change[n++]);
	w->n -= n;
	if (n)
		memmove(w->change, w->change + n, w->n * sizeof(*w->change));
}

struct first_wait {
	struct waits *w;
	struct sampled *t;
	int folder;
};

static bool add_waiting(void *arg, uint32_t tid)
{
	const struct first_wait *f = arg;
	struct change c = { .time_ns = clock_now(), .tid = tid, .waits = true, .p = f->t->p };

	external_add_thread(f->t->p, f->folder, tid, 0, true, &c.stack);
	if (c.stack != UINT32_MAX)
		add_change(f->w, &c);
	return true;
}

/* Read the threads that wait now. Those that run are sampled when they wait. */
static void add_first_waits(struct waits *w)
{
	for (size_t i = 0; i < w->s->n; i++) {
		struct first_wait f = { .w = w, .t = w->s->target[i] };
		char name[32];

		snprintf(name, sizeof(name), "/proc/%d/task", (int)f.t->pid);
		f.folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (f.folder < 0)
			continue;
		task_each(f.folder, add_waiting, &f);
		close(f.folder);
	}
}

/* Wait for records, or until it is time to read new processes, which may end soon. */
static void wait_records(struct session *s)
{
	bool is_many = s->o->n_pids == 0 || s->o->follow;

	events_wait(s->events, is_many ? POLL_MANY_MS : POLL_MS);
}

static void start(struct session *s)
{
	events_start(s->events);
	if (s->o->begun)
		s->o->begun(s->o->begun_arg);
}

static void run_waits(struct session *s)
{
	struct waits w = { .s = s };
	uint64_t end;

	start(s);
	add_first_waits(&w);
	do {
		wait_records(s);
		end = clock_now();
		events_read(s->events, on_switch, &w);
		attach_sample_refresh_all(s);
		apply_before(&w, end - ARRIVAL_NS);
	} while (attach_sample_continues(s));
	events_stop(s->events);
	end = clock_now();
	events_read(s->events, on_switch, &w);
	apply_before(&w, end);
	for (size_t i = 0; i < w.n_waiting; i++) /* still waiting */
		if (w.waiting[i].waits && end > w.waiting[i].time_ns)
			external_add_weight(w.waiting[i].p, w.waiting[i].stack, end - w.waiting[i].time_ns);
	for (size_t i = 0; i < w.n_held; i++)
		free(w.held[i]);
	free(w.held);
	free(w.change);
	free(w.waiting);
}

void attach_sample_read_events(struct session *s)
{
	events_read(s->events, on_record, s);
	attach_sample_refresh_all(s);
}

void attach_sample_end_events(struct session *s)
{
	events_stop(s->events);
	attach_sample_read_events(s);
	events_read_rest(s->events, on_record, s);
}

void attach_sample_run_events(struct session *s)
{
	if (s->kind == SAMPLE_OFF_CPU) {
		run_waits(s);
		return;
	}
	start(s);
	do {
		wait_records(s);
		attach_sample_read_events(s);
	} while (attach_sample_continues(s));
	attach_sample_end_events(s);
}
