/*
 * glance.h - where a thread that waits is, what for, and for whom
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is sent to the thread and nothing stops it.
 */
#ifndef LIBCPAPROF_COLLECTOR_GLANCE_H
#define LIBCPAPROF_COLLECTOR_GLANCE_H

#include "libcpaprof/collector/peek.h"
#include "libcpaprof/collector/task.h"

/* Whose threads: of space_look at its peek.space. */
struct glance {
	const struct process *p;
	struct peek *peek;
	int folder; /* /proc/PID/task */
};

/*
 * The stack of a thread that waits: it was at the same place before and after.
 *
 * t       of task_read; out: where it waits
 * pc      [FRAMES_MAX] leaf first
 * n       out: 0 when it is not known; untouched when it does not wait
 * Gives   TASK_RUNNING also for one that does not stay where it is
 */
enum task_is glance_stack(const struct glance *g, struct task *t, uint64_t *pc, uint32_t *n);

/* The labels that a thread works for: a table of our library leads to them. 0: none. */
uint32_t glance_label(const struct glance *g, uint32_t tid);

/*
 * Who holds the mutex that a thread waits for; 0: it is none of the C library's, or nobody has it. One that others wait
 * for is 2, and where its futex is there begins what the library keeps of it.
 *
 * t       as of glance_stack, which gave TASK_WAITING
 */
uint32_t glance_holder(const struct glance *g, const struct task *t);

#endif
