/*
 * threads.c - a dump of the threads of a process and their stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel does not report how long a thread has waited, but how often it was scheduled. A thread that did not run
 * since an earlier dump has waited at least since then.
 *
 * A signal would interrupt the system call of a thread that is about to wait, or that was woken and has no CPU yet. So
 * a signal is only sent to a thread that has used CPU time for a while without a voluntary context switch, and not to
 * a thread that is sampled by its timer.
 */
#include "config.h"

#include "libcpaprof/collector/threads.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/memory.h"
#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/sample_stack.h"
#include "libcpaprof/collector/stack_table.h"

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

/* The start times of waits of threads. Zero-initialised. */
struct waited {
	struct vec before, now; /* struct waited_thread; before is sorted by tid */
};

enum { THREADS_MAX = 1 << 20 };

struct waited_thread {
	uint32_t tid;
	uint64_t runs, since_ns;
};

/* Record how often a thread ran so far. Returns the ns it has waited, 0 if not known. */
static uint64_t waited_record(struct waited *w, uint32_t tid, uint64_t runs, uint64_t now_ns)
{
	const struct waited_thread *was = vec_find_tid(&w->before, sizeof(*was), tid);
	uint64_t since = was && runs && was->runs == runs ? was->since_ns : now_ns;

	vec_add(&w->now, &(struct waited_thread){ tid, runs, since }, 1, sizeof(*was), THREADS_MAX);
	return now_ns - since;
}

ORDER_BY(waited_compare, struct waited_thread, tid, tid)

/* Call this after all threads were recorded. */
static void waited_finish(struct waited *w)
{
	size_t n = w->now.n;
	const struct waited_thread *from = w->now.data;
	uint32_t *order = order_make(n, waited_compare, from);
	struct waited_thread *to;

	w->before.n = 0;
	to = order ? vec_reserve(&w->before, n, sizeof(*to), THREADS_MAX) : NULL;
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
enum { STEADY_MS = 4, PAUSE_MAX_MS = 8, SILENT_MS = 40 };

struct threads {
	struct stack_reader reader;
	struct waited waited;
};

/* A thread that was running at the first check. */
struct threads_pending {
	struct task task;
	bool is_done, is_signaled;
	struct task_signal signal;
	uint64_t since_cpu_ns; /* CPU time at the last voluntary context switch, or when the thread was first seen */
};

/* The scheduler clock of a CPU, and CLOCK_MONOTONIC at that moment. cpu_ns 0: not known; now_ns 0: not read yet. */
struct cpu_clock {
	uint64_t cpu_ns, now_ns;
};

struct dump {
	struct process *p;
	struct threads *t;
	struct snap *snap;
	struct vec pending; /* struct threads_pending */
	size_t n_pending;   /* number of entries of pending */
	struct sample_stack sampler;
	struct cpu_clock *clock; /* [CPUS_MAX] clocks of the CPUs; NULL: not used */
	int error;               /* errno: why a thread could not be read */
	uint32_t own_tid;        /* tid of the thread that makes the dump, if it is in this process */
	bool can_signal;         /* the process has our library, so our signal is safe */
};

/*
 * Read the scheduler clock of a CPU. There is one clock per CPU, and it excludes interrupts and stolen time, so the
 * clocks of two CPUs may differ by minutes. To read it, this thread moves to the CPU for a moment.
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
		sched_yield(); /* the kernel updates it when a thread is scheduled */
		c.now_ns = clock_now();
		c.cpu_ns = task_last_run_ns(own, (uint32_t)syscall(SYS_gettid));
		sched_setaffinity(0, sizeof(before), &before);
	}
	if (own >= 0)
		close(own);
	return c;
}

/* Time since a thread last ran, by the scheduler clocks; 0: not known. */
static uint64_t idle_ns(struct dump *d, const struct task *t)
{
	struct cpu_clock *c;
	uint64_t now, ran;

	if (!d->clock || t->cpu < 0 || t->cpu >= CPUS_MAX)
		return 0;
	ran = task_last_run_ns(d->sampler.folder, t->tid);
	c = &d->clock[t->cpu];
	if (!c->now_ns)
		*c = clock_of(t->cpu);
	now = c->cpu_ns + clock_now() - c->now_ns;
	return ran && c->cpu_ns && now > ran ? now - ran : 0;
}

/* Add a thread and its row, still without a stack. Returns NULL if there is no room. */
static struct snap_row *collector_threads_add_row(struct dump *d, const struct task *t, enum task_status is)
{
	struct snap_thread *thread = vec_reserve(&d->snap->thread, 1, sizeof(*thread), THREADS_MAX);
	struct snap_row *row = vec_reserve(&d->snap->row, 1, sizeof(*row), THREADS_MAX);
	uint64_t waited = waited_record(&d->t->waited, t->tid, t->runs, clock_now());
	const struct count_stack *creator =
		d->p->c ? counts_find_creator(d->p, namespace_inner_tid(d->p, d->sampler.folder, t->tid)) : NULL;

	if (!thread || !row)
		return NULL;
	*thread = (struct snap_thread){ .tid = t->tid, .cpu_ns = t->cpu_ns, .age_ns = t->age_ns };
	if (is == TASK_WAITING) {
		uint64_t idle = idle_ns(d, t);

		thread->wait_ns = idle > waited ? idle : waited;
		thread->holder = sample_stack_holder(&d->sampler, t);
	}
	if (creator) {
		thread->creator_at = creator->at;
		thread->creator_n = creator->n;
	}
	memcpy(thread->name, t->name, sizeof(thread->name));
	task_describe_wait(t, is, thread->wait, sizeof(thread->wait));
	*row = (struct snap_row){ .thread = (uint32_t)++d->snap->thread.n, .value = { 1 } };
	d->snap->row.n++;
	return row;
}

static void add_stack_row(struct dump *d, const struct task *t, enum task_status is, uint32_t label, const uint64_t *pc,
			  uint32_t n)
{
	struct snap_row *row = collector_threads_add_row(d, t, is);

	if (!row)
		return;
	row->label = label;
	row->n = n;
	if (!table_intern(&d->p->table, pc, n, label, &row->at))
		row->n = table_intern_pseudo(&d->p->table, PSEUDO_FULL, &row->at);
}

static void add_pseudo_row(struct dump *d, const struct task *t, enum pseudo_frame pseudo)
{
	struct snap_row *row = collector_threads_add_row(d, t, TASK_RUNNING);

	if (row) {
		row->label = sample_stack_label(&d->sampler, t->tid);
		row->n = table_intern_pseudo(&d->p->table, pseudo, &row->at);
	}
}

/* Read the stack of a thread, if it waits. Returns false if it is running. */
static bool collector_threads_check_thread(struct dump *d, struct task *t)
{
	uint64_t pc[FRAMES_MAX];
	uint32_t n = 0;
	enum task_status is = sample_stack_read(&d->sampler, t, pc, &n);

	if (is == TASK_WAITING)
		add_stack_row(d, t, is, sample_stack_label(&d->sampler, t->tid), pc, n);
	if (is == TASK_DENIED)
		d->error = t->error;
	return is != TASK_RUNNING;
}

/* Send our signal with the cookie that requests a stack. */
static void request_stack(struct dump *d, struct threads_pending *x)
{
	x->is_signaled = collect_signal_thread(d->p, x->task.tid, COOKIE_STACK);
}

static void read_thread(struct dump *d, uint32_t tid)
{
	struct threads_pending x;
	struct task t;

	errno = 0;
	if (!task_read(d->sampler.folder, tid, &t)) {
		d->error = errno == ENOENT || errno == ESRCH ? d->error : errno; /* not an error: the thread ended */
		return;
	}
	if (t.state == 'Z' || t.state == 'X' || (tid != d->own_tid && collector_threads_check_thread(d, &t)))
		return;
	x = (struct threads_pending){ .task = t, .since_cpu_ns = t.cpu_ns };
	if (!task_signal(d->sampler.folder, tid, collect_signal(d->p), &x.signal))
		return;
	/* the current thread; a thread of our own blocks all signals and is not shown */
	if (tid == d->own_tid && (!d->can_signal || x.signal.blocked || !x.signal.caught))
		return;
	if (tid == d->own_tid)
		request_stack(d, &x);
	d->n_pending += vec_add(&d->pending, &x, 1, sizeof(x), THREADS_MAX) != NULL;
}

static bool read_each(void *dump, uint32_t tid)
{
	read_thread(dump, tid);
	return true;
}

void threads_add_answer(struct dump *d, uint32_t tid, uint32_t label, const uint64_t *pc, uint32_t n)
{
	struct threads_pending *x = d->pending.data;

	for (size_t i = 0; d->n_pending && i < d->pending.n; i++)
		if (x[i].task.tid == tid && !x[i].is_done) {
			x[i].is_done = true;
			d->n_pending--;
			add_stack_row(d, &x[i].task, TASK_RUNNING, label, pc, n);
		}
}

void threads_sample_with(struct process *p, threads_sample_fn *fn, void *arg)
{
	p->sample = fn;
	p->sample_arg = arg;
}

/* Is a thread of the dump still without its stack? */
static bool is_pending(const struct dump *d, uint32_t tid)
{
	const struct threads_pending *x = d->pending.data;

	for (size_t i = 0; d->n_pending && i < d->pending.n; i++)
		if (x[i].task.tid == tid && !x[i].is_done)
			return true;
	return false;
}

void threads_add_sample(struct process *p, uint32_t tid, const struct stack_sample *s)
{
	struct dump *d = p->dump;
	uint64_t pc[FRAMES_MAX];
	uint32_t n_guessed;
	enum unwind_end end;

	if (d && is_pending(d, tid))
		threads_add_answer(d, tid, sample_stack_label(&d->sampler, tid), pc,
				   read_stack_of_sample(&d->t->reader, s, pc, FRAMES_MAX, &n_guessed, &end));
}

/* Check a thread again that was running, and request its stack if it keeps running. */
static void recheck_thread(struct dump *d, struct threads_pending *x)
{
	uint64_t switches = x->signal.switches;
	struct task now;

	if (collector_threads_check_thread(d, &x->task)) {
		x->is_done = true;
		d->n_pending--;
		return;
	}
	if (!d->can_signal || x->is_signaled ||
	    !task_signal(d->sampler.folder, x->task.tid, collect_signal(d->p), &x->signal) ||
	    !task_read(d->sampler.folder, x->task.tid, &now))
		return;
	if (switches != x->signal.switches)
		x->since_cpu_ns = now.cpu_ns;
	else if (x->signal.caught && !x->signal.blocked && now.cpu_ns - x->since_cpu_ns >= STEADY_MS * MS)
		request_stack(d, x);
}

/* Wait a limited time until the running threads have reported their stacks, or wait themselves. */
static void wait_for_running(struct dump *d)
{
	uint64_t start = clock_now(), most = SILENT_MS;
	struct timespec pause = { .tv_nsec = MS };

	while (d->n_pending && clock_now() - start < most * MS) {
		struct threads_pending *x = d->pending.data;

		most = d->p->sample ? THREADS_WAIT_MS : SILENT_MS;

		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MAX_MS * (long)MS)
			pause.tv_nsec *= 2;
		if (d->can_signal)
			collect_read_rings(d->p->c);
		if (d->p->sample)
			d->p->sample(d->p->sample_arg, d->p);
		for (size_t i = 0; i < d->pending.n; i++)
			if (!x[i].is_done) {
				recheck_thread(d, &x[i]);
				if (d->can_signal && !x[i].signal.blocked) /* a sample may still arrive */
					most = THREADS_WAIT_MS;
			}
	}
	for (size_t i = 0; i < d->pending.n; i++) {
		const struct threads_pending *x = (const struct threads_pending *)d->pending.data + i;

		if (!x->is_done)
			add_pseudo_row(d, &x->task,
				       d->can_signal && x->signal.blocked ? PSEUDO_NO_ANSWER : PSEUDO_RUNNING);
	}
}

ORDER_BY(threads_compare, struct snap_thread, tid, tid)

/* Sort the threads by tid: threads that ran were added last. Before the sort, row i belongs to thread i. */
static int sort_threads(struct snap *s)
{
	size_t n = s->thread.n;
	struct vec sorted = { 0 };
	struct snap_thread *thread = s->thread.data, *to = vec_reserve(&sorted, n, sizeof(*to), THREADS_MAX);
	uint32_t *order = to ? order_make(n, threads_compare, thread) : NULL;

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

/* Does a thread still wait for a mutex with the same holder, and has it not run since it was read? */
static bool is_still_held(const struct dump *d, const struct snap_thread *seen)
{
	struct task t;

	return task_locate(d->sampler.folder, seen->tid, &t) == TASK_WAITING &&
	       sample_stack_holder(&d->sampler, &t) == seen->holder && task_read(d->sampler.folder, seen->tid, &t) &&
	       t.cpu_ns == seen->cpu_ns;
}

/*
 * Threads are read one after the other, so a lock that changes hands in between can make threads look as if they
 * waited for each other. A link in a chain of holders is kept only if it still exists after all threads were read and
 * its thread did not run in between. Then all links of a circle existed at the same moment, and it is a deadlock.
 */
static void verify_holders(const struct dump *d)
{
	struct snap_thread *t = d->snap->thread.data;
	struct vec broken = { 0 };

	for (uint32_t i = 0; i < d->snap->thread.n; i++) {
		const struct snap_thread *holder =
			t[i].holder ? vec_find_tid(&d->snap->thread, sizeof(struct snap_thread), t[i].holder) : NULL;

		if (holder && holder->holder && !is_still_held(d, &t[i]) &&
		    !vec_add(&broken, &i, 1, sizeof(i), THREADS_MAX))
			break;
	}
	for (size_t i = 0; i < broken.n; i++)
		t[((const uint32_t *)broken.data)[i]].holder = 0;
	vec_release(&broken, sizeof(uint32_t));
}

static int run_dump(struct dump *d)
{
	struct process *p = d->p;
	int rc;

	if (d->can_signal)
		collect_read_rings(p->c); /* drop samples taken before this dump */
	p->dump = d;
	task_each(d->sampler.folder, read_each, d);
	if (d->n_pending)
		wait_for_running(d);
	p->dump = NULL;
	if (d->snap->row.n == 0)
		return d->error == ENOENT ? -ENOSYS : d->error ? -d->error : -ESRCH;
	waited_finish(&d->t->waited);
	collect_find_mappings(p, true);
	rc = sort_threads(d->snap);
	if (rc == 0)
		verify_holders(d);
	return rc;
}

static int collector_threads_open_folder(struct dump *d)
{
	d->sampler.folder = task_open_folder(d->p->pid);
	return d->sampler.folder >= 0 ? 0 : errno == ENOENT ? -ESRCH : -errno;
}

static struct threads *collector_threads_get_state(struct process *p)
{
	if (!p->threads) {
		p->threads = memory_map(sizeof(*p->threads));
		if (p->threads)
			p->threads->reader.space.mem = -1;
	}
	return p->threads;
}

struct stack_reader *threads_reader(struct process *p)
{
	struct threads *t = collector_threads_get_state(p);

	return t ? &t->reader : NULL;
}

int threads_take(struct snap *s)
{
	struct process *p = s->p;
	const struct collect *c = p->c;
	struct dump d = { .p = p, .snap = s, .t = collector_threads_get_state(p) };
	int rc = !d.t                              ? -ENOMEM
		 : p->has_ended || !p->is_verified ? -ESRCH
						   : space_read_maps(&d.t->reader.space, p->pid);

	if (rc == 0)
		rc = collector_threads_open_folder(&d);
	if (rc < 0)
		return rc;
	if (p->c)
		counts_drain(p, collect_slot_index(p), true);
	d.own_tid = p->pid == getpid() ? (uint32_t)syscall(SYS_gettid) : 0;
	d.can_signal = c && space_has_file(&d.t->reader.space, c->dev, c->ino);
	d.sampler.p = p;
	d.sampler.reader = &d.t->reader;
	if (p->pid != getpid()) /* our own thread may belong to the program, so its CPU affinity must not change */
		d.clock = memory_map(CPUS_MAX * sizeof(*d.clock));
	rc = run_dump(&d);
	close(d.sampler.folder);
	if (p->pid == getpid()) /* the program may close all descriptors, and reuse the number for another file */
		space_close_files(&d.t->reader.space);
	memory_unmap(d.clock, CPUS_MAX * sizeof(*d.clock));
	vec_release(&d.pending, sizeof(struct threads_pending));
	return rc;
}

int64_t threads_count(const struct process *p)
{
	struct stat folder;
	sigset_t blocked;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d/task", (int)p->pid);
	if (p->has_ended || !p->is_verified || stat(name, &folder) != 0)
		return -1;
	/* do not count the two links of the folder itself, nor our own thread, which blocks our signal */
	return (int64_t)folder.st_nlink - 2 -
	       (p->pid == getpid() && pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 &&
		sigismember(&blocked, collect_signal(p)));
}

void threads_release(struct threads *t)
{
	if (t) {
		read_stack_release(&t->reader);
		waited_release(&t->waited);
	}
	memory_unmap(t, sizeof(*t));
}
