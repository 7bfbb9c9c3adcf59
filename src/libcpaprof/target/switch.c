/*
 * switch.c - CPU time is sampled, or is not, while the program runs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session begins with all threads that there are, and those that begin later join it by themselves.
 * When it ends timers go first; handlers that are at work are waited for, so that all samples are in
 * the rings; and each thread is charged with the periods that were over and of which no signal came.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/sampling.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <errno.h>

enum { WAIT_MOST_NS = 1000000000, NAP_NS = 50000 };

void cpi_cpu_start(uint32_t hz)
{
	struct segment_head *head = cpi.head;
	struct segment_proc *p = atomic_load(&cpi.proc);

	cpi_threads_sweep();
	head->hz = hz;
	cpi.period_ns = 1000000000 / hz;
	cpi.session++;
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
	cpi_threads_quiet(sys_now(CLOCK_MONOTONIC) + WAIT_MOST_NS);
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
