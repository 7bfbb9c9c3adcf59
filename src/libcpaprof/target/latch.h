/*
 * latch.h - a lock that needs nothing of the C library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Not pthread_mutex, which we wrap. Signal handlers only ever try. After fork whoever was waiting is gone:
 * the child sets it to zeros.
 */
#ifndef LIBCPAPROF_TARGET_LATCH_H
#define LIBCPAPROF_TARGET_LATCH_H

#include "libcpaprof/target/sys.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>

struct latch {
	_Atomic uint32_t state; /* 0: free, 1: taken, 2: taken, and somebody waits */
};

static inline bool latch_try_sig(struct latch *l)
{
	uint32_t is = 0;

	return atomic_compare_exchange_strong(&l->state, &is, 1);
}

/* Wait until it is free, but no longer than so many ns; 0: as long as it takes. False when it is still taken. */
static inline bool latch_take_within(struct latch *l, uint64_t ns)
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

static inline void latch_take(struct latch *l)
{
	latch_take_within(l, 0);
}

static inline void latch_leave(struct latch *l)
{
	if (atomic_exchange(&l->state, 0) == 2)
		sys_call6(SYS_futex, (long)&l->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

#endif
