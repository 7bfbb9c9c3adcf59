/*
 * demand.c - CPU time of other processes from now on, and no more
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * No thread of the program is ours, so one that runs is sent our signal, and arms all of its process (or takes all
 * timers away). Where more threads are ready than there are CPUs it may be long until that one runs, so more of them are
 * sent one. One that waits is left in peace, for the signal would interrupt its call: so nothing happens in a process
 * that uses no CPU time. Its clock, which is asked often while it is not armed, says when it does.
 *
 * Only where a process used a good deal and was never met at work, the thread that used most of it is taken.
 *
 * What a thread used before it was armed, or since its last sample, nobody saw; but the clock of the process says how
 * much of it there is. It has a place of its own, so that the sum is what the process used.
 */
#include "config.h"

#include "libcpaprof/collector/clock.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HZ_MOST = 1000, THREADS_MOST = 1 << 16 };
enum { SEND_MORE = 4, SEND_MOST = 64 };  /* as many threads as before when nothing came of it; at a time */
enum { IDLE_LOOKS = 25, IDLE_WAIT = 4 }; /* one that did not run for so many looks is looked at in every fifth */

#define MS 1000000ULL
#define SEND_AGAIN_NS (20 * MS) /* a signal that was not taken by then is blocked, or the machine is very busy */
#define NEVER_SEEN_NS (20 * MS) /* of CPU time */
#define QUIET_NS (4 * MS)       /* at the end: nobody runs who could take the timers away */
#define NAP_NS 200000

/* Threads of a process that may be sent a signal. */
struct search {
	struct process *p;
	int folder;        /* /proc/PID/task */
	uint32_t n, want;  /* that were sent one, for they are ready to run */
	uint32_t i, first; /* threads looked at, or left out; the first one to look at */
	uint32_t most;     /* that used most since the last search */
	uint64_t grown;    /* and how much that was */
	bool remembers;    /* what threads used is looked at, too */
	size_t n_before;   /* of p->demand.used */
	size_t at;         /* where in it the next one is, most likely: they come in the same order */
};

static _Atomic uint32_t *armed(const struct process *p)
{
	return &collect_slot(p->c, collect_slot_of(p))->armed;
}

static bool is_in(const struct process *p)
{
	return p->used && p->proven && !p->ended && !p->told && !p->left && p->c->on && p->demand.recording == p->c->on;
}

void demand_begin(struct process *p)
{
	struct demand *d = &p->demand;

	demand_release(p);
	*d = (struct demand){ .recording = p->c->on };
	if (!d->recording)
		return;
	d->cpu_ns = d->last_ns = p->unseen_ns = collect_cpu_ns(p->pid);
	d->weight = p->table.weight;
	p->unseen_at = 0;
}

void demand_release(struct process *p)
{
	vec_release(&p->demand.used, sizeof(struct used));
	vec_release(&p->demand.unseen, sizeof(struct used));
}

/*
 * Would the signal do what it is to do, and no harm? One who executed another program meanwhile catches none. A program
 * may have filters of system calls that arming needs.
 */
static bool may_wake(const struct search *s, uint32_t tid)
{
	struct task_signal is;

	return task_signal(s->folder, tid, collect_signal(s->p), &is) && is.caught && !is.blocked &&
	       is.filters <= s->p->c->filters;
}

/* How much more a thread used than when it was looked at before. */
static void remember(struct search *s, const struct task *t)
{
	struct vec *v = &s->p->demand.used;
	struct used *used = v->data;
	size_t i = s->at < s->n_before && used[s->at].tid == t->tid ? s->at : 0;

	while (i < s->n_before && used[i].tid != t->tid)
		i++;
	if (i < s->n_before) {
		s->at = i + 1;
		if (t->cpu_ns - used[i].ns > s->grown && t->cpu_ns > used[i].ns) {
			s->grown = t->cpu_ns - used[i].ns;
			s->most = t->tid;
		}
		used[i].ns = t->cpu_ns;
		return;
	}
	used = vec_room(v, 1, sizeof(*used), THREADS_MOST);
	if (!used)
		return;
	*used = (struct used){ t->tid, t->cpu_ns };
	v->n++;
}

static bool look_at(void *search, uint32_t tid)
{
	struct search *s = search;
	bool wanted = s->i++ >= s->first;
	struct task t;

	if ((!wanted && !s->remembers) || !task_read(s->folder, tid, &t))
		return true;
	if (s->remembers)
		remember(s, &t);
	/* once more, for the signal must find it at work */
	if (wanted && t.state == 'R' && may_wake(s, tid) && task_read(s->folder, tid, &t) && t.state == 'R') {
		collect_wake(s->p->c, s->p, tid);
		s->n++;
		s->p->demand.next = s->i;
	}
	return s->n < s->want;
}

/* Send our signal to as many threads as are wanted and ready to run. Gives to how many it was. */
static uint32_t wake(struct process *p, uint32_t want, bool remembers)
{
	struct search s = { .p = p, .want = want, .first = p->demand.next, .remembers = remembers };
	char folder[32];

	s.n_before = p->demand.used.n;
	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)p->pid);
	s.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s.folder < 0)
		return 0;
	if (maps_has_file(p->pid, p->c->dev, p->c->ino) != MAPS_YES) {
		close(s.folder);
		return 0;
	}
	task_each(s.folder, look_at, &s);
	if (s.n == 0 && s.first) {
		s.first = s.i = 0;
		s.remembers = false;
		task_each(s.folder, look_at, &s);
	}
	if (s.n == 0 && s.most && may_wake(&s, s.most)) {
		collect_wake(p->c, p, s.most);
		s.n++;
	}
	close(s.folder);
	return s.n;
}

/* Arm a process, if it runs. */
static void look(struct process *p)
{
	struct demand *d = &p->demand;
	uint64_t cpu, now;
	uint32_t want, n;

	if (d->wait) {
		d->wait--;
		return;
	}
	cpu = collect_cpu_ns(p->pid);
	if (cpu == d->last_ns) {
		if (++d->n_idle > IDLE_LOOKS)
			d->wait = IDLE_WAIT;
		return;
	}
	d->n_idle = 0;
	d->last_ns = cpu;
	now = clock_now();
	if (d->sent_ns && now - d->sent_ns < SEND_AGAIN_NS)
		return;
	want = d->n_sent ? d->n_sent : 1;
	n = wake(p, want, cpu - d->cpu_ns > NEVER_SEEN_NS);
	d->wait =
		(unsigned)((clock_now() - now) / (COLLECT_ARM_MS * MS)); /* with a thousand threads it takes a while */
	if (n)
		d->sent_ns = now;
	/* more at a time only where there are as many, so that they will be at work when it comes */
	d->n_sent = n < want ? 1 : want < SEND_MOST ? want * SEND_MORE : SEND_MOST;
}

bool collect_cpu_look(struct collect *c)
{
	bool more = false;

	for (uint32_t i = 0; c->on && i < N_PROCS; i++) {
		struct process *p = &c->process[i];

		if (!is_in(p) || atomic_load_explicit(armed(p), memory_order_relaxed) == c->on)
			continue;
		look(p);
		more = true;
	}
	return more;
}

/* Who has more filters than we do has set them itself. */
static uint64_t own_filters(void)
{
	int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct task_signal is = { 0 };

	if (folder < 0)
		return 0;
	task_signal(folder, (uint32_t)syscall(SYS_gettid), SIGPROF, &is);
	close(folder);
	return is.filters;
}

int collect_cpu_on(struct collect *c, uint32_t hz, uint32_t engine)
{
	if (c->options.self || c->cpu || c->on)
		return -EBUSY;
	if (hz < 1 || hz > HZ_MOST || engine > ASKED_ITIMER)
		return -EINVAL;
	collect_drain(c);
	c->filters = own_filters();
	c->options.hz = hz;
	c->on = ++c->n_recordings ? c->n_recordings : ++c->n_recordings;
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct process *p = &c->process[i];

		if (!p->used || p->ended)
			continue;
		p->engine = p->error = p->perf_error = 0;
		atomic_store(&collect_slot(c, i)->engine, 0);
		atomic_store(&collect_slot(c, i)->error, 0);
		demand_begin(p);
	}
	atomic_store(&c->head->hz, hz);
	atomic_store(&c->head->engine, engine);
	atomic_store(&c->head->recording, c->on);
	atomic_store(&c->head->cpu, 1);
	return 0;
}

/*
 * Have the timers of a process taken away. True while it may still happen; *moves is then set when it ran since the last
 * look, or has a thread that is about to.
 */
static bool settle(struct process *p, bool first, bool *moves)
{
	struct demand *d = &p->demand;
	uint64_t cpu;

	if (!is_in(p) || !atomic_load_explicit(armed(p), memory_order_acquire))
		return false;
	cpu = collect_cpu_ns(p->pid);
	if (!d->sent_ns && (first || cpu != d->last_ns) && wake(p, 1, false) > 0)
		d->sent_ns = clock_now();
	*moves |= cpu != d->last_ns || d->sent_ns;
	d->last_ns = cpu;
	return true;
}

static void settle_all(struct collect *c)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t begin = clock_now(), moved = begin;
	bool more = true;

	for (bool first = true;
	     more && clock_now() - begin < COLLECT_OFF_MS * MS && (first || clock_now() - moved < QUIET_NS);
	     first = false) {
		bool moves = false;

		more = false;
		for (uint32_t i = 0; i < N_PROCS; i++)
			more |= settle(&c->process[i], first, &moves);
		if (moves)
			moved = clock_now();
		if (more)
			nanosleep(&nap, NULL);
	}
}

/* The rest of what a process used, of which the clock was cpu_ns at the end, to the nearest period. */
static void charge(struct process *p, uint64_t cpu_ns)
{
	const struct demand *d = &p->demand;
	uint64_t period = 1000000000 / p->c->options.hz, used = cpu_ns > d->cpu_ns ? cpu_ns - d->cpu_ns : 0;
	uint64_t seen = (p->table.weight - d->weight) * period;
	uint64_t n = used > seen ? (used - seen + period / 2) / period : 0;

	p->unsampled += n;
	table_add_place(&p->table, PLACE_UNSAMPLED, n);
}

void collect_cpu_off(struct collect *c)
{
	uint64_t end[N_PROCS] = { 0 };

	if (!c->on)
		return;
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct process *p = &c->process[i];

		if (!is_in(p))
			continue;
		end[i] = collect_cpu_ns(p->pid);
		p->demand.sent_ns = 0;
	}
	atomic_store(&c->head->cpu, 0);
	settle_all(c);
	collect_drain(c);
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct process *p = &c->process[i];

		if (!p->used || p->demand.recording != c->on)
			continue;
		if (end[i])
			charge(p, end[i]);
		demand_release(p);
		p->demand = (struct demand){ 0 };
	}
	c->on = 0;
}
