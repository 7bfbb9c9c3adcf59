/*
 * unseen.c - threads at work that have no timer, because no wrapper saw them begin
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread that used several periods of CPU time has a ring, if it has a timer. One that has none, and
 * runs at this moment, is sent our signal, in which it starts its timer itself. A thread that waits is
 * left in peace: the signal would interrupt its call.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STAT_SIZE = 512, PERIODS_SEEN = 8, FIELD_UTIME = 11 };
enum { THREADS_ONCE = 256 }; /* 10 us each */

static bool has_ring(const struct collect *c, const struct process *p, uint32_t tid)
{
	for (uint32_t i = 0; i < c->at.n_rings; i++) {
		struct segment_ring *r = collect_ring(c, i);

		if (atomic_load_explicit(&r->state, memory_order_relaxed) == RING_OWNED &&
		    atomic_load_explicit(&r->tid, memory_order_relaxed) == tid &&
		    *(volatile uint32_t *)&r->serial == p->serial)
			return true;
	}
	return false;
}

/*
 * Has the thread used so much CPU time, in ticks, that a timer would have been seen? In a recording on demand it is what
 * it used since it was first seen without one.
 */
static bool is_much(const struct collect *c, struct process *p, uint32_t tid, uint64_t ticks)
{
	struct vec *v = &p->demand.unseen;
	struct used *used = v->data;
	uint64_t before = 0;
	size_t i = 0;

	while (p->demand.recording && i < v->n && used[i].tid != tid)
		i++;
	if (p->demand.recording && i == v->n) {
		used = vec_room(v, 1, sizeof(*used), THREADS_ONCE);
		if (used) {
			*used = (struct used){ tid, ticks };
			v->n++;
		}
		return false;
	}
	if (p->demand.recording)
		before = used[i].ns;
	return (ticks - before) * c->options.hz > (uint64_t)sysconf(_SC_CLK_TCK) * PERIODS_SEEN && ticks > before;
}

/* Does the thread run now, and did it for a while? */
static bool is_at_work(const struct collect *c, struct process *p, uint32_t tid)
{
	char name[64], text[STAT_SIZE], *at;
	unsigned long long ticks;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/task/%u/stat", (int)p->pid, tid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	at = strrchr(text, ')'); /* the name may have any character in it */
	if (!at || at[1] != ' ' || at[2] != 'R')
		return false;
	at += 2;
	for (int i = 0; i < FIELD_UTIME && at; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	ticks = strtoull(at, &at, 10);
	ticks += strtoull(at, NULL, 10);
	return is_much(c, p, tid, ticks);
}

void collect_wake(const struct collect *c, const struct process *p, uint32_t tid)
{
	int sig = collect_signal(p);
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };

	info.si_value.sival_ptr = (void *)(uintptr_t)(c->nonce[0] ^ c->nonce[1]);
	syscall(SYS_rt_tgsigqueueinfo, p->pid, tid, sig, &info);
}

/* It may have executed another program, without our library: that would die of it. */
static void wake_if_ours(const struct collect *c, const struct process *p, uint32_t tid)
{
	if (maps_has_file(p->pid, c->dev, c->ino) == MAPS_YES)
		collect_wake(c, p, tid);
}

uint64_t collect_cpu_ns(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

struct look {
	const struct collect *c;
	struct process *p;
	uint32_t i; /* threads looked at, or left out */
};

/* Look at threads from the first one on that was not looked at last time. */
static bool look_at(void *data, uint32_t tid)
{
	struct look *l = data;
	uint32_t i = l->i++;

	if (i >= l->p->unseen_at && i - l->p->unseen_at < THREADS_ONCE && !has_ring(l->c, l->p, tid) &&
	    is_at_work(l->c, l->p, tid))
		wake_if_ours(l->c, l->p, tid);
	return true;
}

void collect_unseen(const struct collect *c, struct process *p)
{
	uint64_t now = collect_cpu_ns(p->pid);
	struct look l = { c, p, 0 };
	char folder[32];
	int fd;

	/* no thread can have used as much as it takes to be one that is at work */
	if (now && now - p->unseen_ns < PERIODS_SEEN * (1000000000ULL / c->options.hz))
		return;
	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)p->pid);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	task_each(fd, look_at, &l);
	close(fd);
	p->unseen_at = l.i - p->unseen_at > THREADS_ONCE && l.i > p->unseen_at ? p->unseen_at + THREADS_ONCE : 0;
	if (p->unseen_at == 0)
		p->unseen_ns = now;
}
