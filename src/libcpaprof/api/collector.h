/*
 * collector.h - the collector in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing exists until the first profile is requested. Then the segment is created, in memory that fork copies. While
 * CPU time is sampled, a thread empties the rings. The functions below, except collector_lock and
 * collector_ensure_segment, need the collector lock.
 */
#ifndef LIBCPAPROF_API_COLLECTOR_H
#define LIBCPAPROF_API_COLLECTOR_H

#include "libcpaprof/collector/collect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { COLLECTOR_WAIT_MS = 1000 };

/*
 * Lock the collector: only one thread at a time may use it. In the child of fork this also makes the collector the
 * child's own. wait_ms 0: no limit. Returns false on timeout, or if this thread holds the lock already.
 */
bool collector_lock(uint32_t wait_ms);
void collector_unlock(void);

/* Create the segment, if there is none, and profile this process through it. Returns 0 or -errno. */
int collector_open(void);

/*
 * Create the segment, unless there is one, of cpa run or of this process. Takes the collector lock. Returns 0 or
 * -errno.
 */
int collector_ensure_segment(void);

/* The current data of this process; NULL if it has no segment of its own. */
struct process *collector_process(void);

/* Does the segment belong to a parent (cpa run), which receives all profiles? */
bool collector_is_parent(void);

/*
 * Start and stop sampling of CPU time, after collector_open. collector_cpu_end returns the process, with all samples
 * in its table. engine: enum engine_request. collector_cpu_begin returns 0, or -errno if it cannot create a thread.
 */
int collector_cpu_begin(uint32_t hz, uint32_t max_depth, uint32_t engine);
struct process *collector_cpu_end(void);

/* Set callbacks for the child of fork. forget is called with the collector lock held, then resume without it. */
void collector_on_fork(void (*forget)(void), void (*resume)(void));

/* Create an internal thread, which handles no signals and is not sampled. Returns 0 or -errno. */
int collector_thread(pthread_t *thread, void *(*fn)(void *));
/* Have all threads of the program ended? Then ours must end too, because the program ends with its last thread. */
bool collector_others_ended(void);

/* Has anything been counted for any stack? Call it after taking a snap. */
bool collector_has_stacks(void);

#endif
