/*
 * pool.h - run parts of a task on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

typedef void (*pool_fn)(void *arg, unsigned part);

/*
 * Call fn(arg, 0) ... fn(arg, n - 1) in parallel and wait for all. Part 0 runs on the calling thread,
 * as does any part whose thread cannot be created.
 */
void pool_run(pool_fn fn, void *arg, unsigned n);

/* Number of threads to use: the CPUs that this process may run on, at most 8, and at most the limit of this thread. */
unsigned pool_size(void);

/*
 * Limit the result of pool_size for this thread, and for the parts that it runs, to n; 0 for no limit. A server that
 * answers several requests divides the CPUs this way.
 */
void pool_limit(unsigned n);

/* Set the result of pool_size to n; 0 restores the number of CPUs. Call it before any work starts. */
void pool_set_size(unsigned n);

#endif
