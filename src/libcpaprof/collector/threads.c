/*
 * threads.c - the threads of a process, and where each of them is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel does not tell since when a thread waits, but how often it ran. One that did not run since
 * an earlier dump has waited since then at least.
 *
 * A signal to a thread that is about to wait would interrupt its call, and so it would be for one that was
 * woken and has no CPU yet. So one is only sent to a thread that used CPU time for a while without ever
 * giving up its CPU, and none to one that its timer samples anyway.
 */
#include "config.h"

#include "libcpaprof/collector/threads.h"

#include "libcpaprof/collector/clock.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/stack_table.h"
#include "libcpaprof/collector/memory.h"
#include "libcpaprof/collector/order.h"
#include "libcpaprof/collector/sample_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Begins as zeros. */
struct waited {
	struct vec before, now; /* struct waited_thread; before is in order of tid */
};

enum { THREADS_MAX = 1 << 20 };

struct waited_thread {
	uint32_t tid;
	uint64_t runs, since_ns;
};

/* A thread was seen that ran so often. Gives for how long it waits, 0 when that is not known. */
static uint64_t waited_see(struct waited *w, uint32_t tid, uint64_t runs, uint64_t now_ns)
{
	struct waited_thread *to = vec_room(&w->now, 1, sizeof(*to), THREADS_MAX);
	const struct waited_thread *was = vec_find_tid(&w->before, sizeof(*was), tid);
	uint64_t since = was && runs && was->runs == runs ? was->since_ns : now_ns;

	if (to) {
		*to = (struct waited_thread){ .tid = tid, .runs = runs, .since_ns = since };
		w->now.n++;
	}
	return now_ns - since;
}

static int compare(const void *arg, uint32_t a, uint32_t b)
{
	const struct waited_thread *t = arg;

	return t[a].tid < t[b].tid ? -1 : t[a].tid > t[b].tid;
}

/* All threads were seen. */
static void waited_end(struct waited *w)
{
	size_t n = w->now.n;
	const struct waited_thread *from = w->now.data;
	uint32_t *order = order_make(n, compare, from);
	struct waited_thread *to;

	w->before.n = 0;
	to = order ? vec_room(&w->before, n, sizeof(*to), THREADS_MAX) : NULL;
	for (size_t i = 0; to && i < n; i++)
		to[i] = from[order[i]];
	w->before.n = to ? n : 0;
	w->now.n = 0;
	order_free(order, n);
}

static void waited_release(struct waited *w)
{
	vec_release(&w->before, sizeof(struct waited_thread));
	vec_release(&w->now, sizeof(struct waited_thread));
}

#define MS 1000000ULL

enum { CPUS_MAX = 1024 };
enum { STEADY_MS = 4, PAUSE_MOST_MS = 8, SILENT_MS = 40 };

struct threads {
	struct stack_reader peek;
	struct waited waited;
};

/* A thread that was found running. */
struct pending {
	struct task task;
	bool done, sent;
	struct task_signal signal;
	uint64_t since_cpu_ns; /* its CPU time when it last gave up its CPU, or was first seen */
};

/* The scheduler's clock of a CPU, and CLOCK_MONOTONIC at that moment. cpu_ns 0: not known, now_ns 0: not looked at. */
struct cpu_clock {
	uint64_t cpu_ns, now_ns;
};

struct dump {
	struct process *p;
	struct threads *t;
	struct snap *snap;
	struct vec pending; /* struct pending */
	size_t n_left;      /* of them */
	struct sample_stack at;
	struct cpu_clock *clock; /* [CPUS_MAX]; NULL: none are looked at */
	int error;               /* why a thread could not be looked at */
	uint32_t own;            /* the thread that makes the dump, if it is one of them */
	bool may_ask;            /* it has our library, so that a signal of ours does it no harm */
};

/*
 * The clock that says when a thread last ran is one per CPU, and leaves out interrupts and what other machines took:
 * clocks of two CPUs may be minutes apart. It is read where it counts, by being there for a moment.
 */
static struct cpu_clock clock_of(int cpu)
{
	struct cpu_clock c = { .now_ns = clock_now() };
	int own = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cpu_set_t before, there;

	CPU_ZERO(&there);
	CPU_SET(cpu, &there);
	if (own >= 0 && sched_getaffinity(0, sizeof(before), &before) == 0 &&
	    sched_setaffinity(0, sizeof(there), &there) == 0) {
		sched_yield(); /* its clock is that of when it was given the CPU */
		c.now_ns = clock_now();
		c.cpu_ns = task_ran_ns(own, (uint32_t)syscall(SYS_gettid));
		sched_setaffinity(0, sizeof(before), &before);
	}
	if (own >= 0)
		close(own);
	return c;
}

/* For how long a thread did not run, by the kernel; 0: not known. */
static uint64_t idle_ns(struct dump *d, const struct task *t)
{
	struct cpu_clock *c;
	uint64_t now, ran;

	if (!d->clock || t->cpu < 0 || t->cpu >= CPUS_MAX)
		return 0;
	ran = task_ran_ns(d->at.folder, t->tid);
	c = &d->clock[t->cpu];
	if (!c->now_ns)
		*c = clock_of(t->cpu);
	now = c->cpu_ns + clock_now() - c->now_ns;
	return ran && c->cpu_ns && now > ran ? now - ran : 0;
}

/* A row without a stack yet. NULL when there is no room. */
static struct snap_row *put(struct dump *d, const struct task *t, enum task_is is)
{
	struct snap_thread *thread = vec_room(&d->snap->thread, 1, sizeof(*thread), THREADS_MAX);
	struct snap_row *row = vec_room(&d->snap->row, 1, sizeof(*row), THREADS_MAX);
	uint64_t waited = waited_see(&d->t->waited, t->tid, t->runs, clock_now());
	const struct count_stack *creator = d->p->c ? counts_created(d->p, t->tid) : NULL;

	if (!thread || !row)
		return NULL;
	*thread = (struct snap_thread){ .tid = t->tid, .cpu_ns = t->cpu_ns, .age_ns = t->age_ns };
	if (is == TASK_WAITING) {
		uint64_t idle = idle_ns(d, t);

		thread->wait_ns = idle > waited ? idle : waited;
		thread->holder = sample_stack_holder(&d->at, t);
	}
	if (creator) {
		thread->creator_at = creator->at;
		thread->creator_n = creator->n;
	}
	memcpy(thread->name, t->name, sizeof(thread->name));
	task_wait(t, is, thread->wait, sizeof(thread->wait));
	*row = (struct snap_row){ .thread = (uint32_t)++d->snap->thread.n, .value = { 1 } };
	d->snap->row.n++;
	return row;
}

static void put_stack(struct dump *d, const struct task *t, enum task_is is, uint32_t label, const uint64_t *pc,
		      uint32_t n)
{
	struct snap_row *row = put(d, t, is);

	if (!row)
		return;
	row->label = label;
	row->n = n;
	if (!table_intern(&d->p->table, pc, n, label, &row->at))
		row->n = table_intern_place(&d->p->table, PLACE_FULL, &row->at);
}

static void put_place(struct dump *d, const struct task *t, enum table_place place)
{
	struct snap_row *row = put(d, t, TASK_RUNNING);

	if (row) {
		row->label = sample_stack_label(&d->at, t->tid);
		row->n = table_intern_place(&d->p->table, place, &row->at);
	}
}

/* Look at a thread. True when there is no more to do for it. */
static bool look(struct dump *d, struct task *t)
{
	uint64_t pc[FRAMES_MAX];
	uint32_t n = 0;
	enum task_is is = sample_stack_take(&d->at, t, pc, &n);

	if (is == TASK_WAITING)
		put_stack(d, t, is, sample_stack_label(&d->at, t->tid), pc, n);
	if (is == TASK_DENIED)
		d->error = t->error;
	return is != TASK_RUNNING;
}

/* Our signal, which says by its cookie that a stack is asked for. */
static void ask(struct dump *d, struct pending *x)
{
	const struct collect *c = d->p->c;
	int sig = collect_signal(d->p);
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };

	info.si_value.sival_ptr = (void *)(uintptr_t)(c->nonce[0] ^ c->nonce[1] ^ COOKIE_STACK);
	x->sent = true;
	syscall(SYS_rt_tgsigqueueinfo, d->p->pid, x->task.tid, sig, &info);
}

static void take_thread(struct dump *d, uint32_t tid)
{
	struct pending *x;
	struct task t;

	errno = 0;
	if (!task_read(d->at.folder, tid, &t)) {
		d->error = errno == ENOENT || errno == ESRCH ? d->error : errno; /* not: it has ended */
		return;
	}
	if (t.state == 'Z' || t.state == 'X' || (tid != d->own && look(d, &t)))
		return;
	x = vec_room(&d->pending, 1, sizeof(*x), THREADS_MAX);
	if (!x)
		return;
	*x = (struct pending){ .task = t, .since_cpu_ns = t.cpu_ns };
	if (!task_signal(d->at.folder, tid, collect_signal(d->p), &x->signal))
		return;
	/* this thread; one of ours holds all signals back, and is not of the program */
	if (tid == d->own && (!d->may_ask || x->signal.blocked || !x->signal.caught))
		return;
	d->pending.n++;
	d->n_left++;
	if (tid == d->own)
		ask(d, x);
}

static bool take_each(void *dump, uint32_t tid)
{
	take_thread(dump, tid);
	return true;
}

void threads_answer(struct dump *d, uint32_t tid, uint32_t label, const uint64_t *pc, uint32_t n)
{
	struct pending *x = d->pending.data;

	for (size_t i = 0; d->n_left && i < d->pending.n; i++)
		if (x[i].task.tid == tid && !x[i].done) {
			x[i].done = true;
			d->n_left--;
			put_stack(d, &x[i].task, TASK_RUNNING, label, pc, n);
		}
}

/* A thread still runs, it seems. */
static void look_again(struct dump *d, struct pending *x)
{
	uint64_t switches = x->signal.switches;
	struct task now;

	if (look(d, &x->task)) {
		x->done = true;
		d->n_left--;
		return;
	}
	if (!d->may_ask || x->sent || !task_signal(d->at.folder, x->task.tid, collect_signal(d->p), &x->signal) ||
	    !task_read(d->at.folder, x->task.tid, &now))
		return;
	if (switches != x->signal.switches)
		x->since_cpu_ns = now.cpu_ns;
	else if (x->signal.caught && !x->signal.blocked && now.cpu_ns - x->since_cpu_ns >= STEADY_MS * MS)
		ask(d, x);
}

/* Wait until those that run have told where they are, or wait themselves, but not for long. */
static void wait_for(struct dump *d)
{
	uint64_t start = clock_now(), most = SILENT_MS;
	struct timespec pause = { .tv_nsec = MS };

	while (d->n_left && clock_now() - start < most * MS) {
		struct pending *x = d->pending.data;

		most = SILENT_MS;

		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MOST_MS * (long)MS)
			pause.tv_nsec *= 2;
		if (d->may_ask)
			collect_rings(d->p->c);
		for (size_t i = 0; i < d->pending.n; i++)
			if (!x[i].done) {
				look_again(d, &x[i]);
				if (d->may_ask && !x[i].signal.blocked) /* there is hope */
					most = THREADS_WAIT_MS;
			}
	}
	for (size_t i = 0; i < d->pending.n; i++) {
		const struct pending *x = (const struct pending *)d->pending.data + i;

		if (!x->done)
			put_place(d, &x->task, d->may_ask && x->signal.blocked ? PLACE_NO_ANSWER : PLACE_RUNNING);
	}
}

static int compare_threads(const void *arg, uint32_t a, uint32_t b)
{
	const struct snap_thread *thread = arg;

	return thread[a].tid < thread[b].tid ? -1 : thread[a].tid > thread[b].tid;
}

/* Those that ran came last. Row i is of thread i until now. */
static int sort_threads(struct snap *s)
{
	size_t n = s->thread.n;
	struct vec sorted = { 0 };
	struct snap_thread *thread = s->thread.data, *to = vec_room(&sorted, n, sizeof(*to), THREADS_MAX);
	uint32_t *order = to ? order_make(n, compare_threads, thread) : NULL;

	for (size_t i = 0; order && i < n; i++) {
		to[i] = thread[order[i]];
		((struct snap_row *)s->row.data)[order[i]].thread = (uint32_t)i + 1;
	}
	order_free(order, n);
	if (!order) {
		vec_release(&sorted, sizeof(*to));
		return -ENOMEM;
	}
	sorted.n = n;
	vec_release(&s->thread, sizeof(*to));
	s->thread = sorted;
	return 0;
}

/* Has a thread waited since it was looked at, for a mutex of the same thread still? */
static bool holds_still(const struct dump *d, const struct snap_thread *seen)
{
	struct task t;

	return task_where(d->at.folder, seen->tid, &t) == TASK_WAITING &&
	       sample_stack_holder(&d->at, &t) == seen->holder && task_read(d->at.folder, seen->tid, &t) &&
	       t.cpu_ns == seen->cpu_ns;
}

/*
 * Threads are looked at one after the other: a lock that goes from one to the next meanwhile looks as if they waited
 * for each other. In a chain of holders a link counts when it is there after all were looked at, and its thread did
 * not run in between: so all links of a circle were there at one moment, and it is a deadlock.
 */
static void prove_chains(const struct dump *d)
{
	struct snap_thread *t = d->snap->thread.data;
	struct vec gone = { 0 };

	for (uint32_t i = 0; i < d->snap->thread.n; i++) {
		const struct snap_thread *holder =
			t[i].holder ? vec_find_tid(&d->snap->thread, sizeof(struct snap_thread), t[i].holder) : NULL;

		if (holder && holder->holder && !holds_still(d, &t[i])) {
			uint32_t *at = vec_room(&gone, 1, sizeof(*at), THREADS_MAX);

			if (!at)
				break;
			*at = i;
			gone.n++;
		}
	}
	for (size_t i = 0; i < gone.n; i++)
		t[((const uint32_t *)gone.data)[i]].holder = 0;
	vec_release(&gone, sizeof(uint32_t));
}

static int make(struct dump *d)
{
	struct process *p = d->p;
	int rc;

	if (d->may_ask)
		collect_rings(p->c); /* samples from before are not answers */
	p->dump = d;
	task_each(d->at.folder, take_each, d);
	if (d->n_left)
		wait_for(d);
	p->dump = NULL;
	if (d->snap->row.n == 0)
		return d->error == ENOENT ? -ENOSYS : d->error ? -d->error : -ESRCH;
	waited_end(&d->t->waited);
	collect_find_places(p, true);
	rc = sort_threads(d->snap);
	if (rc == 0)
		prove_chains(d);
	return rc;
}

static int open_folder(struct dump *d)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/task", (int)d->p->pid);
	d->at.folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return d->at.folder >= 0 ? 0 : errno == ENOENT ? -ESRCH : -errno;
}

static struct threads *kept(struct process *p)
{
	if (!p->threads) {
		p->threads = memory_map(sizeof(*p->threads));
		if (p->threads)
			p->threads->peek.space.mem = -1;
	}
	return p->threads;
}

struct stack_reader *threads_peek(struct process *p)
{
	struct threads *t = kept(p);

	return t ? &t->peek : NULL;
}

int threads_take(struct snap *s)
{
	struct process *p = s->p;
	const struct collect *c = p->c;
	struct dump d = { .p = p, .snap = s, .t = kept(p) };
	int rc = !d.t ? -ENOMEM : p->ended || !p->proven ? -ESRCH : space_look(&d.t->peek.space, p->pid);

	if (rc == 0)
		rc = open_folder(&d);
	if (rc < 0)
		return rc;
	if (p->c)
		counts_drain(p, collect_slot_of(p), true);
	d.own = p->pid == getpid() ? (uint32_t)syscall(SYS_gettid) : 0;
	d.may_ask = c && space_has(&d.t->peek.space, c->dev, c->ino);
	d.at.p = p;
	d.at.peek = &d.t->peek;
	if (p->pid !=
	    getpid()) /* our own thread may be one of the program, which is nowhere but where it wants to be */
		d.clock = memory_map(CPUS_MAX * sizeof(*d.clock));
	rc = make(&d);
	close(d.at.folder);
	if (p->pid == getpid()) /* the program may close all files, and have the number for another */
		space_rest(&d.t->peek.space);
	memory_unmap(d.clock, CPUS_MAX * sizeof(*d.clock));
	vec_release(&d.pending, sizeof(struct pending));
	return rc;
}

int64_t threads_count(const struct process *p)
{
	struct stat folder;
	sigset_t blocked;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/task", (int)p->pid);
	if (p->ended || !p->proven || stat(name, &folder) != 0)
		return -1;
	/* two links are itself and its parent; a thread of ours takes no signal */
	return (int64_t)folder.st_nlink - 2 -
	       (p->pid == getpid() && pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 &&
		sigismember(&blocked, collect_signal(p)));
}

void threads_release(struct threads *t)
{
	if (t) {
		read_stack_release(&t->peek);
		waited_release(&t->waited);
	}
	memory_unmap(t, sizeof(*t));
}
