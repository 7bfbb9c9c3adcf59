/*
 * sample_events.c - sample processes with perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Waits: the kernel samples a thread when it stops to run, and reports when it runs again. A thread that could
 * continue (it was preempted) does not wait: it has no CPU. Wall-clock time is the sum of waits, time without a CPU,
 * and time on a CPU, which goes to the next sample of the thread. Reports of several CPUs are merged in order of time,
 * after a delay in which all of them arrive. Threads that wait when sampling begins are read through /proc.
 */
#include "config.h"

#include "attach/files.h"
#include "attach/processes.h"
#include "attach/sample_int.h"
#include "base/mem.h"
#include "base/search.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/process.h"
#include "libcpaprof/collector/read/task.h"
#include "libcpaprof/collector/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	STACK_BYTES = 32 << 10,     /* copied per sample */
	WAIT_STACK_BYTES = 8 << 10, /* context switches can be frequent */
	POLL_MS = 100,
	POLL_OFTEN_MS = 10,
	KERNEL_FRAMES_MAX = 127, /* kernel.perf_event_max_stack by default */
	EVENT_REGS_MAX = 32,
	PENDING_MAX = 1024,
	CHILD_SCANS = 4,
};

#define ARRIVAL_NS UINT64_C(20000000) /* records are available after this time at the latest */

/* A sample of a thread that stops to run, until the kernel reports why. */
struct held {
	uint32_t tid;
	uint64_t reg[EVENT_REGS_MAX], kernel[KERNEL_FRAMES_MAX], user[KERNEL_FRAMES_MAX];
	unsigned char stack[WAIT_STACK_BYTES];
	size_t n_stack;
	uint32_t n_kernel, n_user;
	bool has_regs;
};

enum sample_events_thread_state {
	THREAD_RUNS,
	THREAD_SAMPLED, /* it runs, and this is its stack */
	THREAD_WAITS,
	THREAD_READY, /* it has no CPU */
	THREAD_ENDED,
	THREAD_LABELLED /* not a state: these were its labels while it waited */
};

/* The state of a thread from this time on. */
struct sample_events_change {
	uint64_t time_ns,
		run_ns;      /* run_ns: time on a CPU since its last sample; THREAD_LABELLED: since when it waited */
	uint32_t tid, stack; /* stack: of a thread that waits, or was sampled; THREAD_LABELLED: set of labels */
	bool is_labelled;    /* were its labels read during this wait? */
	enum sample_events_thread_state state;
	struct process *p; /* NULL: not known, for threads that run */
};

struct waits {
	struct session *s;
	struct held **held; /* [n_held] by ring; NULL: none yet */
	size_t n_held, cap_held;
	struct sample_events_change *change; /* [n] not yet processed */
	size_t n, cap;
	struct sample_events_change *waiting; /* [n_waiting] the last change of each thread, sorted by tid */
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

/*
 * Add processes that were started while events were opened, before those of their parent were. Others inherited them,
 * and are sampled once all the same.
 */
static void add_new_children(struct session *s)
{
	size_t n, n_new = 1;

	for (int i = 0; i < CHILD_SCANS && n_new > 0; i++) {
		pid_t *pid = attach_processes_below(s->o->pid, s->o->n_pids, &n);

		n_new = 0;
		for (size_t k = 0; k < n; k++)
			n_new += !attach_sample_known(s, pid[k]) && events_add_process(s->events, pid[k]) == 0 &&
				 attach_sample_target(s, pid[k]);
		free(pid);
	}
}

static int sample_events_add_all(struct session *s, struct err *err)
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
	for (size_t i = 0; i < s->n_children; i++) {
		rc = events_add_process(s->events, s->child[i]);
		if (rc < 0 && rc != -ESRCH)
			return attach_sample_explain(s, s->child[i], -rc, err);
	}
	if (s->o->follow && !s->o->begun)
		add_new_children(s);
	return 0;
}

static int sample_events_try_open(struct session *s, bool no_kernel, struct err *err)
{
	struct events_options o = { .n_types = s->n_types,
				    .hz = s->hz,
				    .no_kernel = no_kernel,
				    .has_children = s->o->follow,
				    .closes_ended = s->library != NULL,
				    .all_mappings = s->images,
				    .n_stack = STACK_BYTES };
	int rc;

	memcpy(o.type, s->type, sizeof(o.type));
	if (s->kind != SAMPLE_CPU) {
		o.type[1] = s->type[0];
		o.n_types = s->kind == SAMPLE_WALL ? 2 : 1;
		o.type[0] = events_named("context-switches");
		o.all_switches = true;
		o.n_switch_stack = WAIT_STACK_BYTES;
	}
	rc = events_new(&o, &s->events, err);
	if (rc == 0)
		rc = sample_events_add_all(s, err);
	if (rc < 0) {
		events_free(s->events);
		s->events = NULL;
	}
	s->has_kernel = rc == 0 && !no_kernel;
	return rc;
}

int attach_sample_open_events(struct session *s, struct err *err)
{
	int rc = sample_events_try_open(s, false, err);

	/* switches happen in the kernel; other events may be permitted without it */
	return rc < 0 && s->kind == SAMPLE_CPU ? sample_events_try_open(s, true, err) : rc;
}

static uint32_t sample_events_add_sample(const struct session *s, struct sampled *t, const struct event_record *r,
					 uint64_t weight)
{
	const struct stack_sample user = {
		.reg = r->reg, .stack = r->stack, .n_stack = r->n_stack, .chain = r->user, .n_chain = r->n_user
	};
	const struct external_sample sample = { .kernel = r->kernel,
						.n_kernel = r->n_kernel,
						.user = r->reg ? &user : NULL,
						.event = r->type,
						.weight = weight };

	attach_sample_refresh(s, t);
	return external_add_sample(t->p, &sample);
}

/* Records of all kinds of profiles that are not samples. */
static void sample_events_add_other(struct session *s, const struct event_record *r)
{
	struct sampled *t;

	switch (r->kind) {
	case RECORD_LOST:
		s->n_lost += r->n_lost;
		break;
	case RECORD_MAPPING:
		t = attach_sample_known(s, (pid_t)r->pid);
		if (t && r->prot & PROT_EXEC)
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

/* Has a process ended that has no target? */
static bool has_ended_unknown(const struct session *s, pid_t pid)
{
	char name[32];

	if (pid == 0 || attach_sample_known(s, pid))
		return false;
	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid); /* a zombie has none */
	return access(name, F_OK) != 0;
}

/* The target of a process that has ended, with the mappings of an image. NULL: it has none. */
static struct sampled *open_image(struct session *s, pid_t pid, struct image *image)
{
	uint64_t *number = image_number(image); /* index of its target + 1 */
	struct buf text = { 0 };
	struct sampled *t;
	struct process *p;
	int rc;

	if (*number)
		return s->old[*number - 1];
	image_write(image, &text);
	rc = text.len ? external_open_mapped(pid, text.data, text.len, &s->external, &p) : -ESRCH;
	buf_release(&text);
	if (rc < 0)
		return NULL;
	t = attach_sample_new(pid, p);
	snprintf(t->name, sizeof(t->name), "%s", image_name(image));
	s->old = mem_grow(s->old, &s->cap_old, s->n_old + 1, sizeof(struct sampled *));
	s->old[s->n_old++] = t;
	*number = s->n_old;
	return t;
}

/* Keep a sample until all records of mappings are read. Returns false if too many are kept. */
static bool pend(struct session *s, const struct event_record *r)
{
	struct pending *p;

	if (s->n_pending == PENDING_MAX)
		return false;
	s->pending = mem_grow(s->pending, &s->cap_pending, s->n_pending + 1, sizeof(*s->pending));
	p = &s->pending[s->n_pending++];
	*p = (struct pending){ .r = *r };
	p->bytes = mem_zalloc(1, r->n_stack + (r->n_kernel + r->n_user + EVENT_REGS_MAX) * sizeof(uint64_t) + 1);
	p->r.kernel = memcpy(p->bytes, r->kernel ? r->kernel : p->bytes, r->n_kernel * sizeof(uint64_t));
	p->r.user = memcpy(p->bytes + r->n_kernel, r->user ? r->user : p->bytes, r->n_user * sizeof(uint64_t));
	if (r->reg)
		p->r.reg = memcpy(p->bytes + r->n_kernel + r->n_user, r->reg,
				  read_stack_n_event_regs() * sizeof(uint64_t));
	p->r.stack = (unsigned char *)(p->bytes + r->n_kernel + r->n_user + EVENT_REGS_MAX);
	if (r->n_stack)
		memcpy((void *)(uintptr_t)p->r.stack, r->stack, r->n_stack);
	return true;
}

/* Add the samples of processes that have ended, with the mappings from the records. */
static void add_pending(struct session *s)
{
	if (!s->images)
		return;
	images_apply(s->images);
	for (size_t i = 0; i < s->n_pending; i++) {
		const struct event_record *r = &s->pending[i].r;
		struct image *m = images_find(s->images, r->pid, r->time_ns);
		struct sampled *t = m ? open_image(s, (pid_t)r->pid, m) : NULL;

		if (!t)
			t = attach_sample_target(s, (pid_t)r->pid);
		if (t)
			sample_events_add_sample(s, t, r, r->period);
		free(s->pending[i].bytes);
	}
	s->n_pending = 0;
	images_forget_ended(s->images);
}

static void on_record(void *arg, unsigned ring, const struct event_record *r)
{
	struct session *s = arg;
	struct sampled *t;

	(void)ring;
	if (r->kind != RECORD_SAMPLE) {
		if (s->images)
			images_add(s->images, r);
		sample_events_add_other(s, r);
		return;
	}
	s->has_deep |= r->n_stack >= STACK_BYTES;
	if (s->images && has_ended_unknown(s, (pid_t)r->pid) && pend(s, r))
		return;
	t = attach_sample_target(s, (pid_t)r->pid);
	if (t)
		sample_events_add_sample(s, t, r, r->period);
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
	h->n_user = r->n_user < KERNEL_FRAMES_MAX ? r->n_user : KERNEL_FRAMES_MAX;
	if (h->n_user)
		memcpy(h->user, r->user, h->n_user * sizeof(*h->user));
	h->n_stack = r->n_stack < sizeof(h->stack) ? r->n_stack : sizeof(h->stack);
	if (h->n_stack)
		memcpy(h->stack, r->stack, h->n_stack);
}

/* The thread of the held sample waits: add its stack. */
static uint32_t add_held(const struct session *s, struct sampled *t, const struct held *h)
{
	const struct event_record r = { .kernel = h->kernel,
					.n_kernel = h->n_kernel,
					.user = h->user,
					.n_user = h->n_user,
					.reg = h->has_regs ? h->reg : NULL,
					.stack = h->stack,
					.n_stack = h->n_stack };

	return sample_events_add_sample(s, t, &r, 0);
}

static void sample_events_add_change(struct waits *w, const struct sample_events_change *new)
{
	w->change = mem_grow(w->change, &w->cap, w->n + 1, sizeof(*w->change));
	w->change[w->n++] = *new;
}

/* A thread runs no more. */
static void on_switch_out(struct waits *w, struct held *h, const struct event_record *r,
			  struct sample_events_change *new)
{
	struct sampled *t = h->tid == r->tid ? attach_sample_target(w->s, (pid_t)r->pid) : NULL;

	if (t && (!r->is_preempted || w->s->kind == SAMPLE_WALL)) {
		new->state = r->is_preempted ? THREAD_READY : THREAD_WAITS;
		new->p = t->p;
		new->stack = r->is_preempted ? UINT32_MAX : add_held(w->s, t, h);
		sample_events_add_change(w, new);
	}
	h->tid = 0;
}

/* A sample, the start or the end of a thread, in a profile of wall-clock time. */
static void on_thread(struct waits *w, const struct event_record *r, struct sample_events_change *new)
{
	struct sampled *t = attach_sample_target(w->s, (pid_t)r->pid);
	struct event_record sample = *r;

	if (!t)
		return;
	sample.type = 0; /* all times are one value of the profile */
	new->p = t->p;
	new->state = r->kind == RECORD_START ? THREAD_READY : r->kind == RECORD_EXIT ? THREAD_ENDED : THREAD_SAMPLED;
	if (new->state == THREAD_SAMPLED)
		new->stack = sample_events_add_sample(w->s, t, &sample, 0);
	sample_events_add_change(w, new);
}

static void on_switch(void *arg, unsigned ring, const struct event_record *r)
{
	struct waits *w = arg;
	struct sample_events_change new = { .time_ns = r->time_ns, .tid = r->tid, .stack = UINT32_MAX };
	bool is_wall = w->s->kind == SAMPLE_WALL;

	if (r->kind == RECORD_SAMPLE && r->type == 0)
		hold(held_of(w, ring), r);
	else if (r->kind == RECORD_SWITCH_IN)
		sample_events_add_change(w, &new);
	else if (r->kind == RECORD_SWITCH_OUT)
		on_switch_out(w, held_of(w, ring), r, &new);
	else if (is_wall && (r->kind == RECORD_SAMPLE || r->kind == RECORD_START || r->kind == RECORD_EXIT))
		on_thread(w, r, &new);
	else
		sample_events_add_other(w->s, r);
}

static int compare_changes(const void *a, const void *b)
{
	const struct sample_events_change *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (y->state == THREAD_WAITS) - (x->state == THREAD_WAITS);
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

/* Account for the time of a thread until then. is_ready: it runs from then on, so it did not run before. */
static void sample_events_charge(const struct waits *w, struct sample_events_change *was, uint64_t end_ns,
				 bool is_ready)
{
	uint64_t ns = end_ns > was->time_ns ? end_ns - was->time_ns : 0;

	if (was->state == THREAD_WAITS) {
		external_add_weight(was->p, was->stack, ns);
		w->s->wait_ns += ns;
		w->s->labelled_ns += was->is_labelled ? ns : 0;
	} else if (w->s->kind == SAMPLE_WALL && was->p && (was->state == THREAD_READY || is_ready))
		external_add_ready(was->p, ns);
	else
		was->run_ns += ns;
}

/* Charge time on a CPU without a sample. */
static void charge_rest(const struct waits *w, struct sample_events_change *was)
{
	if (w->s->kind == SAMPLE_WALL && was->p && was->run_ns)
		external_add_unsampled(was->p, was->run_ns);
	was->run_ns = 0;
}

/* The first change of a thread. */
static void insert_thread(struct waits *w, size_t at, const struct sample_events_change *c)
{
	w->waiting = mem_grow(w->waiting, &w->cap_waiting, w->n_waiting + 1, sizeof(*w->waiting));
	memmove(w->waiting + at + 1, w->waiting + at, (w->n_waiting - at) * sizeof(*w->waiting));
	w->waiting[at] = *c;
	w->n_waiting++;
}

/* The state of a thread changes: account for the time in the last one. */
static void sample_events_apply(struct waits *w, const struct sample_events_change *c)
{
	size_t at = lower_bound(0, w->n_waiting, is_below_tid, &(struct tid_key){ w, c->tid });
	struct sample_events_change *was;
	struct process *p;

	if (at == w->n_waiting || w->waiting[at].tid != c->tid) {
		if (c->state < THREAD_ENDED)
			insert_thread(w, at, c);
		return;
	}
	was = &w->waiting[at];
	if (c->state == THREAD_LABELLED) {
		if (was->state == THREAD_WAITS && was->p == c->p && was->time_ns <= c->run_ns) {
			was->stack = external_label_sample(was->p, was->stack, c->stack);
			was->is_labelled = true;
		}
		return;
	}
	sample_events_charge(w, was, c->time_ns, c->state == THREAD_RUNS && was->state <= THREAD_SAMPLED);
	if (c->state == THREAD_SAMPLED) {
		external_add_weight(c->p, c->stack, was->run_ns);
		was->run_ns = 0;
	}
	if (c->state == THREAD_ENDED) {
		charge_rest(w, was);
		memmove(was, was + 1, (--w->n_waiting - at) * sizeof(*was));
		return;
	}
	p = c->p ? c->p : was->p;
	*was = (struct sample_events_change){ c->time_ns, was->run_ns, c->tid, c->stack, c->is_labelled, c->state, p };
}

/* Process the changes before a time, in order. */
static void apply_before(struct waits *w, uint64_t end_ns)
{
	size_t n = 0;

	if (w->n)
		qsort(w->change, w->n, sizeof(*w->change), compare_changes);
	while (n < w->n && w->change[n].time_ns < end_ns)
		sample_events_apply(w, &w->change[n++]);
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
	struct sample_events_change c = { .time_ns = clock_now(), .tid = tid, .state = THREAD_WAITS, .p = f->t->p };

	external_add_thread(f->t->p, f->folder, tid, 0, true, &c.stack);
	c.is_labelled = true;
	if (c.stack == UINT32_MAX)
		c.state = THREAD_RUNS;
	if (c.state == THREAD_WAITS || f->w->s->kind == SAMPLE_WALL)
		sample_events_add_change(f->w, &c);
	return true;
}

/* Read the threads that wait now. Those that run are sampled when they wait. */
static void add_first_waits(struct waits *w)
{
	for (size_t i = 0; i < w->s->n; i++) {
		struct first_wait f = { .w = w, .t = w->s->target[i] };

		f.folder = task_open_folder(f.t->pid);
		if (f.folder < 0)
			continue;
		task_each(f.folder, add_waiting, &f);
		close(f.folder);
	}
}

/*
 * Read the labels of threads that wait. The times before and after show which wait it was, once all records until then
 * have arrived.
 */
static void label_waits(struct waits *w)
{
	size_t n = w->n_waiting;

	for (size_t i = 0; i < n; i++) {
		struct sample_events_change *was = &w->waiting[i];
		const struct external_labels *labels = was->p ? was->p->labels : NULL;
		struct sample_events_change c = { .run_ns = clock_now(), .tid = was->tid, .p = was->p };
		int folder = -1;

		if (was->state != THREAD_WAITS || was->is_labelled || !labels || !attach_labels_exist(labels->arg))
			continue;
		folder = task_open_folder(was->p->pid);
		if (folder >= 0 && threads_reader(was->p))
			c.stack = labels->read(labels->arg, &threads_reader(was->p)->space, folder, was->tid);
		if (folder >= 0)
			close(folder);
		c.time_ns = clock_now();
		c.state = THREAD_LABELLED;
		sample_events_add_change(w, &c);
	}
}

/*
 * Wait for records, or until it is time to read new processes, which may end soon, or the rest of stacks that are larger
 * than their copies, or the labels of waiting threads, which may change soon.
 */
static void wait_records(const struct session *s)
{
	bool is_urgent = s->o->n_pids == 0 || s->o->follow || s->has_deep;

	for (size_t i = 0; s->kind != SAMPLE_CPU && i < s->n && !is_urgent; i++)
		is_urgent = attach_labels_exist(s->target[i]->labels);
	events_wait(s->events, is_urgent ? POLL_OFTEN_MS : POLL_MS);
}

/* Let a program that was started begin. */
static void begin_program(const struct session *s)
{
	if (s->o->begun)
		s->o->begun(s->o->begun_arg);
}

static void run_waits(struct session *s)
{
	struct waits w = { .s = s };
	uint64_t end;

	events_start(s->events);
	add_first_waits(&w);
	begin_program(s);
	do {
		wait_records(s);
		end = clock_now();
		events_read(s->events, on_switch, &w);
		attach_sample_refresh_all(s);
		apply_before(&w, end - ARRIVAL_NS);
		label_waits(&w);
	} while (attach_sample_continues(s));
	events_stop(s->events);
	end = clock_now();
	events_read(s->events, on_switch, &w);
	apply_before(&w, end);
	for (size_t i = 0; i < w.n_waiting; i++) {
		sample_events_charge(&w, &w.waiting[i], end, false);
		charge_rest(&w, &w.waiting[i]);
	}
	for (size_t i = 0; i < w.n_held; i++)
		free(w.held[i]);
	free(w.held);
	free(w.change);
	free(w.waiting);
}

void attach_sample_read_events(struct session *s)
{
	events_read(s->events, on_record, s);
	add_pending(s);
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
	if (s->kind != SAMPLE_CPU) {
		run_waits(s);
		return;
	}
	events_start(s->events);
	begin_program(s);
	do {
		wait_records(s);
		attach_sample_read_events(s);
	} while (attach_sample_continues(s));
	attach_sample_end_events(s);
}
