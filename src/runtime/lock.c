/*
 * lock.c - mutexes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * To try first changes nothing for mutexes of any kind: what lock would give at once, trylock gives too,
 * and where it says EBUSY the lock is asked for as ever, and says EDEADLK if it has to.
 */
#include "config.h"

#include "runtime/wait.h"

WAIT_WRAPPER(pthread_mutex_lock);
WAIT_WRAPPER(pthread_mutex_timedlock);
WAIT_WRAPPER(pthread_mutex_clocklock);
WAIT_WRAPPER(pthread_mutex_unlock);

/* until NULL: for ever. */
static __attribute__((noinline)) int lock_waits(pthread_mutex_t *m, const clockid_t *clock,
						const struct timespec *until, struct wait_site site)
{
	struct wait w;
	int rc;

	cpi_wait_begin(&w, m);
	/* who let it go meanwhile did not know that we wait */
	rc = WAIT_NEXT(pthread_mutex_trylock)(m);
	if (rc != EBUSY) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return rc;
	}
	if (clock)
		rc = WAIT_NEXT(pthread_mutex_clocklock)(m, *clock, until);
	else
		rc = until ? WAIT_NEXT(pthread_mutex_timedlock)(m, until) : WAIT_NEXT(pthread_mutex_lock)(m);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

static __attribute__((noinline)) int lock_on(pthread_mutex_t *m, struct wait_site site)
{
	int rc = cpi_next_found.pthread_mutex_trylock(m);

	return __builtin_expect(rc != EBUSY, 1) ? rc : lock_waits(m, NULL, NULL, site);
}

static __attribute__((noinline)) int unlock_seen(pthread_mutex_t *m, struct wait_site site)
{
	if (holder_lets_go(m))
		cpi_holder_unlock(m, &site);
	return cpi_next_found.pthread_mutex_unlock(m);
}

/* These two are short, and nothing is saved or restored in them. */
CPA_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return WAITS_ON ? lock_on(m, WAIT_SITE(pthread_mutex_lock)) : cpi_next_found.pthread_mutex_lock(m);
}

CPA_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return HOLDER_IS_WAITED_FOR(m) ? unlock_seen(m, WAIT_SITE(pthread_mutex_unlock))
				       : cpi_next_found.pthread_mutex_unlock(m);
}

CPA_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	int rc;

	if (!WAITS_ON)
		return WAIT_NEXT(pthread_mutex_timedlock)(m, until);
	rc = WAIT_NEXT(pthread_mutex_trylock)(m);
	return rc != EBUSY ? rc : lock_waits(m, NULL, until, WAIT_SITE(pthread_mutex_timedlock));
}

CPA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	int rc;

	if (!WAITS_ON || !wait_is_clock(clock))
		return WAIT_NEXT(pthread_mutex_clocklock)(m, clock, until);
	rc = WAIT_NEXT(pthread_mutex_trylock)(m);
	return rc != EBUSY ? rc : lock_waits(m, &clock, until, WAIT_SITE(pthread_mutex_clocklock));
}
