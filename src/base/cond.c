/*
 * cond.c - condition variables with a time limit that changes of the system time do not affect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/cond.h"

#include "base/time.h"

void cond_init(pthread_cond_t *c)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(c, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

void cond_wait_ms(pthread_cond_t *c, pthread_mutex_t *lock, unsigned ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += (long)(ms % 1000) * NS_PER_MS;
	if (end.tv_nsec >= NS_PER_S) {
		end.tv_sec++;
		end.tv_nsec -= NS_PER_S;
	}
	pthread_cond_timedwait(c, lock, &end);
}
