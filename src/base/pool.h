/*
 * pool.h - the same work on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

typedef void (*pool_fn)(void *arg, unsigned part);

/*
 * Call fn(arg, 0) ... fn(arg, n - 1), side by side where threads can be had, and wait for all.
 * Part 0 runs on the calling thread. A thread that cannot be started has its part run here.
 */
void pool_run(pool_fn fn, void *arg, unsigned n);

/* How many threads work is worth splitting over: processors this process may use, at most 8. */
unsigned pool_size(void);

/* Let pool_size answer n (at least 1); 0 goes back to counting processors. Before any work. */
void pool_set_size(unsigned n);

#endif
