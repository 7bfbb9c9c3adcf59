/*
 * lock.c - mutexes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * To try first changes nothing for mutexes of any kind: what lock would give at once, trylock gives too,
 * and where it says EBUSY the lock is asked for as ever, and says EDEADLK if it has to. But for robust ones:
 * trylock of glibc 2.36, of one that is not recoverable, says so and leaves it locked. Of those
 * we look at the word that has the owner.
 */
#include "config.h"

#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

enum { KIND_ROBUST = 16, TID_MASK = 0x3fffffff /* linux/futex.h: FUTEX_TID_MASK */ };

WAIT_WRAPPER(pthread_mutex_lock);
WAIT_WRAPPER(pthread_mutex_timedlock);
WAIT_WRAPPER(pthread_mutex_clocklock);
WAIT_WRAPPER(pthread_mutex_unlock);

/* As trylock, but a robust mutex is not taken: 0 means that there is nobody to wait for. */
static inline __attribute__((always_inline)) int try_lock(pthread_mutex_t *m)
{
	if (__builtin_expect(m->__data.__kind & KIND_ROBUST, 0)) {
		uint32_t owner = (uint32_t)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) & TID_MASK;

		return owner && owner != sys_gettid() ? EBUSY : 0;
	}
	return cpi_next_found.pthread_mutex_trylock(m);
}

static int lock_for(pthread_mutex_t *m, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return WAIT_NEXT(pthread_mutex_clocklock)(m, *clock, until);
	return until ? WAIT_NEXT(pthread_mutex_timedlock)(m, until) : cpi_next_found.pthread_mutex_lock(m);
}

/* until NULL: for ever. */
static __attribute__((noinline)) int lock_waits(pthread_mutex_t *m, const clockid_t *clock,
						const struct timespec *until, struct wait_site site)
{
	bool robust = m->__data.__kind & KIND_ROBUST;
	struct wait w;
	int rc;

	cpi_wait_begin(&w, m);
	/* who let it go meanwhile did not know that we wait */
	rc = try_lock(m);
	if (rc != EBUSY) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return robust ? lock_for(m, clock, until) : rc;
	}
	rc = lock_for(m, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

static __attribute__((noinline)) int lock_on_until(pthread_mutex_t *m, const clockid_t *clock,
						   const struct timespec *until, struct wait_site site)
{
	int rc = try_lock(m);

	if (rc == EBUSY)
		return lock_waits(m, clock, until, site);
	return m->__data.__kind & KIND_ROBUST ? lock_for(m, clock, until) : rc;
}

static __attribute__((noinline)) int lock_on(pthread_mutex_t *m, struct wait_site site)
{
	int rc;

	if (__builtin_expect(m->__data.__kind & KIND_ROBUST, 0))
		return lock_on_until(m, NULL, NULL, site);
	rc = cpi_next_found.pthread_mutex_trylock(m);
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
	return WAITS_ON ? lock_on_until(m, NULL, until, WAIT_SITE(pthread_mutex_timedlock))
			: WAIT_NEXT(pthread_mutex_timedlock)(m, until);
}

CPA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	return WAITS_ON && wait_is_clock(clock) ? lock_on_until(m, &clock, until, WAIT_SITE(pthread_mutex_clocklock))
						: WAIT_NEXT(pthread_mutex_clocklock)(m, clock, until);
}
