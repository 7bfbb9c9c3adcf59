/*
 * recording.c - start and stop sampling CPU time, when the collector asks or this process does
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * When a parent collects, no thread in the process is ours. The segment says which recording is on. The first of these
 * that sees a change brings the process to that state: a thread that begins, a tick of an earlier recording, or a thread
 * at work that the collector sent our signal to. It arms all threads of the process from outside, as it may for timers on
 * clocks of other threads: no other thread is woken, so none has its calls interrupted. When the recording is over the
 * first tick takes all timers away, and charges each thread with the periods that were over and of which no signal came.
 *
 * What is changed here is guarded by what guards the table of threads, which handlers only try to take: the next signal
 * tries again.
 *
 * A program that collects for itself switches CPU time on and off with cpi_cpu_start and cpi_cpu_stop.
 * A recording begins with all threads that there are, and those that begin later join it by themselves.
 * When it ends timers go first; handlers that are at work are waited for, so that all samples are in
 * the rings; and each thread is charged with the periods that were over and of which no signal came.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/ring.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>

enum { WAIT_MAX_NS = 1000000000, NAP_NS = 50000 };
enum { ARM_ONCE = 1024, HZ_DEFAULT = 100, HZ_MAX = 1000 }; /* threads in one handler: some 4 ms */

static uint64_t arming_at; /* in /proc/self/task: how far arming came */
static bool busy;          /* a thread could not be armed, for its handler was at work */

/* The recording that is on; 0: none is. */
static uint32_t asked_sig(void)
{
	return cpi_cpu_on_sig() ? atomic_load(&cpi.head->recording) : 0;
}

static void armed_sig(uint32_t recording)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_store(&cpi.armed, recording);
	if (p)
		atomic_store(&p->armed, recording);
}

static void take_up_sig(uint32_t recording)
{
	uint32_t hz = atomic_load(&cpi.head->hz);
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi.period_ns = 1000000000 / (hz >= 1 && hz <= HZ_MAX ? hz : HZ_DEFAULT);
	atomic_store(&cpi.engine, 0);
	atomic_store(&cpi.error, 0);
	atomic_store(&cpi.perf_error, 0);
	if (p) {
		atomic_store(&p->engine, 0);
		atomic_store(&p->error, 0);
		atomic_store(&p->perf_error, 0);
	}
	cpi.recording = recording;
	arming_at = 0;
	cpi_clock_init();
}

static void arm_sig(uint32_t tid)
{
	busy |= !cpi_thread_arm_sig(tid);
}

/* Timers of an earlier recording go; who ended without telling is forgotten. */
static void clear_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	cpi_thread_drop_sig(t);
}

static void begin_sig(uint32_t recording)
{
	if (cpi.recording != recording) {
		cpi_threads_all_sig(clear_sig);
		cpi_clock_release_sig();
		take_up_sig(recording);
	}
	if (!atomic_load(&cpi.proc))
		cpi_process_claim_sig();
	if (arming_at == 0)
		busy = false;
	if (!cpi_threads_names_sig(&arming_at, ARM_ONCE, arm_sig))
		cpi_thread_arm_sig(sys_gettid());
	if (arming_at == 0 && !busy)
		armed_sig(recording);
}

/* One whose handler is at work keeps what it owes. */
static void settle_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	if (!cpi_thread_hold_sig(t))
		return;
	if (!t->ignored && t->recording && t->recording == cpi.recording) {
		cpi_sample_end(t);
		cpi_ring_retire(t);
	}
	atomic_store(&t->recording, 0);
	cpi_thread_let_sig(t);
}

static void end_sig(void)
{
	cpi_threads_all_sig(settle_sig);
	cpi_clock_release_sig();
	armed_sig(0);
}

void cpi_recording_sync_locked_sig(void)
{
	uint32_t asked = asked_sig();

	if (cpi.self || asked == atomic_load(&cpi.armed))
		return;
	if (asked == 0)
		end_sig();
	else if (!atomic_load(&cpi.sandboxed)) /* to open a file may be forbidden */
		begin_sig(asked);
}

void cpi_recording_sync_sig(void)
{
	if (cpi.self || asked_sig() == atomic_load(&cpi.armed) || !cpi_threads_try_sig())
		return;
	cpi_recording_sync_locked_sig();
	cpi_threads_leave_sig();
}

bool cpi_recording_fork(void)
{
	uint32_t asked = asked_sig();

	if (!asked)
		return false;
	take_up_sig(asked);
	armed_sig(asked);
	return true;
}

void cpi_cpu_start(uint32_t hz)
{
	struct segment_head *head = cpi.head;
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi_threads_sweep();
	head->hz = hz;
	cpi.period_ns = 1000000000 / hz;
	cpi.recording++;
	atomic_store(&cpi.engine, 0);
	atomic_store(&cpi.error, 0);
	if (p) {
		atomic_store(&p->engine, 0);
		atomic_store(&p->error, 0);
	}
	cpi_clock_init();
	atomic_store(&head->cpu, 1);
	cpi_thread_join();
	/* twice: threads may begin in the one while we look at the other */
	cpi_threads_scan();
	cpi_threads_scan();
}

void cpi_cpu_stop(void)
{
	atomic_store(&cpi.head->cpu, 0);
	cpi_threads_each(cpi_clock_disarm_sig);
	cpi_clock_release_sig();
	cpi_threads_quiet(sys_now(CLOCK_MONOTONIC) + WAIT_MAX_NS);
}

/* Handlers that a signal brought there before the timers went see that sampling is off, or are waited for. */
bool cpi_thread_quiet(const struct thread *t, uint64_t until_ns)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	while (atomic_load(&t->inside)) {
		if (sys_now(CLOCK_MONOTONIC) >= until_ns)
			return false;
		sys_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap, 0);
	}
	return true;
}
