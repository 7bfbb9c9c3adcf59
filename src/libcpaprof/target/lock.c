/*
 * lock.c - wrappers of locks: mutexes, read-write locks, mutexes of C11
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calling trylock first is safe for all mutexes except robust ones. When lock would return immediately, trylock returns
 * the same result; after EBUSY we call lock, which reports EDEADLK if necessary. But for a robust mutex that is not
 * recoverable, trylock of glibc 2.36 returns the error and leaves the mutex locked. So for robust mutexes we only read
 * the word that contains the owner.
 *
 * For read-write locks, each reader that unlocks while a thread waits is charged for its part of the wait.
 *
 * The C11 functions are wrapped too, because the C library implements them with internal functions that bypass our
 * POSIX wrappers.
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

/* Like trylock, but does not lock a robust mutex: then 0 means only that it has no other owner. */
static inline __attribute__((always_inline)) int try_lock(pthread_mutex_t *m)
{
	if (__builtin_expect(m->__data.__kind & KIND_ROBUST, 0)) {
		uint32_t owner = (uint32_t)__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) & TID_MASK;

		return owner && owner != sys_gettid() ? EBUSY : 0;
	}
	return cpi_next_found.pthread_mutex_trylock(m);
}

static int lock_until(pthread_mutex_t *m, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return WAIT_NEXT(pthread_mutex_clocklock)(m, *clock, until);
	return until ? WAIT_NEXT(pthread_mutex_timedlock)(m, until) : cpi_next_found.pthread_mutex_lock(m);
}

/* until NULL: no limit. */
static __attribute__((noinline)) int lock_waiting(pthread_mutex_t *m, const clockid_t *clock,
						  const struct timespec *until, struct wait_site site)
{
	bool robust = m->__data.__kind & KIND_ROBUST;
	struct wait w;
	int rc;

	cpi_wait_begin(&w, m);
	/* try again: the holder may have released the lock before it could see that we wait */
	rc = try_lock(m);
	if (rc != EBUSY) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return robust ? lock_until(m, clock, until) : rc;
	}
	rc = lock_until(m, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

static __attribute__((noinline)) int lock_until_profiled(pthread_mutex_t *m, const clockid_t *clock,
							 const struct timespec *until, struct wait_site site)
{
	int rc = try_lock(m);

	if (rc == EBUSY)
		return lock_waiting(m, clock, until, site);
	return m->__data.__kind & KIND_ROBUST ? lock_until(m, clock, until) : rc;
}

static __attribute__((noinline)) int lock_profiled(pthread_mutex_t *m, struct wait_site site)
{
	int rc;

	if (__builtin_expect(m->__data.__kind & KIND_ROBUST, 0))
		return lock_until_profiled(m, NULL, NULL, site);
	rc = cpi_next_found.pthread_mutex_trylock(m);
	return __builtin_expect(rc != EBUSY, 1) ? rc : lock_waiting(m, NULL, NULL, site);
}

static __attribute__((noinline)) int unlock_recorded(pthread_mutex_t *m, struct wait_site site)
{
	if (holder_unlock_releases(m))
		cpi_holder_unlock(m, &site);
	return cpi_next_found.pthread_mutex_unlock(m);
}

/* pthread_mutex_lock and _unlock only call other functions, so that the compiler need not save registers. */
CPA_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return WAITS_ENABLED ? lock_profiled(m, WAIT_SITE(pthread_mutex_lock)) : cpi_next_found.pthread_mutex_lock(m);
}

CPA_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return HOLDER_IS_WAITED_FOR(m) ? unlock_recorded(m, WAIT_SITE(pthread_mutex_unlock))
				       : cpi_next_found.pthread_mutex_unlock(m);
}

CPA_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return WAITS_ENABLED ? lock_until_profiled(m, NULL, until, WAIT_SITE(pthread_mutex_timedlock))
			     : WAIT_NEXT(pthread_mutex_timedlock)(m, until);
}

CPA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	return WAITS_ENABLED && wait_is_valid_clock(clock)
		       ? lock_until_profiled(m, &clock, until, WAIT_SITE(pthread_mutex_clocklock))
		       : WAIT_NEXT(pthread_mutex_clocklock)(m, clock, until);
}

WAIT_WRAPPER(pthread_rwlock_rdlock);
WAIT_WRAPPER(pthread_rwlock_wrlock);
WAIT_WRAPPER(pthread_rwlock_timedrdlock);
WAIT_WRAPPER(pthread_rwlock_timedwrlock);
WAIT_WRAPPER(pthread_rwlock_clockrdlock);
WAIT_WRAPPER(pthread_rwlock_clockwrlock);
WAIT_WRAPPER(pthread_rwlock_unlock);

enum mode { READ, WRITE };

static int try_rwlock(pthread_rwlock_t *l, enum mode mode)
{
	return mode == READ ? WAIT_NEXT(pthread_rwlock_tryrdlock)(l) : WAIT_NEXT(pthread_rwlock_trywrlock)(l);
}

static int rwlock_until(pthread_rwlock_t *l, enum mode mode, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return mode == READ ? WAIT_NEXT(pthread_rwlock_clockrdlock)(l, *clock, until)
				    : WAIT_NEXT(pthread_rwlock_clockwrlock)(l, *clock, until);
	if (until)
		return mode == READ ? WAIT_NEXT(pthread_rwlock_timedrdlock)(l, until)
				    : WAIT_NEXT(pthread_rwlock_timedwrlock)(l, until);
	return mode == READ ? WAIT_NEXT(pthread_rwlock_rdlock)(l) : WAIT_NEXT(pthread_rwlock_wrlock)(l);
}

/* Lock a read-write lock, with or without a time limit. An invalid time or clock is an error even when the lock is
   free, so trylock is not called then. */
static __attribute__((noinline)) int rwlock_profiled(pthread_rwlock_t *l, enum mode mode, const clockid_t *clock,
						     const struct timespec *until, bool is_valid, struct wait_site site)
{
	struct wait w;
	int rc;

	if (!WAITS_ENABLED || !is_valid)
		return rwlock_until(l, mode, clock, until);
	rc = try_rwlock(l, mode);
	if (rc != EBUSY)
		return rc;
	cpi_wait_begin(&w, l);
	rc = try_rwlock(l, mode);
	if (rc != EBUSY) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return rc;
	}
	rc = rwlock_until(l, mode, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

CPA_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return rwlock_profiled(l, READ, NULL, NULL, true, WAIT_SITE(pthread_rwlock_rdlock));
}

CPA_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return rwlock_profiled(l, WRITE, NULL, NULL, true, WAIT_SITE(pthread_rwlock_wrlock));
}

CPA_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return rwlock_profiled(l, READ, NULL, until, wait_is_valid_time(until), WAIT_SITE(pthread_rwlock_timedrdlock));
}

CPA_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return rwlock_profiled(l, WRITE, NULL, until, wait_is_valid_time(until), WAIT_SITE(pthread_rwlock_timedwrlock));
}

CPA_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return rwlock_profiled(l, READ, &clock, until, wait_is_valid_clock(clock) && wait_is_valid_time(until),
			       WAIT_SITE(pthread_rwlock_clockrdlock));
}

CPA_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return rwlock_profiled(l, WRITE, &clock, until, wait_is_valid_clock(clock) && wait_is_valid_time(until),
			       WAIT_SITE(pthread_rwlock_clockwrlock));
}

CPA_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (HOLDER_IS_WAITED_FOR(l))
		cpi_holder_unlock(l, &WAIT_SITE(pthread_rwlock_unlock));
	return WAIT_NEXT(pthread_rwlock_unlock)(l);
}

WAIT_WRAPPER(mtx_lock);
WAIT_WRAPPER(mtx_timedlock);
WAIT_WRAPPER(mtx_unlock);
WAIT_WRAPPER(cnd_wait);
WAIT_WRAPPER(cnd_timedwait);
WAIT_WRAPPER(thrd_join);

static enum wait_end wait_end_of_c11(int rc)
{
	return rc == thrd_success ? WAIT_ACQUIRED : rc == thrd_timedout ? WAIT_TIMEOUT : WAIT_FAILED;
}

static __attribute__((noinline)) int mtx_waiting(mtx_t *m, const struct timespec *until, struct wait_site site)
{
	struct wait w;
	int rc;

	cpi_wait_begin(&w, m);
	rc = WAIT_NEXT(mtx_trylock)(m);
	if (rc != thrd_busy) {
		cpi_wait_end(&w, &site, WAIT_FAILED);
		return rc;
	}
	rc = until ? WAIT_NEXT(mtx_timedlock)(m, until) : WAIT_NEXT(mtx_lock)(m);
	cpi_wait_end(&w, &site, wait_end_of_c11(rc));
	return rc;
}

CPA_EXPORT int mtx_lock(mtx_t *m)
{
	int rc;

	if (!WAITS_ENABLED)
		return WAIT_NEXT(mtx_lock)(m);
	rc = WAIT_NEXT(mtx_trylock)(m);
	return rc != thrd_busy ? rc : mtx_waiting(m, NULL, WAIT_SITE(mtx_lock));
}

CPA_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	int rc;

	if (!WAITS_ENABLED || !until)
		return WAIT_NEXT(mtx_timedlock)(m, until);
	rc = WAIT_NEXT(mtx_trylock)(m);
	return rc != thrd_busy ? rc : mtx_waiting(m, until, WAIT_SITE(mtx_timedlock));
}

CPA_EXPORT int mtx_unlock(mtx_t *m)
{
	if (HOLDER_IS_WAITED_FOR(m) && holder_unlock_releases((const pthread_mutex_t *)m))
		cpi_holder_unlock(m, &WAIT_SITE(mtx_unlock));
	return WAIT_NEXT(mtx_unlock)(m);
}

static __attribute__((noinline)) int cnd_profiled(cnd_t *c, mtx_t *m, const struct timespec *until,
						  struct wait_site site)
{
	struct wait w;
	int rc;

	if (HOLDER_IS_WAITED_FOR(m))
		cpi_holder_unlock(m, &site);
	cpi_wait_begin(&w, NULL);
	rc = until ? WAIT_NEXT(cnd_timedwait)(c, m, until) : WAIT_NEXT(cnd_wait)(c, m);
	cpi_wait_end(&w, &site, wait_end_of_c11(rc));
	return rc;
}

CPA_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return WAITS_ENABLED ? cnd_profiled(c, m, NULL, WAIT_SITE(cnd_wait)) : WAIT_NEXT(cnd_wait)(c, m);
}

CPA_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	return WAITS_ENABLED && until ? cnd_profiled(c, m, until, WAIT_SITE(cnd_timedwait))
				      : WAIT_NEXT(cnd_timedwait)(c, m, until);
}

/*
 * C11 cannot test whether a thread has ended, so a join that returns immediately is recorded as a wait of its own
 * duration.
 */
CPA_EXPORT int thrd_join(thrd_t thread, int *result)
{
	struct wait_site site = WAIT_SITE(thrd_join);
	struct wait w;
	int rc;

	if (!WAITS_ENABLED)
		return WAIT_NEXT(thrd_join)(thread, result);
	cpi_wait_begin(&w, NULL);
	rc = WAIT_NEXT(thrd_join)(thread, result);
	cpi_wait_end(&w, &site, wait_end_of_c11(rc));
	return rc;
}
