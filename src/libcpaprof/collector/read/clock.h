/*
 * clock.h - clocks in nanoseconds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_CLOCK_H
#define LIBCPAPROF_COLLECTOR_READ_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Read a clock; 0: that of a process that has ended. The clocks of the kernel and of this thread cannot fail. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Wall clock time. */
static inline uint64_t clock_wall(void)
{
	return clock_ns(CLOCK_REALTIME);
}

/* Monotonic time. */
static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
