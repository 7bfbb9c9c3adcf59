/*
 * threads.h - the threads of a process, and where each of them is
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads that wait are peeked at (libcpaprof/collector/read_stack.h). One that runs has its stack in its next sample; when
 * none comes and it goes on running, it is asked for it with our signal, if the process has our library.
 */
#ifndef LIBCPAPROF_COLLECTOR_THREADS_H
#define LIBCPAPROF_COLLECTOR_THREADS_H

#include "libcpaprof/collector/snap.h"

enum { THREADS_WAIT_MS = 200 }; /* for all threads that run together */

struct dump;         /* one that is being made */
struct stack_reader; /* of libcpaprof/collector/read_stack.h */
struct threads;      /* what is kept from one to the next */

/*
 * Fill a snap of kind SNAP_THREADS: a row for each thread.
 *
 * A thread that has no stack to show has the place PLACE_RUNNING or PLACE_NO_ANSWER instead.
 *
 * Gives   0, or -errno: -ESRCH when the process is gone, -EPERM or -EACCES when it may not be looked
 *         into, -ENOSYS when the kernel does not tell where threads are, -ENOMEM
 */
int threads_take(struct snap *s);

/* How many threads a process has, without looking at them; but for the caller's, when it is its own. -1: not known. */
int64_t threads_count(const struct process *p);

/* A record of a ring came: where a thread is now. For collect/rings.c. */
void threads_answer(struct dump *d, uint32_t tid, uint32_t label, const uint64_t *pc, uint32_t n);

/* What is kept to peek at threads, made if need be; NULL: no memory. */
struct stack_reader *threads_peek(struct process *p);

/* Takes NULL. */
void threads_release(struct threads *t);

#endif
