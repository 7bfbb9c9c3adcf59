/*
 * wait.h - waits of threads, and who made them wait
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wrapper first tries what does not wait. When that is refused:
 *
 *	cpi_wait_begin(&w, lock); rc = wait; cpi_wait_end(&w, &site, how it ended);
 *
 * Between the two nothing is ours: the thread may be cancelled. The block profile gets the wait at the
 * stack of who waits. The mutex profile gets it at the stacks of those who let the lock go meanwhile:
 * each has the time from the unlock before it, or from when the wait began. What is left over after the
 * last unlock is the last one's; it also has the count. When nobody was seen to unlock, or the wait ended
 * without the lock, what is left is charged to the stack of who waits. So the charges are the waits.
 */
#ifndef LIBCPAPROF_TARGET_WAIT_H
#define LIBCPAPROF_TARGET_WAIT_H

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

enum { WAIT_FRAMES = 128 };

/* Where a thread waits or unlocks: a wrapper of ours, and where that goes back to. */
struct wait_site {
	uintptr_t wrapper; /* the leaf of the stack; 0: that is the caller of it */
	uintptr_t back;
};

/* What stands behind a wrapper. Each is looked at by itself: see cpi_next. */
#define WAIT_NEXT(name) (cpi_next_found.name ? cpi_next_found.name : cpi_next()->name)

/* The address of a wrapper; its own name may mean another definition. */
#if __has_attribute(copy)
#define WAIT_WRAPPER(name) static __typeof__(name) at_##name __attribute__((alias(#name), copy(name)))
#else
#define WAIT_WRAPPER(name) static __typeof__(name) at_##name __attribute__((alias(#name)))
#endif
#define WAIT_SITE(name) ((struct wait_site){ (uintptr_t)at_##name, (uintptr_t)__builtin_return_address(0) })

struct wait {
	uint64_t start_ns;
	uint64_t fraction; /* the wait stands for so many; 0: nobody is charged */
	uintptr_t lock;
	uint32_t place, first; /* in the table of locks that are waited for; unlocks before this one */
	bool on;
};

enum wait_end { WAIT_FAILED, WAIT_GOT, WAIT_TIMEOUT };

/* Of the clocks that waits have; others are refused by who is next. */
static inline bool wait_is_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* Is it a time? Functions differ in whether they say so when they need not wait. */
static inline bool wait_is_time(const struct timespec *t)
{
	return t && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* The sense of what a pthread function gives. */
static inline enum wait_end wait_end_of(int rc)
{
	return rc == 0 || rc == EOWNERDEAD ? WAIT_GOT : rc == ETIMEDOUT ? WAIT_TIMEOUT : WAIT_FAILED;
}

/*
 * Is either profile on? No function: the first address of a wrapper is the leaf of stacks, and is to have the
 * name of the wrapper only.
 */
#define WAITS_ON                                                                                                       \
	__builtin_expect(cpi.head && (atomic_load_explicit(&cpi.head->block_rate, memory_order_relaxed) |              \
				      atomic_load_explicit(&cpi.head->mutex_fraction, memory_order_relaxed)),          \
			 0)

/* wait.c */
/* lock: what is waited for, if somebody is to be charged; else NULL. */
void cpi_wait_begin(struct wait *w, const void *lock);
/* WAIT_FAILED: it was none. */
void cpi_wait_end(struct wait *w, const struct wait_site *site, enum wait_end end);
/* A wait of ns, less skip frames of what called site. */
void cpi_wait_block(const struct wait_site *site, uint32_t skip, uint64_t ns);
/* Waits of others, of ns in all, that whoever called site made. */
void cpi_wait_mutex(const struct wait_site *site, uint32_t skip, uint64_t ns);
/* The stack that ends in site, as a name of that kind. */
uint32_t cpi_wait_stack(enum stack_kind kind, const struct wait_site *site, uint32_t skip);
uint64_t cpi_wait_now(void);

/* holders.c */
enum {
	HOLDER_BUCKETS = 4096, /* a power of two */
	HOLDER_NONE = UINT32_MAX,
	HOLDER_UNLOCKS = 8, /* that are remembered for each lock */
};

/* How many threads wait for locks of each bucket. */
extern _Atomic uint16_t cpi_holder_filter[HOLDER_BUCKETS] __attribute__((visibility("hidden")));

#define HOLDER_BUCKET(lock) ((uint32_t)(((uintptr_t)(lock) >> 3) * 0x9e3779b97f4a7c15ULL >> 52))
_Static_assert(HOLDER_BUCKETS == 1 << 12, "buckets have 12 bits");

/* May somebody wait for this lock? */
#define HOLDER_IS_WAITED_FOR(lock)                                                                                     \
	(cpi.head &&                                                                                                   \
	 __builtin_expect(atomic_load_explicit(&cpi_holder_filter[HOLDER_BUCKET(lock)], memory_order_relaxed) != 0,    \
			  0))

/* Does an unlock let it go, or does the thread hold it once more? Only it can tell, and it is who asks. */
static inline bool holder_lets_go(const pthread_mutex_t *m)
{
	return (m->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE || m->__data.__count <= 1;
}

/* Wait for a lock. Gives its place, or HOLDER_NONE; first: how many unlocks it has seen. */
uint32_t cpi_holder_wait(uintptr_t lock, uint32_t *first);
void cpi_holder_done(uintptr_t lock, uint32_t place);
/* The caller of site is about to let the lock go. */
void cpi_holder_unlock(const void *lock, const struct wait_site *site);

struct holder_unlock {
	uint64_t ns;
	uint32_t stack;
};
/* The last unlocks since first, oldest first; lost: how many came before those. Gives their number. */
uint32_t cpi_holder_unlocks(uint32_t place, uint32_t first, struct holder_unlock out[HOLDER_UNLOCKS], uint32_t *lost);
/* In the child of fork: nobody waits. */
void cpi_holders_forget(void);

#endif
