/*
 * unarmed.c - find running threads that have no timer, because no wrapper saw their start
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread with a timer has a ring after a few periods of CPU time. A thread without a ring that is running is sent
 * our signal, whose handler starts the timer. A waiting thread gets no signal, because the signal would interrupt its
 * system call.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/read/task.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PERIODS_MIN = 8 };
enum { THREADS_ONCE = 256 }; /* max threads checked at a time; a check takes 10 us */

static bool has_ring(const struct collect *c, const struct process *p, uint32_t tid)
{
	uint32_t n = collect_n_rings(c);

	for (uint32_t i = 0; i < n; i++) {
		struct segment_ring *r = collect_ring(c, i);

		if (atomic_load_explicit(&r->state, memory_order_relaxed) == RING_OWNED &&
		    atomic_load_explicit(&r->tid, memory_order_relaxed) == tid &&
		    *(volatile uint32_t *)&r->serial == p->serial)
			return true;
	}
	return false;
}

/*
 * Has the thread used so much CPU time that it would have a ring if it had a timer? In a recording on demand only the
 * time since it was first seen without a ring counts. ns: its CPU time.
 */
static bool has_used_enough(const struct collect *c, struct process *p, uint32_t tid, uint64_t ns)
{
	struct vec *v = &p->demand.unarmed;
	struct thread_cpu *used = v->data;
	uint64_t before = 0;
	size_t i = 0;

	while (p->demand.recording && i < v->n && used[i].tid != tid)
		i++;
	if (p->demand.recording && i == v->n) {
		vec_add(v, &(struct thread_cpu){ tid, ns }, 1, sizeof(*used), THREADS_ONCE);
		return false;
	}
	if (p->demand.recording)
		before = used[i].ns;
	return ns > before && ns - before > PERIODS_MIN * (1000000000ULL / c->options.hz);
}

bool collect_signal_thread(const struct process *p, uint32_t tid, uint64_t cookie)
{
	struct segment_proc *slot = collect_slot(p->c, collect_slot_index(p));
	int sig = collect_signal(p);
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };
	uint32_t expected = 0;

	if (!atomic_compare_exchange_strong(&slot->execs, &expected, PROC_SENDING))
		return false;
	info.si_value.sival_ptr = (void *)(uintptr_t)(p->c->nonce[0] ^ p->c->nonce[1] ^ cookie);
	syscall(SYS_rt_tgsigqueueinfo, p->pid, tid, sig, &info);
	atomic_fetch_and(&slot->execs, ~PROC_SENDING);
	return true;
}

/* Check the mappings first: the signal would kill a program without our library. */
static void signal_if_ours(const struct collect *c, const struct process *p, uint32_t tid)
{
	if (maps_has_file(p->pid, c->dev, c->ino) == MAPS_YES)
		collect_signal_thread(p, tid, 0);
}

uint64_t collect_cpu_ns(pid_t pid)
{
	clockid_t clock;

	return clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
}

struct unarmed_scan {
	const struct collect *c;
	struct process *p;
	uint32_t i; /* index of the current thread */
	int folder; /* descriptor of /proc/PID/task */
};

/* Check up to THREADS_ONCE threads, from the first thread that was not checked last time. */
static bool unarmed_check_thread(void *data, uint32_t tid)
{
	struct unarmed_scan *l = data;
	uint32_t i = l->i++;
	struct task t;

	if (i >= l->p->unarmed_next && i - l->p->unarmed_next < THREADS_ONCE &&
	    !has_ring(l->c, l->p, namespace_inner_tid(l->p, l->folder, tid)) && task_read(l->folder, tid, &t) &&
	    t.state == 'R' && has_used_enough(l->c, l->p, tid, t.cpu_ns))
		signal_if_ours(l->c, l->p, tid);
	return true;
}

void collect_signal_unarmed(const struct collect *c, struct process *p)
{
	uint64_t now = collect_cpu_ns(p->pid);
	struct unarmed_scan l = { c, p, 0, -1 };

	/* no thread can have used enough CPU time yet */
	if (now && now - p->unarmed_checked_ns < PERIODS_MIN * (1000000000ULL / c->options.hz))
		return;
	l.folder = task_open_folder(p->pid);
	if (l.folder < 0)
		return;
	task_each(l.folder, unarmed_check_thread, &l);
	close(l.folder);
	p->unarmed_next =
		l.i - p->unarmed_next > THREADS_ONCE && l.i > p->unarmed_next ? p->unarmed_next + THREADS_ONCE : 0;
	if (p->unarmed_next == 0)
		p->unarmed_checked_ns = now;
}
