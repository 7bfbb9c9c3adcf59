/*
 * handler.c - the signal handler: origin and weight of a signal
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

/* The record of this thread, looked up if another thread added it. NULL if this thread is not in the table. */
__attribute__((hot)) static struct thread *self_sig(void)
{
	struct thread *t = atomic_load_explicit(&cpi_local.thread, memory_order_relaxed);

	if (!t && !atomic_load_explicit(&cpi_local.ended, memory_order_relaxed)) {
		t = cpi_thread_find_sig(sys_gettid());
		if (t && !t->top) {
			t->lo = cpi_local.lo;
			t->top = t->used_lo = cpi_local.top;
		}
		atomic_store_explicit(&cpi_local.thread, t, memory_order_relaxed);
	}
	return t;
}

/*
 * Add this thread, which the collector found using CPU time without a timer. Its earlier stacks are unknown, but the
 * CPU time it has used so far is counted as adopted.
 */
__attribute__((cold)) static void adopt_sig(void)
{
	struct segment_proc *p = atomic_load_explicit(&cpi.proc, memory_order_relaxed);
	struct thread *t;

	if (self_sig() || atomic_load_explicit(&cpi_local.ended, memory_order_relaxed) || !cpi_cpu_is_on_sig())
		return;
	t = cpi_thread_add_sig(sys_gettid());
	atomic_store_explicit(&cpi_local.thread, t, memory_order_relaxed);
	if (t && p && t->recording)
		atomic_fetch_add_explicit(&p->adopted, sys_now(CLOCK_THREAD_CPUTIME_ID) / t->period_ns,
					  memory_order_relaxed);
}

/* The collector signals threads that use CPU time when CPU sampling has started or stopped. */
__attribute__((cold)) static void sync_sig(void)
{
	/* a child of vfork shares our memory but is another process */
	if (sys_getpid() != cpi.pid)
		return;
	if (!atomic_load_explicit(&cpi_local.ended, memory_order_relaxed)) {
		self_sig();
		cpi_recording_sync_sig();
	}
	adopt_sig();
}

/* Number of periods that this signal represents. */
static uint32_t weigh_sig(struct thread *t, const siginfo_t *info)
{
	int own = atomic_load_explicit(&t->timer, memory_order_relaxed);

	if (t->by_clock && info->si_code == SI_TIMER && cpi_perf_is_gone_sig(t))
		cpi_clock_restore_rate_sig(t);
	if (own == NO_TIMER || t->by_clock)
		return cpi_clock_owed_sig(t);
	/* a signal of the process timer is for other threads */
	if (info->si_code == SI_KERNEL || info->si_timerid != own)
		return 0;
	return 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);
}

static void sample_sig(struct thread *t, const siginfo_t *info, const void *context)
{
	uint32_t weight;

	/* periods not charged now are charged when the thread ends */
	if (!atomic_load_explicit(&cpi.proc, memory_order_relaxed) && !cpi_process_claim_sig())
		return;
	weight = t->ignored ? 0 : weigh_sig(t, info);
	if (weight)
		cpi_sample_sig(t, context, weight);
}

/*
 * A thread that ends a recording first sets the state, then waits for handlers that hold the record. This handler first
 * locks the record, then reads the state. So at least one of the two sees the other. If the record is locked, this
 * handler returns immediately.
 */
static void tick_sig(const siginfo_t *info, const void *context)
{
	struct thread *t = self_sig();
	struct segment_proc *p;

	if (t) {
		cpi_recording_sync_sig();
		if (!cpi_thread_try_lock_sig(t))
			return;
		if (cpi_recording_is_on_sig() && atomic_load(&t->recording) == atomic_load(&cpi.recording)) {
			sample_sig(t, info, context);
		} else if (!cpi_is_on_sig()) {
			cpi_clock_disarm_sig(t);
			cpi_clock_release_sig();
		} else if (!cpi.is_self && !atomic_load(&cpi.head->cpu)) {
			cpi_clock_disarm_sig(t);
		}
		cpi_thread_unlock_sig(t);
	} else if (cpi_cpu_is_on_sig() && (p = atomic_load_explicit(&cpi.proc, memory_order_relaxed))) {
		atomic_fetch_add_explicit(&p->n_orphans, 1, memory_order_relaxed);
	}
}

/*
 * When the user has too many queued signals (RLIMIT_SIGPENDING), a signal of the collector loses its value and its
 * sender. Forwarding it would end the program.
 */
static bool has_no_sender_sig(const siginfo_t *info)
{
	return info->si_code == SI_USER && info->si_pid == 0;
}

/* Report the current stack of this thread to the collector. */
__attribute__((cold)) static void report_stack_sig(const void *context)
{
	struct thread *t;

	adopt_sig();
	if (atomic_load_explicit(&cpi_local.ended, memory_order_relaxed) || !cpi_is_on_sig())
		return;
	if (!self_sig()) /* this thread is not in the table yet, because CPU time is not sampled */
		cpi_thread_add_sig(sys_gettid());
	t = self_sig();
	if (!t || !cpi_thread_try_lock_sig(t))
		return;
	cpi_sample_report_stack_sig(t, context);
	cpi_thread_unlock_sig(t);
}

void cpi_handler_sig(int sig, siginfo_t *info, void *context)
{
	uint64_t value = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
	bool is_profiled = cpi.head != NULL, ours = is_profiled && value == cpi.cookie;

	if ((ours && info->si_code == SI_TIMER) || (is_profiled && cpi_perf_is_signal_sig(info)) ||
	    (is_profiled && info->si_code == SI_KERNEL && cpi_clock_interval_is_ours_sig()))
		tick_sig(info, context);
	else if ((ours && info->si_code == SI_QUEUE) || (is_profiled && has_no_sender_sig(info)))
		sync_sig();
	else if (is_profiled && info->si_code == SI_QUEUE && value == (cpi.cookie ^ COOKIE_STACK))
		report_stack_sig(context);
	else
		cpi_guard_forward_sig(sig, info, context);
}
