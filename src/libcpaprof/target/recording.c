/*
 * recording.c - start and stop sampling of CPU time, for the collector or for this process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With a parent collector, no thread in the process is ours. The segment contains the number of the current recording.
 * A change is noticed by a thread that begins, by a tick of an earlier recording, or by a running thread that the
 * collector signalled. The first of them brings the process to the new state. It creates the timers of all threads of
 * the process, which is possible because a timer may use the clock of another thread. So no other thread is woken and
 * no call is interrupted. After the recording, the first tick deletes all timers and charges each thread for the
 * periods that are over but whose signal has not arrived.
 *
 * The state here is guarded by the lock of the thread table. Handlers only try to take it; if they fail, the next
 * signal tries again.
 *
 * A program that is its own collector starts and stops sampling with cpi_cpu_start and cpi_cpu_stop. A recording starts
 * with all existing threads; threads that begin later join by themselves. At its end the timers are deleted first. Then
 * cpi_cpu_stop waits for running handlers, so that all samples are in the rings, and charges each thread for the
 * periods that are over but whose signal has not arrived.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

enum { WAIT_MAX_NS = 1000000000, NAP_NS = 50000 };
/* ARM_ONCE: maximum threads that one handler arms, which takes about 4 ms */
enum { ARM_ONCE = 1024, HZ_DEFAULT = 100, HZ_MAX = 1000 };

static uint64_t arm_position; /* position in /proc/self/task to continue arming from */
static bool has_busy_thread;  /* could a thread not be armed because its handler was running? */

/* Number of the current recording; 0: none. */
__attribute__((hot)) static uint32_t requested_sig(void)
{
	return cpi_cpu_is_on_sig() ? atomic_load(&cpi.head->recording) : 0;
}

static void set_armed_sig(uint32_t recording)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_store(&cpi.armed, recording);
	if (p)
		atomic_store(&p->armed, recording);
}

static void start_sig(uint32_t recording)
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
	arm_position = 0;
	cpi_clock_init();
}

static void arm_sig(uint32_t tid)
{
	has_busy_thread |= !cpi_thread_arm_sig(tid);
}

/* Delete timers of an earlier recording, and drop threads that ended unnoticed. */
static void discard_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	cpi_thread_drop_sig(t);
}

static void begin_sig(uint32_t recording)
{
	if (cpi.recording != recording) {
		cpi_threads_each_locked_sig(discard_sig);
		cpi_clock_release_sig();
		start_sig(recording);
	}
	if (!atomic_load(&cpi.proc))
		cpi_process_claim_sig();
	if (arm_position == 0)
		has_busy_thread = false;
	if (!cpi_threads_each_tid_sig(&arm_position, ARM_ONCE, arm_sig))
		cpi_thread_arm_sig(sys_gettid());
	if (arm_position == 0 && !has_busy_thread)
		set_armed_sig(recording);
}

/* A thread whose handler is running is not charged. */
static void settle_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	if (!cpi_thread_try_lock_sig(t))
		return;
	if (!t->ignored && t->recording && t->recording == cpi.recording) {
		cpi_sample_charge_rest(t, false);
		cpi_ring_retire(t);
	}
	atomic_store(&t->recording, 0);
	cpi_thread_unlock_sig(t);
}

static void end_sig(void)
{
	cpi_threads_each_locked_sig(settle_sig);
	cpi_clock_release_sig();
	set_armed_sig(0);
}

void cpi_recording_sync_locked_sig(void)
{
	uint32_t requested = requested_sig();

	if (cpi.is_self || requested == atomic_load(&cpi.armed))
		return;
	if (requested == 0)
		end_sig();
	else if (!atomic_load(&cpi.is_sandboxed)) /* a sandbox may forbid opening files */
		begin_sig(requested);
}

void cpi_recording_sync_sig(void)
{
	if (cpi.is_self || requested_sig() == atomic_load(&cpi.armed) || !cpi_threads_try_lock_sig())
		return;
	cpi_recording_sync_locked_sig();
	cpi_threads_unlock_sig();
}

bool cpi_recording_fork(void)
{
	uint32_t requested = requested_sig();

	if (!requested)
		return false;
	start_sig(requested);
	set_armed_sig(requested);
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
	cpi_thread_start_sampling();
	/* scan twice, because threads may start in one part of the list while we read another */
	cpi_threads_scan();
	cpi_threads_scan();
}

void cpi_cpu_stop(void)
{
	atomic_store(&cpi.head->cpu, 0);
	cpi_threads_each(cpi_clock_disarm_sig);
	cpi_clock_release_sig();
	cpi_threads_finish(sys_now(CLOCK_MONOTONIC) + WAIT_MAX_NS);
}

/* A handler that started before the timers were deleted either sees that sampling is off, or this waits for it. */
bool cpi_thread_wait_idle(const struct thread *t, uint64_t until_ns)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	while (atomic_load(&t->held)) {
		if (sys_now(CLOCK_MONOTONIC) >= until_ns)
			return false;
		sys_call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap, 0);
	}
	return true;
}
