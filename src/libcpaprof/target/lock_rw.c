/*
 * lock_rw.c - locks for many readers or one writer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every reader that goes while somebody waits has its part of the wait.
 */
#include "config.h"

#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

WAIT_WRAPPER(pthread_rwlock_rdlock);
WAIT_WRAPPER(pthread_rwlock_wrlock);
WAIT_WRAPPER(pthread_rwlock_timedrdlock);
WAIT_WRAPPER(pthread_rwlock_timedwrlock);
WAIT_WRAPPER(pthread_rwlock_clockrdlock);
WAIT_WRAPPER(pthread_rwlock_clockwrlock);
WAIT_WRAPPER(pthread_rwlock_unlock);

enum mode { READ, WRITE };

static int try_lock(pthread_rwlock_t *l, enum mode mode)
{
	return mode == READ ? WAIT_NEXT(pthread_rwlock_tryrdlock)(l) : WAIT_NEXT(pthread_rwlock_trywrlock)(l);
}

static int lock(pthread_rwlock_t *l, enum mode mode, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return mode == READ ? WAIT_NEXT(pthread_rwlock_clockrdlock)(l, *clock, until)
				    : WAIT_NEXT(pthread_rwlock_clockwrlock)(l, *clock, until);
	if (until)
		return mode == READ ? WAIT_NEXT(pthread_rwlock_timedrdlock)(l, until)
				    : WAIT_NEXT(pthread_rwlock_timedwrlock)(l, until);
	return mode == READ ? WAIT_NEXT(pthread_rwlock_rdlock)(l) : WAIT_NEXT(pthread_rwlock_wrlock)(l);
}

/* All of them. What is no time or clock is refused also when the lock is free, so it is not tried. */
static __attribute__((noinline)) int lock_wait(pthread_rwlock_t *l, enum mode mode, const clockid_t *clock,
					       const struct timespec *until, bool good, struct wait_site site)
{
	struct wait w;
	int rc;

	if (!WAITS_ON || !good)
		return lock(l, mode, clock, until);
	rc = try_lock(l, mode);
	if (rc != EBUSY)
		return rc;
	cpi_wait_begin(&w, l);
	rc = try_lock(l, mode);
	if (rc != EBUSY) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return rc;
	}
	rc = lock(l, mode, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

CPA_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return lock_wait(l, READ, NULL, NULL, true, WAIT_SITE(pthread_rwlock_rdlock));
}

CPA_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return lock_wait(l, WRITE, NULL, NULL, true, WAIT_SITE(pthread_rwlock_wrlock));
}

CPA_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return lock_wait(l, READ, NULL, until, wait_is_time(until), WAIT_SITE(pthread_rwlock_timedrdlock));
}

CPA_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return lock_wait(l, WRITE, NULL, until, wait_is_time(until), WAIT_SITE(pthread_rwlock_timedwrlock));
}

CPA_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return lock_wait(l, READ, &clock, until, wait_is_clock(clock) && wait_is_time(until),
			 WAIT_SITE(pthread_rwlock_clockrdlock));
}

CPA_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return lock_wait(l, WRITE, &clock, until, wait_is_clock(clock) && wait_is_time(until),
			 WAIT_SITE(pthread_rwlock_clockwrlock));
}

CPA_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (HOLDER_IS_WAITED_FOR(l))
		cpi_holder_unlock(l, &WAIT_SITE(pthread_rwlock_unlock));
	return WAIT_NEXT(pthread_rwlock_unlock)(l);
}
