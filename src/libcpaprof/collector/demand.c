/*
 * demand.c - sample the CPU time of other processes on demand
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program has no thread of ours. So the collector signals a running thread, whose handler arms all threads of the
 * process (starts their timers), or deletes all timers. If more threads are ready than there are CPUs, the signalled
 * thread may run late, so the number of signalled threads is increased. A waiting thread gets no signal, because the
 * signal would interrupt its system call. A process that uses no CPU time is therefore not signalled at all. Its CPU
 * clock, which is polled often while it is not armed, shows when it runs again.
 *
 * Only if a process used much CPU time and no thread was ever seen running, the thread that used most of it is
 * signalled.
 *
 * CPU time that a thread used before it was armed, or after its last sample, has no sample. The clock of the process
 * shows how much time that is. It is written as [cpa: not sampled], so that the total is the CPU time of the process.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HZ_MAX = 1000, THREADS_MAX = 1 << 16 };
enum { SIGNAL_GROWTH = 4, SIGNAL_MAX = 64 }; /* growth of the number of signalled threads, and its limit */
enum { IDLE_POLLS = 25, IDLE_SKIPS = 4 }; /* a process that did not run for 25 polls is checked in every fifth poll */

#define MS 1000000ULL
#define SIGNAL_AGAIN_NS (20 * MS) /* after this time an unhandled signal is blocked, or the machine is very busy */
#define NEVER_SEEN_NS (20 * MS)   /* CPU time of a process after which the CPU times of its threads are compared */
#define QUIET_NS (4 * MS) /* stop a recording after this time without a change: no further thread will delete timers */
#define PAUSE_NS 200000

/* A search for threads of a process to signal. */
struct demand_search {
	struct process *p;
	int folder;          /* descriptor of /proc/PID/task */
	uint32_t n, want;    /* number of threads signalled; number of threads to signal */
	uint32_t i, first;   /* index of the current thread; index of the first thread to check */
	uint32_t most_tid;   /* tid of the thread that used most CPU time since the last search */
	uint64_t most_ns;    /* CPU time that this thread used since then */
	bool compares_usage; /* is the CPU time of threads compared, too? */
	size_t n_before;     /* length of p->demand.used at the start */
	size_t at;           /* likely position of the next thread in used, since the order is usually the same */
};

static _Atomic uint32_t *armed(const struct process *p)
{
	return &collect_slot(p->c, collect_slot_index(p))->armed;
}

static bool is_recorded(const struct process *p)
{
	return p->is_used && p->is_verified && !p->has_ended && !p->end_reported && !p->is_unprofiled &&
	       p->c->recording && p->demand.recording == p->c->recording;
}

void demand_begin(struct process *p)
{
	struct demand *d = &p->demand;

	demand_release(p);
	*d = (struct demand){ .recording = p->c->recording };
	if (!d->recording)
		return;
	d->cpu_ns = d->last_ns = p->unarmed_checked_ns = collect_cpu_ns(p->pid);
	d->weight = p->table.weight;
	p->unarmed_next = 0;
}

void demand_release(struct process *p)
{
	vec_release(&p->demand.used, sizeof(struct thread_cpu));
	vec_release(&p->demand.unarmed, sizeof(struct thread_cpu));
}

/*
 * Is the signal safe and useful? A thread that executed another program in between does not catch it. A program may
 * have seccomp filters against system calls that arming needs.
 */
static bool can_signal(const struct demand_search *s, uint32_t tid)
{
	struct task_signal is;

	return task_signal(s->folder, tid, collect_signal(s->p), &is) && is.caught && !is.blocked &&
	       is.filters <= s->p->c->filters;
}

/* Update s->most_ns and s->most_tid with the CPU time that a thread used since the last search. */
static void compare_usage(struct demand_search *s, const struct task *t)
{
	struct vec *v = &s->p->demand.used;
	struct thread_cpu *used = v->data;
	size_t i = s->at < s->n_before && used[s->at].tid == t->tid ? s->at : 0;

	while (i < s->n_before && used[i].tid != t->tid)
		i++;
	if (i < s->n_before) {
		s->at = i + 1;
		if (t->cpu_ns - used[i].ns > s->most_ns && t->cpu_ns > used[i].ns) {
			s->most_ns = t->cpu_ns - used[i].ns;
			s->most_tid = t->tid;
		}
		used[i].ns = t->cpu_ns;
		return;
	}
	vec_add(v, &(struct thread_cpu){ t->tid, t->cpu_ns }, 1, sizeof(*used), THREADS_MAX);
}

static bool demand_check_thread(void *search, uint32_t tid)
{
	struct demand_search *s = search;
	bool wanted = s->i++ >= s->first;
	struct task t;

	if ((!wanted && !s->compares_usage) || !task_read(s->folder, tid, &t))
		return true;
	if (s->compares_usage)
		compare_usage(s, &t);
	/* check twice, because the signal must reach the thread while it runs */
	if (wanted && t.state == 'R' && can_signal(s, tid) && task_read(s->folder, tid, &t) && t.state == 'R') {
		s->n += collect_signal_thread(s->p, tid, 0);
		s->p->demand.next_thread = s->i;
	}
	return s->n < s->want;
}

/* Signal up to want threads that are ready to run. Returns their number. */
static uint32_t signal_threads(struct process *p, uint32_t want, bool compares_usage)
{
	struct demand_search s = {
		.p = p, .want = want, .first = p->demand.next_thread, .compares_usage = compares_usage
	};

	s.n_before = p->demand.used.n;
	s.folder = task_open_folder(p->pid);
	if (s.folder < 0)
		return 0;
	if (maps_has_file(p->pid, p->c->dev, p->c->ino) != MAPS_YES) {
		close(s.folder);
		return 0;
	}
	task_each(s.folder, demand_check_thread, &s);
	if (s.n == 0 && s.first) {
		s.first = s.i = 0;
		s.compares_usage = false;
		task_each(s.folder, demand_check_thread, &s);
	}
	if (s.n == 0 && s.most_tid && can_signal(&s, s.most_tid))
		s.n += collect_signal_thread(p, s.most_tid, 0);
	close(s.folder);
	return s.n;
}

/* Arm a process if it runs. */
static void poll_process(struct process *p)
{
	struct demand *d = &p->demand;
	uint64_t cpu, now;
	uint32_t want, n;

	if (d->n_skips) {
		d->n_skips--;
		return;
	}
	cpu = collect_cpu_ns(p->pid);
	if (cpu == d->last_ns) {
		if (++d->n_idle > IDLE_POLLS)
			d->n_skips = IDLE_SKIPS;
		return;
	}
	d->n_idle = 0;
	d->last_ns = cpu;
	now = clock_now();
	if (d->signal_ns && now - d->signal_ns < SIGNAL_AGAIN_NS)
		return;
	want = d->n_signaled ? d->n_signaled : 1;
	n = signal_threads(p, want, cpu - d->cpu_ns > NEVER_SEEN_NS);
	d->n_skips = (unsigned)((clock_now() - now) /
				(COLLECT_ARM_MS * MS)); /* a search through a thousand threads is slow */
	if (n)
		d->signal_ns = now;
	/* signal more threads next time, but only if as many as wanted were ready this time */
	d->n_signaled = n < want ? 1 : want < SIGNAL_MAX ? want * SIGNAL_GROWTH : SIGNAL_MAX;
}

bool collect_cpu_poll(struct collect *c)
{
	bool more = false;

	for (uint32_t i = 0; c->recording && i < c->n_processes; i++) {
		struct process *p = &c->process[i];

		if (!is_recorded(p) || atomic_load_explicit(armed(p), memory_order_relaxed) == c->recording)
			continue;
		poll_process(p);
		more = true;
	}
	return more;
}

/* The number of seccomp filters of this process. If the program has more filters, it has installed them itself. */
static uint64_t count_own_filters(void)
{
	int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct task_signal is = { 0 };

	if (folder < 0)
		return 0;
	task_signal(folder, (uint32_t)syscall(SYS_gettid), SIGPROF, &is);
	close(folder);
	return is.filters;
}

int collect_cpu_start(struct collect *c, uint32_t hz, uint32_t engine)
{
	if (c->options.is_self || c->is_cpu_always || c->recording)
		return -EBUSY;
	if (hz < 1 || hz > HZ_MAX || engine > REQUEST_ITIMER)
		return -EINVAL;
	collect_drain(c);
	c->filters = count_own_filters();
	c->options.hz = hz;
	c->recording = ++c->n_recordings ? c->n_recordings : ++c->n_recordings;
	for (uint32_t i = 0; i < c->n_processes; i++) {
		struct process *p = &c->process[i];

		if (!p->is_used || p->has_ended)
			continue;
		p->engine = p->error = p->perf_error = 0;
		atomic_store(&collect_slot(c, i)->engine, 0);
		atomic_store(&collect_slot(c, i)->error, 0);
		demand_begin(p);
	}
	atomic_store(&c->head->hz, hz);
	atomic_store(&c->head->engine, engine);
	atomic_store(&c->head->recording, c->recording);
	atomic_store(&c->head->cpu, 1);
	return 0;
}

/*
 * Make a process delete its timers. Returns true while it has not done so. *moves is set if it ran since the last
 * poll, or has a signalled thread.
 */
static bool disarm(struct process *p, bool first, bool *moves)
{
	struct demand *d = &p->demand;
	uint64_t cpu;

	if (!is_recorded(p) || !atomic_load_explicit(armed(p), memory_order_acquire))
		return false;
	cpu = collect_cpu_ns(p->pid);
	if (!d->signal_ns && (first || cpu != d->last_ns) && signal_threads(p, 1, false) > 0)
		d->signal_ns = clock_now();
	*moves |= cpu != d->last_ns || d->signal_ns;
	d->last_ns = cpu;
	return true;
}

static void disarm_all(struct collect *c)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	uint64_t begin = clock_now(), moved = begin;
	bool more = true;

	for (bool first = true;
	     more && clock_now() - begin < COLLECT_STOP_MS * MS && (first || clock_now() - moved < QUIET_NS);
	     first = false) {
		bool moves = false;

		more = false;
		for (uint32_t i = 0; i < c->n_processes; i++)
			more |= disarm(&c->process[i], first, &moves);
		if (moves)
			moved = clock_now();
		if (more)
			nanosleep(&pause, NULL);
	}
}

/* Add the CPU time of a process without a sample. cpu_ns: its clock at the end. */
static void add_unsampled(struct process *p, uint64_t cpu_ns)
{
	const struct demand *d = &p->demand;
	uint64_t period = 1000000000 / p->c->options.hz, used = cpu_ns > d->cpu_ns ? cpu_ns - d->cpu_ns : 0;
	uint64_t seen = (p->table.weight - d->weight) * period;

	p->unsampled_ns += used > seen ? used - seen : 0;
}

void collect_cpu_stop(struct collect *c)
{
	uint64_t end[N_PROCS] = { 0 };

	if (!c->recording)
		return;
	for (uint32_t i = 0; i < c->n_processes; i++) {
		struct process *p = &c->process[i];

		if (!is_recorded(p))
			continue;
		end[i] = collect_cpu_ns(p->pid);
		p->demand.signal_ns = 0;
	}
	atomic_store(&c->head->cpu, 0);
	disarm_all(c);
	collect_drain(c);
	for (uint32_t i = 0; i < c->n_processes; i++) {
		struct process *p = &c->process[i];

		if (!p->is_used || p->demand.recording != c->recording)
			continue;
		if (end[i])
			add_unsampled(p, end[i]);
		demand_release(p);
		p->demand = (struct demand){ 0 };
	}
	c->recording = 0;
}
