/*
 * sample_stack.h - the stack of a waiting thread, its labels, and the holder of the mutex it waits for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread is not stopped and gets no signal.
 */
#ifndef LIBCPAPROF_COLLECTOR_SAMPLE_STACK_H
#define LIBCPAPROF_COLLECTOR_SAMPLE_STACK_H

#include "libcpaprof/collector/read/read_stack.h"
#include "libcpaprof/collector/read/task.h"

/* The process whose threads are sampled; reader->space contains its mappings. */
struct sample_stack {
	struct process *p;
	struct stack_reader *reader;
	int folder; /* /proc/PID/task */
};

/*
 * Read the stack of a waiting thread. It is consistent, because the registers are equal before and after the read.
 *
 * t       from task_read; out: system call and registers
 * pc      [FRAMES_MAX] leaf first
 * n       out: 0 if not known; unchanged if the thread does not wait
 * Returns the state; TASK_RUNNING also for a thread that ran in between
 */
enum task_status sample_stack_read(const struct sample_stack *g, struct task *t, uint64_t *pc, uint32_t *n);

/* The label set of a thread, found through a table of our library in its process. 0: none. */
uint32_t sample_stack_label(const struct sample_stack *g, uint32_t tid);

/*
 * The thread that holds the mutex that a thread waits for; 0: not a mutex of the C library, or it has no holder. The
 * futex word of a contended pthread_mutex_t is 2, and it is the first field of the mutex.
 *
 * t       from sample_stack_read, which returned TASK_WAITING
 */
uint32_t sample_stack_holder(const struct sample_stack *g, const struct task *t);

#endif
