/*
 * sample_stack.h - where a thread that waits is, what for, and for whom
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is sent to the thread and nothing stops it.
 */
#ifndef LIBCPAPROF_COLLECTOR_SAMPLE_STACK_H
#define LIBCPAPROF_COLLECTOR_SAMPLE_STACK_H

#include "libcpaprof/collector/read_stack.h"
#include "libcpaprof/collector/task.h"

/* Whose threads: of space_look at its peek.space. */
struct sample_stack {
	const struct process *p;
	struct stack_reader *peek;
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
enum task_is sample_stack_take(const struct sample_stack *g, struct task *t, uint64_t *pc, uint32_t *n);

/* The labels that a thread works for: a table of our library leads to them. 0: none. */
uint32_t sample_stack_label(const struct sample_stack *g, uint32_t tid);

/*
 * Who holds the mutex that a thread waits for; 0: it is none of the C library's, or nobody has it. One that others wait
 * for is 2, and where its futex is there begins what the library keeps of it.
 *
 * t       as of sample_stack_take, which gave TASK_WAITING
 */
uint32_t sample_stack_holder(const struct sample_stack *g, const struct task *t);

#endif
