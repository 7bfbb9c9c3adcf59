/*
 * handler.c - the signal comes: whose is it, and how much does it weigh
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>

/* This thread's record; looked up when it was armed by another one. NULL when nobody knows it. */
static struct thread *self_sig(void)
{
	struct thread *t = atomic_load_explicit(&cpi_local.thread, memory_order_relaxed);

	if (!t && !atomic_load_explicit(&cpi_local.ended, memory_order_relaxed)) {
		t = cpi_thread_find_sig(sys_gettid());
		if (t && !t->top) {
			t->lo = cpi_local.lo;
			t->top = t->low = cpi_local.top;
		}
		atomic_store_explicit(&cpi_local.thread, t, memory_order_relaxed);
	}
	return t;
}

/*
 * The collector saw this thread at work, and no timer for it. Where it was until now nobody can tell;
 * how long it was there can be told.
 */
static void adopt_sig(void)
{
	struct segment_proc *p = atomic_load_explicit(&cpi.proc, memory_order_relaxed);
	struct thread *t;

	if (self_sig() || atomic_load_explicit(&cpi_local.ended, memory_order_relaxed) || !cpi_cpu_on_sig())
		return;
	t = cpi_thread_add_sig(sys_gettid());
	atomic_store_explicit(&cpi_local.thread, t, memory_order_relaxed);
	if (t && p && t->recording)
		atomic_fetch_add_explicit(&p->adopted, sys_now(CLOCK_THREAD_CPUTIME_ID) / t->period_ns,
					  memory_order_relaxed);
}

/* The collector sends its signal to a thread at work: CPU time is sampled from here on, or no more. */
static void wake_sig(void)
{
	/* a child of vfork has our memory, and is not us */
	if (sys_getpid() != cpi.pid)
		return;
	if (!atomic_load_explicit(&cpi_local.ended, memory_order_relaxed)) {
		self_sig();
		cpi_recording_sync_sig();
	}
	adopt_sig();
}

/* How many periods this signal stands for. */
static uint32_t weigh_sig(struct thread *t, const siginfo_t *info)
{
	int own = atomic_load_explicit(&t->timer, memory_order_relaxed);

	if (t->by_clock && info->si_code == SI_TIMER && cpi_perf_is_gone_sig(t))
		cpi_clock_rerun_sig(t);
	if (own == NO_TIMER || t->by_clock)
		return cpi_clock_owed_sig(t);
	if (info->si_timerid != own) /* the timer of the process, which is for others */
		return 0;
	return 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);
}

static void take_sig(struct thread *t, const siginfo_t *info, const void *context)
{
	uint32_t weight;

	/* what is not charged now is when the thread ends */
	if (!atomic_load_explicit(&cpi.proc, memory_order_relaxed) && !cpi_process_claim_sig())
		return;
	weight = t->ignored ? 0 : weigh_sig(t, info);
	if (weight)
		cpi_sample_sig(t, context, weight);
}

/*
 * Whoever ends a recording first says so, then waits for those inside: one of the two sees the other. Or takes the place
 * of those inside; then this one leaves.
 */
static void tick_sig(const siginfo_t *info, const void *context)
{
	struct thread *t = self_sig();
	struct segment_proc *p;

	if (t) {
		cpi_recording_sync_sig();
		if (!cpi_thread_hold_sig(t))
			return;
		if (!cpi_on_sig()) {
			cpi_clock_disarm_sig(t);
			cpi_clock_release_sig();
		} else if (cpi_recording_on_sig() && atomic_load(&t->recording) == atomic_load(&cpi.recording)) {
			take_sig(t, info, context);
		} else if (!cpi.self && !atomic_load(&cpi.head->cpu)) {
			cpi_clock_disarm_sig(t);
		}
		cpi_thread_let_sig(t);
	} else if (cpi_cpu_on_sig() && (p = atomic_load_explicit(&cpi.proc, memory_order_relaxed))) {
		atomic_fetch_add_explicit(&p->orphans, 1, memory_order_relaxed);
	}
}

/*
 * What the collector sends loses all that it carries when the user has too many signals waiting
 * (RLIMIT_SIGPENDING), and then comes from nobody. Forwarded, it would end the program.
 */
static bool is_from_nobody_sig(const siginfo_t *info)
{
	return cpi.head && info->si_code == SI_USER && info->si_pid == 0;
}

/* The collector asks where this thread is. */
static void tell_sig(const void *context)
{
	struct thread *t;

	adopt_sig();
	if (atomic_load_explicit(&cpi_local.ended, memory_order_relaxed) || !cpi_on_sig())
		return;
	if (!self_sig()) /* CPU time is not sampled */
		cpi_thread_add_sig(sys_gettid());
	t = self_sig();
	if (!t || !cpi_thread_hold_sig(t))
		return;
	cpi_sample_tell_sig(t, context);
	cpi_thread_let_sig(t);
}

void cpi_handler_sig(int sig, siginfo_t *info, void *context)
{
	int before = errno;
	uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
	bool ours = cpi.head && value == cpi.cookie;

	if ((ours && info->si_code == SI_TIMER) || (cpi.head && cpi_perf_is_signal_sig(info)))
		tick_sig(info, context);
	else if ((ours && info->si_code == SI_QUEUE) || is_from_nobody_sig(info))
		wake_sig();
	else if (cpi.head && info->si_code == SI_QUEUE && value == (cpi.cookie ^ COOKIE_STACK))
		tell_sig(context);
	else
		cpi_guard_forward_sig(sig, info, context);
	errno = before;
}
