/*
 * session.c - CPU time is sampled when the collector asks, in a process where no thread is ours
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The segment says which session is on. Whoever gets there first brings the process to that state: a thread that
 * begins, a tick of an earlier session, or a thread at work that the collector sent our signal to. It arms all threads
 * of the process from outside, as it may for timers on clocks of other threads: no other thread is woken, so none has
 * its calls interrupted. When the session is over the first tick takes all timers away, and charges each thread with the
 * periods that were over and of which no signal came.
 *
 * What is changed here is guarded by what guards the table of threads, which handlers only try to take: the next signal
 * tries again.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/ring.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sampling.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

enum { ARM_ONCE = 1024, HZ_USUAL = 100, HZ_MOST = 1000 }; /* threads in one handler: some 4 ms */

static uint64_t arming_at; /* in /proc/self/task: how far arming came */
static bool busy;          /* a thread could not be armed, for its handler was at work */

/* The session that is on; 0: none is. */
static uint32_t asked_sig(void)
{
	return cpi_cpu_on_sig() ? atomic_load(&cpi.head->session) : 0;
}

static void armed_sig(uint32_t session)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_store(&cpi.armed, session);
	if (p)
		atomic_store(&p->armed, session);
}

static void take_up_sig(uint32_t session)
{
	uint32_t hz = atomic_load(&cpi.head->hz);
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi.period_ns = 1000000000 / (hz >= 1 && hz <= HZ_MOST ? hz : HZ_USUAL);
	atomic_store(&cpi.engine, 0);
	atomic_store(&cpi.error, 0);
	atomic_store(&cpi.perf_error, 0);
	if (p) {
		atomic_store(&p->engine, 0);
		atomic_store(&p->error, 0);
		atomic_store(&p->perf_error, 0);
	}
	cpi.session = session;
	arming_at = 0;
	cpi_clock_init();
}

static void arm_sig(uint32_t tid)
{
	busy |= !cpi_thread_arm_sig(tid);
}

/* Timers of an earlier session go; who ended without telling is forgotten. */
static void clear_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	cpi_thread_drop_sig(t);
}

static void begin_sig(uint32_t session)
{
	if (cpi.session != session) {
		cpi_threads_all_sig(clear_sig);
		cpi_clock_release_sig();
		take_up_sig(session);
	}
	if (!atomic_load(&cpi.proc))
		cpi_process_claim_sig();
	if (arming_at == 0)
		busy = false;
	if (!cpi_threads_names_sig(&arming_at, ARM_ONCE, arm_sig))
		cpi_thread_arm_sig(sys_gettid());
	if (arming_at == 0 && !busy)
		armed_sig(session);
}

/* One whose handler is at work keeps what it owes. */
static void settle_sig(struct thread *t)
{
	cpi_clock_disarm_sig(t);
	if (!cpi_thread_hold_sig(t))
		return;
	if (!t->ignored && t->session && t->session == cpi.session) {
		cpi_sample_end(t);
		cpi_ring_retire(t);
	}
	atomic_store(&t->session, 0);
	cpi_thread_let_sig(t);
}

static void end_sig(void)
{
	cpi_threads_all_sig(settle_sig);
	cpi_clock_release_sig();
	armed_sig(0);
}

void cpi_session_follow_sig(void)
{
	uint32_t asked = asked_sig();

	if (cpi.self || asked == atomic_load(&cpi.armed))
		return;
	if (asked == 0)
		end_sig();
	else if (!atomic_load(&cpi.sandboxed)) /* to open a file may be forbidden */
		begin_sig(asked);
}

void cpi_session_look_sig(void)
{
	if (cpi.self || asked_sig() == atomic_load(&cpi.armed) || !cpi_threads_try_sig())
		return;
	cpi_session_follow_sig();
	cpi_threads_leave_sig();
}

bool cpi_session_fork(void)
{
	uint32_t asked = asked_sig();

	if (!asked)
		return false;
	take_up_sig(asked);
	armed_sig(asked);
	return true;
}
