/*
 * recording.h - start and stop sampling CPU time in all threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_RECORDING_H
#define LIBCPAPROF_TARGET_RECORDING_H

#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Is CPU time sampled, and do this process's timers belong to the current recording? */
static inline bool cpi_recording_is_on_sig(void)
{
	return cpi_cpu_is_on_sig() &&
	       (cpi.is_self ||
		atomic_load(&cpi.recording) == atomic_load_explicit(&cpi.head->recording, memory_order_relaxed));
}

/*
 * For a process with a parent collector: bring the process to the state that the collector requests. Either all
 * threads get timers, or all timers are deleted and threads are charged for the periods they owe. Called at each of
 * our signals. Does nothing while another thread does this.
 */
void cpi_recording_sync_sig(void) __attribute__((hot));
/* The same for a caller that holds the lock of cpi_threads_try_lock_sig. */
void cpi_recording_sync_locked_sig(void);
/* Reset the state in the child of fork, which has one thread and no timers. Returns true if CPU time is sampled. */
bool cpi_recording_fork(void);

/* Start to sample CPU time in all threads. hz: 1 to 1000. Only one thread at a time may call this or cpi_cpu_stop. */
void cpi_cpu_start(uint32_t hz);
/* Stop. When this returns, all samples are in the rings, except those of handlers that took longer than a second. */
void cpi_cpu_stop(void);
/* Wait until the handler of a thread has finished, or until a time of CLOCK_MONOTONIC. Returns false on timeout. */
bool cpi_thread_wait_idle(const struct thread *t, uint64_t until_ns);

#endif
