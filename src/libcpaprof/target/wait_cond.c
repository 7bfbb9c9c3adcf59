/*
 * wait_cond.c - condition variables
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wait lets the mutex go, which is an unlock like any other, and takes it again inside the C library:
 * when the condition came and how long the mutex took from there nobody can tell. So all of it is one
 * wait for the condition, in the block profile; nobody is charged for it. Only those that wait for the
 * condition are seen, not those that signal it. A wait that is cancelled leaves nothing behind.
 */
#include "config.h"

#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

#if defined(__x86_64__)
__asm__(".symver pthread_cond_wait, pthread_cond_wait@@@GLIBC_2.3.2");
__asm__(".symver pthread_cond_timedwait, pthread_cond_timedwait@@@GLIBC_2.3.2");
#endif

WAIT_WRAPPER(pthread_cond_wait);
WAIT_WRAPPER(pthread_cond_timedwait);
WAIT_WRAPPER(pthread_cond_clockwait);

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return WAIT_NEXT(pthread_cond_clockwait)(c, m, *clock, until);
	return until ? WAIT_NEXT(pthread_cond_timedwait)(c, m, until) : WAIT_NEXT(pthread_cond_wait)(c, m);
}

static __attribute__((noinline)) int cond_waits(pthread_cond_t *c, pthread_mutex_t *m, const clockid_t *clock,
						const struct timespec *until, struct wait_site site)
{
	struct wait w;
	int rc;

	if (HOLDER_IS_WAITED_FOR(m))
		cpi_holder_unlock(m, &site);
	cpi_wait_begin(&w, NULL);
	rc = cond_wait(c, m, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

CPA_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return WAITS_ON ? cond_waits(c, m, NULL, NULL, WAIT_SITE(pthread_cond_wait))
			: WAIT_NEXT(pthread_cond_wait)(c, m);
}

CPA_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	return WAITS_ON && wait_is_time(until) ? cond_waits(c, m, NULL, until, WAIT_SITE(pthread_cond_timedwait))
					       : WAIT_NEXT(pthread_cond_timedwait)(c, m, until);
}

CPA_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				      const struct timespec *until)
{
	return WAITS_ON && wait_is_time(until) ? cond_waits(c, m, &clock, until, WAIT_SITE(pthread_cond_clockwait))
					       : WAIT_NEXT(pthread_cond_clockwait)(c, m, clock, until);
}
