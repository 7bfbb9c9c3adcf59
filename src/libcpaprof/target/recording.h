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

/* And are this process's times those of the recording that is on? */
static inline bool cpi_recording_on_sig(void)
{
	return cpi_cpu_on_sig() &&
	       (cpi.self ||
		atomic_load(&cpi.recording) == atomic_load_explicit(&cpi.head->recording, memory_order_relaxed));
}

/*
 * Of a process that others profile: is it as they ask? Else all threads are armed, or all timers go and what threads
 * owe is charged. To be called in each signal of ours; does nothing while another thread is at it.
 */
void cpi_recording_sync_sig(void);
/* The same for one who holds what cpi_threads_try_sig takes. */
void cpi_recording_sync_locked_sig(void);
/* In the child of fork, which has one thread: none of the timers are there. True when CPU time is sampled. */
bool cpi_recording_fork(void);

/* Sample CPU time in all threads, from now on. hz: 1 to 1000. One thread at a time calls this and the next. */
void cpi_cpu_start(uint32_t hz);
/* No more. When it gives back all samples are in the rings (handlers have a second for that). */
void cpi_cpu_stop(void);
/* Wait until the handler of a thread is not at work, up to a time of the monotonic clock. False when it still is. */
bool cpi_thread_quiet(const struct thread *t, uint64_t until_ns);

#endif
