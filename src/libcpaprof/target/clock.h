/*
 * clock.h - timers and events of the kernel that send a thread its signals
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_CLOCK_H
#define LIBCPAPROF_TARGET_CLOCK_H

#include "libcpaprof/target/threads.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { NO_TIMER = -1 };

/* clock.c */
/* Start the timer of a thread; without one the process timer counts for it. Any thread may. */
void cpi_clock_arm_sig(struct thread *t, uint32_t tid);
void cpi_clock_disarm_sig(struct thread *t);
/* Make the timer of the process, at rest; it runs when a thread needs it. */
void cpi_clock_init(void);
/* It goes with the recording that it was made for. */
void cpi_clock_release_sig(void);
/* How many periods a thread of this process has used, less those that are charged. */
uint32_t cpi_clock_owed_sig(const struct thread *t);

/* Its event is gone: its timer runs at the full rate. */
void cpi_clock_rerun_sig(const struct thread *t);

/* perf.c */
/* Start an event for a thread. False when there is none to be had, and why is told. */
bool cpi_perf_open_sig(struct thread *t, uint32_t tid);
void cpi_perf_close_sig(struct thread *t);
/* Called at each signal of its timer: did the program close its event? */
bool cpi_perf_is_gone_sig(struct thread *t);
/* Is a signal of an event? Also of one that is closed by now. */
bool cpi_perf_is_signal_sig(const siginfo_t *info);

#endif
