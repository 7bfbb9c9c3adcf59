/*
 * clock.c - timers on the CPU clocks of threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every thread has a timer of its own, which advances while the thread runs. The kernel checks it once per tick, so at
 * most CONFIG_HZ signals arrive per second. Each signal reports how many periods it missed and is weighted accordingly.
 * Timers are scarce (RLIMIT_SIGPENDING). Threads without a timer share a timer of the process, which is created in
 * advance: when its signal reaches such a thread, the thread is charged according to its CPU clock. The shared timer is
 * not an interval timer (setitimer), because interval timers survive exec and their signal would find no handler. Only
 * if there are no more timers at all, an interval timer is shared, unless the program uses it. It is stopped before
 * exec. Its interval identifies it, since its signals cannot carry a value.
 *
 * A program that sets a seccomp filter may end because of our system calls. The shared timer runs from then on, and no
 * other timer is created, started or deleted: new threads share it.
 *
 * When a thread ends, it is charged for the periods that are over but whose signal has not arrived. On a busy machine
 * these are about 10 ms per thread.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>
#include <sys/time.h>

enum { SLOW_NS = 10000000, INTERVAL_MARK_US = 1 };

/* linux/posix-timers.h: the CPU clock of a thread of this process. */
static clockid_t thread_clock(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

/* May this process make the system calls of timers and events? */
static bool is_permitted_sig(void)
{
	return !atomic_load_explicit(&cpi.is_sandboxed, memory_order_relaxed);
}

static long timer_make(clockid_t clock, int notify, uint32_t tid)
{
	struct sigevent event = { .sigev_notify = notify, .sigev_signo = cpi.sig };
	int timer = NO_TIMER;
	long rc;

	if (!is_permitted_sig())
		return -EPERM;
	event.sigev_value.sival_ptr = (void *)(uintptr_t)cpi.cookie;
	event._sigev_un._tid = (pid_t)tid;
	rc = sys_call(SYS_timer_create, clock, (long)&event, (long)&timer, 0);
	return rc < 0 ? rc : timer;
}

static long timer_run(int timer, uint64_t first_ns, uint64_t period_ns)
{
	const struct itimerspec when = {
		.it_interval = { .tv_sec = (time_t)(period_ns / 1000000000),
				 .tv_nsec = (long)(period_ns % 1000000000) },
		.it_value = { .tv_sec = (time_t)(first_ns / 1000000000), .tv_nsec = (long)(first_ns % 1000000000) },
	};

	return is_permitted_sig() ? sys_call(SYS_timer_settime, timer, 0, (long)&when, 0) : -EPERM;
}

static void timer_end(int timer)
{
	if (is_permitted_sig())
		sys_call(SYS_timer_delete, timer, 0, 0, 0);
}

/* The value of our interval timer. Its interval differs from those that programs use. */
static struct itimerval interval_timer(void)
{
	uint64_t us = cpi.period_ns / 1000 + INTERVAL_MARK_US;
	const struct timeval interval = { .tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000) };

	return (struct itimerval){ .it_interval = interval, .it_value = interval };
}

static void interval_run(bool on)
{
	const struct itimerval when = on ? interval_timer() : (struct itimerval){ 0 };

	sys_call(SYS_setitimer, ITIMER_PROF, (long)&when, 0, 0);
}

/* Is the interval timer of the process unused? */
static bool interval_is_free(void)
{
	struct itimerval now = { 0 };

	return sys_call(SYS_getitimer, ITIMER_PROF, (long)&now, 0, 0) == 0 && now.it_value.tv_sec == 0 &&
	       now.it_value.tv_usec == 0;
}

bool cpi_clock_interval_is_ours_sig(void)
{
	struct itimerval ours = interval_timer(), now = { 0 };

	return cpi.process_timer == INTERVAL_TIMER && sys_call(SYS_getitimer, ITIMER_PROF, (long)&now, 0, 0) == 0 &&
	       now.it_interval.tv_sec == ours.it_interval.tv_sec && now.it_interval.tv_usec == ours.it_interval.tv_usec;
}

void cpi_clock_exec_sig(bool begins)
{
	/* the timer of a child of vfork is not ours */
	if (!cpi.head || cpi.process_timer != INTERVAL_TIMER || !(atomic_load(&cpi.engine) & ENGINE_PROCESS) ||
	    cpi.pid != sys_getpid())
		return;
	if (begins ? cpi_clock_interval_is_ours_sig() : interval_is_free())
		interval_run(!begins);
}

/* Timer period of threads that have perf events. */
static uint64_t slow_period(const struct thread *t)
{
	return t->period_ns > SLOW_NS ? t->period_ns : SLOW_NS;
}

/*
 * Random time in (0, period]. If it were fixed, threads that run for less than a period would always or never be
 * sampled.
 */
static uint64_t first_expiry(uint32_t tid, uint64_t period_ns)
{
	uint64_t seed = sys_now(CLOCK_MONOTONIC) + tid * 0x9e3779b97f4a7c15ULL;

	return cpi_heap_random(&seed) % period_ns + 1;
}

void cpi_clock_init(void)
{
	long rc = timer_make(CLOCK_PROCESS_CPUTIME_ID, SIGEV_SIGNAL, 0);

	cpi.process_timer = rc < 0 ? NO_TIMER : (int)rc;
	if (rc < 0)
		cpi_process_set_engine_sig(0, (uint32_t)-rc);
	if (rc == -EAGAIN && cpi.sig == SIGPROF && interval_is_free())
		cpi.process_timer = INTERVAL_TIMER;
}

void cpi_clock_release_sig(void)
{
	bool is_interval = cpi_clock_interval_is_ours_sig();
	int timer = atomic_exchange(&cpi.process_timer, NO_TIMER);

	if (is_interval)
		interval_run(false);
	else if (timer >= 0)
		timer_end(timer);
}

/* Start the timer of the process, unless it runs. Returns false if it does not run. */
static bool run_process_timer_sig(void)
{
	if (cpi.process_timer == NO_TIMER)
		return false;
	if (atomic_load(&cpi.engine) & ENGINE_PROCESS)
		return true;
	if (cpi.process_timer != INTERVAL_TIMER)
		return timer_run(cpi.process_timer, cpi.period_ns, cpi.period_ns) == 0;
	interval_run(true);
	return true;
}

/*
 * Let the thread share the timer of the process, and start that timer for the first such thread. The signal of that
 * timer goes to any thread that accepts signals, even one that waits. So a thread that ended before it got its own
 * timer must not start it.
 */
static void share_process_timer(struct thread *t, long why)
{
	uint32_t tid = atomic_load_explicit(&t->tid, memory_order_relaxed);

	atomic_store(&t->timer, NO_TIMER);
	if (why && is_permitted_sig() && sys_call(SYS_tgkill, cpi.pid, tid, 0, 0) == -ESRCH)
		return;
	cpi_process_set_engine_sig(run_process_timer_sig() ? ENGINE_PROCESS : ENGINE_NONE, (uint32_t)-why);
}

void cpi_clock_enter_sandbox(void)
{
	if (cpi.head && cpi_recording_is_on_sig() && run_process_timer_sig())
		cpi_process_set_engine_sig(ENGINE_PROCESS, 0);
}

static void clock_start(struct thread *t, uint32_t tid)
{
	uint32_t request = atomic_load_explicit(&cpi.head->engine, memory_order_relaxed);
	uint64_t first = first_expiry(tid, t->period_ns);
	long timer, rc;
	bool event;

	t->n_charged = 0;
	t->first_ns = sys_now(thread_clock(tid)) + first;
	t->by_clock = false;
	if (request == REQUEST_ITIMER) {
		share_process_timer(t, 0);
		return;
	}
	event = request == REQUEST_PERF && is_permitted_sig() && cpi_perf_open_sig(t, tid);
	timer = timer_make(thread_clock(tid), SIGEV_THREAD_ID, tid);
	if (timer < 0 && event) {
		atomic_store(&t->timer, NO_TIMER);
		return;
	}
	if (timer < 0) {
		share_process_timer(t, timer);
		return;
	}
	atomic_store(&t->timer, (int)timer);
	rc = timer_run((int)timer, first, event ? slow_period(t) : t->period_ns);
	if (rc < 0) {
		cpi_clock_disarm_sig(t);
		share_process_timer(t, rc);
		return;
	}
	cpi_process_set_engine_sig(event ? 0 : ENGINE_THREADS, 0);
}

void cpi_clock_arm_sig(struct thread *t, uint32_t tid)
{
	uint32_t recording = cpi.recording;

	cpi_clock_disarm_sig(t); /* left over from an earlier recording */
	atomic_store(&t->recording, 0);
	t->period_ns = cpi.period_ns;
	clock_start(t, tid);
	atomic_store(&t->recording, recording);
}

void cpi_clock_restore_rate_sig(const struct thread *t)
{
	int timer = atomic_load(&t->timer);

	if (timer != NO_TIMER && timer_run(timer, t->period_ns, t->period_ns) == 0)
		cpi_process_set_engine_sig(ENGINE_THREADS, 0);
}

void cpi_clock_disarm_sig(struct thread *t)
{
	int timer = atomic_exchange(&t->timer, NO_TIMER);

	cpi_perf_close_sig(t);

	if (timer != NO_TIMER)
		timer_end(timer);
}

uint32_t cpi_clock_owed_sig(const struct thread *t)
{
	uint32_t tid = atomic_load_explicit(&t->tid, memory_order_relaxed);
	uint64_t now = sys_now(thread_clock(tid));
	uint64_t n = now >= t->first_ns ? (now - t->first_ns) / t->period_ns + 1 : 0;

	n = n > t->n_charged ? n - t->n_charged : 0;
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}
