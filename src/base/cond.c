/*
 * cond.c - condition variables with a time limit that changes of the system time do not affect
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/cond.h"

#include <time.h>

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
	enum { MS_NS = 1000000, SECOND_NS = 1000000000 };
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += (long)(ms % 1000) * MS_NS;
	if (end.tv_nsec >= SECOND_NS) {
		end.tv_sec++;
		end.tv_nsec -= SECOND_NS;
	}
	pthread_cond_timedwait(c, lock, &end);
}
