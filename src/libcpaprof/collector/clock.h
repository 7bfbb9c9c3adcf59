/*
 * clock.h - clocks in nanoseconds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_CLOCK_H
#define LIBCPAPROF_COLLECTOR_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A clock that cannot fail: one of the kernel's own, or of this thread. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Since some moment in the past; it never goes back. */
static inline uint64_t clock_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
