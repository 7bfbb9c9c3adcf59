/*
 * clock.h - clocks in nanoseconds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_CLOCK_H
#define LIBCPAPROF_COLLECTOR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Read a clock that cannot fail: one of the kernel's fixed clocks, or a clock of this thread. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Monotonic time. */
static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
