/*
 * threads.h - the threads that are profiled
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_THREADS_H
#define LIBCPAPROF_TARGET_THREADS_H

#include "libcpaprof/target/segment.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A thread that is profiled. tid is claimed by compare-and-swap. Everything else is written by the thread itself, or
 * by the thread that armed it before its timer runs.
 */
struct thread {
	_Atomic uint32_t tid;  /* 0: free */
	_Atomic int timer;     /* kernel timer, or NO_TIMER: it shares the process timer */
	_Atomic uint32_t held; /* lock; only ever tried, by the thread's handler and by threads that arm or settle it */
	_Atomic uint32_t recording; /* CPU recording that samples this thread; 0: none. Set after all fields below */
	uint64_t period_ns;         /* sampling period of that recording */
	bool ignored;               /* this thread is never sampled */
	uintptr_t lo, top;          /* the stack of the thread is in [lo, top); 0: unknown */
	uintptr_t used_lo;          /* lowest address of the stack known to be in use */
	struct segment_ring *ring;  /* NULL until the first sample */
	uint64_t *words;            /* [RING_WORDS] the words of that ring */
	struct walk_memory *memory; /* cache of the walker, or NULL */
	uint64_t start;             /* function it started with, or 0 */
	uint64_t first_ns;          /* end of the first period, on its CPU clock */
	uint64_t n_charged;         /* periods charged by samples so far */
	_Atomic int perf;           /* file descriptor of its perf event + 1; 0: none */
	uint32_t n_checks;          /* number of checks of the perf event */
	uint64_t perf_id;           /* kernel id of the perf event */
	bool is_user_only;          /* its perf event does not count kernel code */
	uint64_t kernel_ns;         /* its time in the kernel that is charged */
	bool by_clock;              /* weigh signals by its CPU clock, not by their overrun */
};

/*
 * Add a thread, if it is not in the table yet. Its stack is in [lo, top), both 0 if unknown. is_stale: the thread of
 * an existing entry ended unnoticed. Returns NULL if the table is full; in handlers also if another thread holds the
 * lock.
 */
struct thread *cpi_thread_add(uint32_t tid, uintptr_t lo, uintptr_t top, bool is_stale);
struct thread *cpi_thread_add_sig(uint32_t tid);
struct thread *cpi_thread_find_sig(uint32_t tid);
/* Register this thread when it begins. Its stack is in [lo, top). start: the function it started with, or 0. */
void cpi_thread_begin(uintptr_t lo, uintptr_t top, uintptr_t start);
/* Sample this thread too, now that CPU time is sampled. */
void cpi_thread_start_sampling(void);
/* Add this thread in case its start was missed. */
void cpi_thread_add_missed(void);
/* Exclude this thread from sampling, or include it again. */
void cpi_thread_ignore(bool on);
/* Add the threads that are running already. */
void cpi_threads_scan(void);
/* Try to lock the table. Returns false if another thread holds the lock. */
bool cpi_threads_try_lock_sig(void);
void cpi_threads_unlock_sig(void);
/* Call fn for each entry. The caller holds the lock of the table. */
void cpi_threads_each_locked_sig(void (*fn)(struct thread *t));
/*
 * With the lock of the table held: remove a thread that has ended, or arm a thread. cpi_thread_arm_sig returns false
 * while the handler of the thread runs.
 */
void cpi_thread_drop_sig(struct thread *t);
bool cpi_thread_arm_sig(uint32_t tid);
/*
 * Call fn for the threads of this process, starting at position *at, until about max have been called. Sets *at to
 * the position to continue from, 0 when there are no more. Returns false if the list of threads cannot be read.
 */
bool cpi_threads_each_tid_sig(uint64_t *at, uint32_t max, void (*fn)(uint32_t tid));
/* Try to lock the record of a thread, as its handler does. Returns false if it is locked. */
static inline bool cpi_thread_try_lock_sig(struct thread *t)
{
	uint32_t expected = 0;

	return atomic_compare_exchange_strong(&t->held, &expected, 1);
}
static inline void cpi_thread_unlock_sig(struct thread *t)
{
	atomic_store_explicit(&t->held, 0, memory_order_release);
}
/* Call fn for each entry of the table, with the lock held. */
void cpi_threads_each(void (*fn)(struct thread *t));
/* After the timers are deleted: wait for handlers, charge the periods that threads owe, retire their rings. */
void cpi_threads_finish(uint64_t until_ns);
/* At the end of the process: charge this thread and stop profiling it. */
void cpi_thread_finish(void);
/*
 * Find the stack of the main thread, which may grow up to the limit that the program started with. The kernel keeps that
 * range free of other mappings, even if the limit is raised later.
 */
void cpi_thread_find_main_stack(uintptr_t *lo, uintptr_t *top);
/* Add this thread, which is the main thread, after finding its stack. */
void cpi_thread_begin_main(void);
/* Drop threads that ended unnoticed. */
void cpi_threads_sweep(void);
/* In the child of fork: drop all threads. */
void cpi_threads_forget(void);
void cpi_threads_init(void);
/* Is the table of threads in [lo, hi)? If so, [lo, hi) is the zero-initialised data of this library. */
bool cpi_threads_are_in(uintptr_t lo, uintptr_t hi);

#endif
