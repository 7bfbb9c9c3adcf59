/*
 * collector.h - the collector in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is nothing until something asks for a profile: then the segment, in memory that fork copies, and
 * while CPU time is sampled a thread that empties the rings. Who calls anything here but collector_take
 * holds it.
 */
#ifndef LIBCPAPROF_API_COLLECTOR_H
#define LIBCPAPROF_API_COLLECTOR_H

#include "libcpaprof/collector/collect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { COLLECTOR_WAIT_MS = 1000 };

/*
 * Only one thread at a time deals with the collector. In the child of fork this also makes it that of
 * the child. wait_ms 0: as long as it takes. False when that time is over, or this thread has it already.
 */
bool collector_take(uint32_t wait_ms);
void collector_leave(void);

/* Make the segment, if there is none, and profile this process by it. Gives 0, or -errno. */
int collector_open(void);

/* Make the segment, unless there is one, of cpa run or of this process. Takes the collector. Gives 0 or -errno. */
int collector_ensure_segment(void);

/* This process, as of now; NULL when there is no segment of its own. */
struct process *collector_process(void);

/* Is there a segment of a parent (cpa run), to whom all profiles go? */
bool collector_is_parent(void);

/*
 * Sample CPU time, after collector_open; and no more. collector_cpu_end gives the process, whose samples all
 * are in its table. engine: enum engine_asked. begin gives 0, or -errno when there can be no thread.
 */
int collector_cpu_begin(uint32_t hz, uint32_t max_depth, uint32_t engine);
struct process *collector_cpu_end(void);

/* In the child of fork: forget is called with the collector taken, then again without it. */
void collector_on_fork(void (*forget)(void), void (*again)(void));

/* A thread of ours: it takes no signal and no sample. Gives 0, or -errno. */
int collector_thread(pthread_t *thread, void *(*fn)(void *));
/* Have all threads but ours ended? Then ours are to end, for the program does when the last one has. */
bool collector_is_last(void);

/* Was anything counted for any stack? After a snap was taken. */
bool collector_has_stacks(void);

#endif
