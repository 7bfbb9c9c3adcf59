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
 * A thread that is profiled. tid is claimed by compare-and-swap; all else is written by the thread
 * itself or by whoever armed it, before its timer runs.
 */
struct thread {
	_Atomic uint32_t tid;       /* 0: free */
	_Atomic int timer;          /* the kernel's, or NO_TIMER: the timer of the process counts for it */
	_Atomic uint32_t inside;    /* its handler is at work, or who arms or settles it: each only tries */
	_Atomic uint32_t recording; /* of CPU sampling, that it takes part in; 0: none. Set when all below is */
	uint64_t period_ns;         /* of that recording */
	bool ignored;               /* takes part in none */
	uintptr_t lo, top;          /* its stack is somewhere in [lo, top); 0: not known */
	uintptr_t low;              /* the lowest address of it that is known to be in use */
	struct segment_ring *ring;  /* NULL until the first sample */
	uint64_t *words;            /* [RING_WORDS] of that ring */
	struct walk_memory *memory; /* of the walker, or NULL */
	uint64_t start;             /* the function it began in, or 0 */
	uint64_t first_ns;          /* of its CPU clock: when the first period is over */
	uint64_t n_charged;         /* periods that samples stand for */
	_Atomic int perf;           /* the file of its event + 1; 0: it has none */
	uint32_t n_looks;           /* for its event */
	uint64_t perf_id;           /* the kernel's of the event */
	bool by_clock;              /* signals weigh what its clock says, not what they say */
};

/*
 * Take up a thread that may be there already (again: its entry is of one that ended unseen). Its stack lies in
 * [lo, top), both 0 when not known. NULL when the table is full; in handlers also when others are at it.
 */
struct thread *cpi_thread_add(uint32_t tid, uintptr_t lo, uintptr_t top, bool again);
struct thread *cpi_thread_add_sig(uint32_t tid);
struct thread *cpi_thread_find_sig(uint32_t tid);
/* This thread begins; its stack lies in [lo, top). start: the function it began in, or 0. */
void cpi_thread_enter(uintptr_t lo, uintptr_t top, uintptr_t start);
/* Sample this thread too, now that CPU time is sampled. */
void cpi_thread_join(void);
/* This thread may be one that nobody saw begin. */
void cpi_thread_meet(void);
/* Take no samples of this thread, or do again. */
void cpi_thread_ignore(bool on);
/* Sample the threads that are there already. */
void cpi_threads_scan(void);
/* Take what guards the table. False when another thread has it. */
bool cpi_threads_try_sig(void);
void cpi_threads_leave_sig(void);
/* Who has that: call fn for each entry. */
void cpi_threads_all_sig(void (*fn)(struct thread *t));
/* Forget a thread that is no more, or arm one. arm: false when its handler is at work. */
void cpi_thread_drop_sig(struct thread *t);
bool cpi_thread_arm_sig(uint32_t tid);
/*
 * Call fn for the threads of this process, from position *at on, until it was called for most of them; *at is then where
 * to go on, and 0 when there are no more. False when nobody says what threads there are.
 */
bool cpi_threads_names_sig(uint64_t *at, uint32_t most, void (*fn)(uint32_t tid));
/* Have a thread's record, as its handler does. False when that is at work. */
static inline bool cpi_thread_hold_sig(struct thread *t)
{
	uint32_t is = 0;

	return atomic_compare_exchange_strong(&t->inside, &is, 1);
}
static inline void cpi_thread_let_sig(struct thread *t)
{
	atomic_store_explicit(&t->inside, 0, memory_order_release);
}
/* Call fn for each entry of the table, while nobody else changes it. */
void cpi_threads_each(void (*fn)(struct thread *t));
/* After the timers went: wait for handlers, charge what is owed, give the rings back. */
void cpi_threads_quiet(uint64_t until_ns);
/* Charge this thread with what it used, and profile it no more: the process ends. */
void cpi_thread_leave(void);
/* This is the main thread: where is its stack? */
void cpi_thread_enter_main(void);
/* Forget threads that ended without telling. */
void cpi_threads_sweep(void);
/* Forget all threads, in the child of fork. */
void cpi_threads_forget(void);
void cpi_threads_init(void);
/* Is the table of threads in [lo, hi)? Then that is the memory of this library that is zeros at first. */
bool cpi_threads_are_in(uintptr_t lo, uintptr_t hi);

#endif
