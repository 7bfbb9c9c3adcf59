/*
 * wait.h - threads that wait, and the threads that make them wait
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wrapper first tries without waiting. If that fails:
 *
 *	cpi_wait_begin(&w, lock); rc = wait; cpi_wait_end(&w, &site, how it ended);
 *
 * Between the two calls we hold no lock and no memory, because the thread may be cancelled. The block profile records
 * the wait at the stack of the waiting thread. The mutex profile charges it to the stacks that released the lock
 * meanwhile: each gets the time since the previous unlock, or since the wait began. The last unlock also gets the count
 * and the time after it. If no unlock was seen, or the wait ended without the lock, the remaining time is charged to
 * the stack of the waiting thread. So the charges add up to the wait.
 */
#ifndef LIBCPAPROF_TARGET_WAIT_H
#define LIBCPAPROF_TARGET_WAIT_H

#include "libcpaprof/target/next.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

enum { WAIT_FRAMES = 128 };

/* Position of a wait or an unlock: one of our wrappers and its return address. */
struct wait_site {
	uintptr_t wrapper; /* the wrapper, which is the leaf of the stack; 0: its caller is the leaf */
	uintptr_t back;
};

/* The wrapped function. It is read directly if it has been looked up already; see cpi_next. */
#define WAIT_NEXT(name) (cpi_next_found.name ? cpi_next_found.name : cpi_next()->name)

/* The address of a wrapper. Its name alone may refer to another definition. */
#if __has_attribute(copy)
#define WAIT_WRAPPER(name) static __typeof__(name) at_##name __attribute__((alias(#name), copy(name)))
#else
#define WAIT_WRAPPER(name) static __typeof__(name) at_##name __attribute__((alias(#name)))
#endif
#define WAIT_SITE(name) ((struct wait_site){ (uintptr_t)at_##name, (uintptr_t)__builtin_return_address(0) })

struct wait {
	uint64_t start_ns;
	uint64_t fraction; /* number of waits this one represents; 0: the mutex profile ignores it */
	uintptr_t lock;
	uint32_t place, first; /* index in the table of locks with waiting threads; number of unlocks before the wait */
	bool is_counted;
};

enum wait_end { WAIT_FAILED, WAIT_ACQUIRED, WAIT_TIMEOUT };

/* The clocks that waits accept. The wrapped function rejects others. */
static inline bool wait_is_valid_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* Is this a valid time? Functions differ in whether they reject an invalid one when they need not wait. */
static inline bool wait_is_valid_time(const struct timespec *t)
{
	return t && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* Meaning of the return value of a pthread function. */
static inline enum wait_end wait_end_of(int rc)
{
	return rc == 0 || rc == EOWNERDEAD ? WAIT_ACQUIRED : rc == ETIMEDOUT ? WAIT_TIMEOUT : WAIT_FAILED;
}

/*
 * Is the block or the mutex profile enabled? This is a macro, because the start address of a wrapper is the leaf of
 * stacks, and would be symbolized as an inline function called there.
 */
#define WAITS_ENABLED                                                                                                  \
	({                                                                                                             \
		struct segment_head *head_ = atomic_load_explicit(&cpi.head, memory_order_acquire);                    \
		__builtin_expect(head_ && (atomic_load_explicit(&head_->block_rate, memory_order_relaxed) |            \
					   atomic_load_explicit(&head_->mutex_fraction, memory_order_relaxed)),        \
				 0);                                                                                   \
	})

/* wait.c */
/* Begin a wait. lock: the lock that is waited for, NULL if no thread is to be charged for it. */
void cpi_wait_begin(struct wait *w, const void *lock);
/* End a wait. WAIT_FAILED means that there was no wait. */
void cpi_wait_end(struct wait *w, const struct wait_site *site, enum wait_end end);
/* Record a wait of ns at the stack that called site, without its first skip frames. */
void cpi_wait_block(const struct wait_site *site, uint32_t skip, uint64_t ns);
/* Record that the caller of site made other threads wait, for ns in total. */
void cpi_wait_mutex(const struct wait_site *site, uint32_t skip, uint64_t ns);
/* Return the id of the current stack, which ends at site. */
uint32_t cpi_wait_stack(enum stack_kind kind, const struct wait_site *site, uint32_t skip);
uint64_t cpi_wait_now(void);

/* holders.c */
enum {
	HOLDER_BUCKETS = 4096, /* a power of two */
	HOLDER_NONE = UINT32_MAX,
	HOLDER_UNLOCKS = 8, /* number of unlocks remembered for each lock */
};

/* Number of threads that wait for any lock, and for the locks of each bucket. */
extern _Atomic uint32_t cpi_holder_n_waiting __attribute__((visibility("hidden")));
extern _Atomic uint16_t cpi_holder_filter[HOLDER_BUCKETS] __attribute__((visibility("hidden")));

#define HOLDER_BUCKET(lock) ((uint32_t)(((uintptr_t)(lock) >> 3) * 0x9e3779b97f4a7c15ULL >> 52))
_Static_assert(HOLDER_BUCKETS == 1 << 12, "buckets have 12 bits");

/* May a thread be waiting for this lock? */
#define HOLDER_IS_WAITED_FOR(lock)                                                                                     \
	(__builtin_expect(atomic_load_explicit(&cpi_holder_n_waiting, memory_order_relaxed) != 0, 0) &&                \
	 __builtin_expect(atomic_load_explicit(&cpi_holder_filter[HOLDER_BUCKET(lock)], memory_order_relaxed) != 0,    \
			  0))

/* Does an unlock release the mutex, or does the thread still hold it (recursive)? Only the holder may call this. */
static inline bool holder_unlock_releases(const pthread_mutex_t *m)
{
	return (m->__data.__kind & 3) != PTHREAD_MUTEX_RECURSIVE || m->__data.__count <= 1;
}

/* Begin to wait for a lock. Returns its place, or HOLDER_NONE. first: number of unlocks seen so far. */
uint32_t cpi_holder_wait_begin(uintptr_t lock, uint32_t *first);
void cpi_holder_wait_end(uintptr_t lock, uint32_t place);
/* Record that the caller of site is about to release the lock. */
void cpi_holder_unlock(const void *lock, const struct wait_site *site);

struct holder_unlock {
	uint64_t ns;
	uint32_t stack;
};
/*
 * The last unlocks since first, oldest first. lost: number of earlier ones that were overwritten. Returns the number
 * stored in out.
 */
uint32_t cpi_holder_unlocks(uint32_t place, uint32_t first, struct holder_unlock out[HOLDER_UNLOCKS], uint32_t *lost);
/* In the child of fork: reset the table, because no thread waits. */
void cpi_holders_forget(void);

#endif
