/*
 * clock.h - kernel timers and perf events that signal a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_CLOCK_H
#define LIBCPAPROF_TARGET_CLOCK_H

#include "libcpaprof/target/threads.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { NO_TIMER = -1, INTERVAL_TIMER = -2 }; /* instead of the id of a timer */

/* clock.c */
/* Start the timer of a thread. If it cannot get one, it shares the process timer. Any thread may call this. */
void cpi_clock_arm_sig(struct thread *t, uint32_t tid);
void cpi_clock_disarm_sig(struct thread *t);
/*
 * Create the process timer, stopped. It starts when the first thread needs it. It is INTERVAL_TIMER if no more timers
 * are available (RLIMIT_SIGPENDING).
 */
void cpi_clock_init(void);
/* Delete the process timer, at the end of the recording for which it was created. */
void cpi_clock_release_sig(void);
/* Is the process timer an interval timer that runs and that the program has not replaced? */
bool cpi_clock_interval_is_ours_sig(void);
/* Call before this process sets a seccomp filter: run the process timer for the threads that are created afterwards. */
void cpi_clock_enter_sandbox(void);
/* Stop an interval timer of ours before exec, which it would survive; restart it if exec has failed (begins false). */
void cpi_clock_exec_sig(bool begins);
/* Number of periods that a thread of this process has used and not yet been charged for. */
uint32_t cpi_clock_owed_sig(const struct thread *t);

/* Run the timer of a thread at the full rate, because its perf event is gone. */
void cpi_clock_restore_rate_sig(const struct thread *t);

/* perf.c */
/* Start a perf event for a thread. Returns false if that fails, and stores the errno in the slot of the process. */
bool cpi_perf_open_sig(struct thread *t, uint32_t tid);
void cpi_perf_close_sig(struct thread *t);
/*
 * The number of periods, up to n, that this thread spent in the kernel and that its perf event did not count; 0 if the
 * event counts kernel code. They are not returned again.
 */
uint32_t cpi_perf_kernel_sig(struct thread *t, uint32_t n);
/*
 * Replace the perf event of this thread by its timer, before a sandbox may forbid closing it, and before exec: the event
 * may send a signal within exec, which would end the next program. Does nothing in a child of vfork.
 */
void cpi_perf_leave_sig(void);
/* Has the program closed the perf event of this thread? Call it at each signal of the thread's timer. */
bool cpi_perf_is_gone_sig(struct thread *t);
/* Was the signal sent by a perf event? True also for an event that has been closed since. */
bool cpi_perf_is_signal_sig(const siginfo_t *info);

#endif
