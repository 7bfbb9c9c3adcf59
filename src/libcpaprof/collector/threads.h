/*
 * threads.h - a dump of the threads of a process and their stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The stacks of waiting threads are read from memory (libcpaprof/collector/read/read_stack.h). The stack of a running thread
 * comes with its next sample: one of our library, or of the caller's perf events. If there is none and the thread keeps
 * running, it is requested with our signal, if the process has our library.
 */
#ifndef LIBCPAPROF_COLLECTOR_THREADS_H
#define LIBCPAPROF_COLLECTOR_THREADS_H

#include "libcpaprof/collector/snap.h"

enum { THREADS_WAIT_MS = 200 }; /* max time to wait for all running threads together */

struct dump;         /* a dump in progress */
struct stack_reader; /* see libcpaprof/collector/read/read_stack.h */
struct stack_sample;
struct threads; /* state between dumps */

/*
 * Fill in a snap of kind SNAP_THREADS, with one row per thread.
 *
 * A thread whose stack is not available has PSEUDO_RUNNING or PSEUDO_NO_ANSWER instead.
 *
 * Returns 0 or -errno: -ESRCH if the process has ended, -EPERM or -EACCES if permission is denied, -ENOSYS if the
 *         kernel does not report the registers of threads, -ENOMEM
 */
int threads_take(struct snap *s);

/* Count the threads of a process without reading them; a thread of our own is not counted. -1: not known. */
int64_t threads_count(const struct process *p);

/* Add the stack of a thread from a record of a ring. For rings.c. */
void threads_add_answer(struct dump *d, uint32_t tid, uint32_t label, const uint64_t *pc, uint32_t n);

/* Call threads_add_sample for each sample that a process has from outside. */
typedef void threads_sample_fn(void *arg, struct process *p);
/* Let dumps of this process call fn while they wait for running threads. NULL: do not. */
void threads_sample_with(struct process *p, threads_sample_fn *fn, void *arg);
void threads_add_sample(struct process *p, uint32_t tid, const struct stack_sample *s);

/* The stack reader of a process, created on first use; NULL: out of memory. */
struct stack_reader *threads_reader(struct process *p);

/* Takes NULL. */
void threads_release(struct threads *t);

#endif
