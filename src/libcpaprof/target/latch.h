/*
 * latch.h - a lock that needs nothing from the C library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * We cannot use pthread_mutex, because we wrap it. Signal handlers only ever try to lock. In the child of fork the
 * waiting threads are gone, so the child resets the lock to zeros.
 */
#ifndef LIBCPAPROF_TARGET_LATCH_H
#define LIBCPAPROF_TARGET_LATCH_H

#include "libcpaprof/target/sys.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>

struct latch {
	_Atomic uint32_t state; /* 0: free, 1: held, 2: held and threads may wait */
};

static inline bool latch_try_sig(struct latch *l)
{
	uint32_t expected = 0;

	return atomic_compare_exchange_strong(&l->state, &expected, 1);
}

/* Wait for the lock, for at most ns nanoseconds (0: no limit). Returns false on timeout. */
static inline bool latch_acquire_within(struct latch *l, uint64_t ns)
{
	uint64_t end = ns ? sys_now(CLOCK_MONOTONIC) + ns : 0, now;
	struct timespec left;

	if (latch_try_sig(l))
		return true;
	while (atomic_exchange(&l->state, 2)) {
		now = ns ? sys_now(CLOCK_MONOTONIC) : 0;
		if (ns && now >= end)
			return false;
		left.tv_sec = (time_t)((end - now) / 1000000000);
		left.tv_nsec = (long)((end - now) % 1000000000);
		sys_call6(SYS_futex, (long)&l->state, FUTEX_WAIT_PRIVATE, 2, ns ? (long)&left : 0, 0, 0);
	}
	return true;
}

static inline void latch_acquire(struct latch *l)
{
	latch_acquire_within(l, 0);
}

static inline void latch_release(struct latch *l)
{
	if (atomic_exchange(&l->state, 0) == 2)
		sys_call6(SYS_futex, (long)&l->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

#endif
