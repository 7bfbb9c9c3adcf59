/*
 * wait_wrappers.c - wrappers of waits without a lock holder: conditions, semaphores, barriers, joins
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A wait for a condition releases the mutex, which is an unlock like any other, and locks it again inside the C
 * library. It is unknown when the condition was signalled and how long the mutex took after that. So both together are
 * one wait for the condition in the block profile, and no thread is charged in the mutex profile. Only threads that
 * wait for a condition are seen, not those that signal it. A cancelled wait leaves no state behind.
 *
 * All other waits except those at barriers may be cancelled too.
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

static __attribute__((noinline)) int cond_profiled(pthread_cond_t *c, pthread_mutex_t *m, const clockid_t *clock,
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
	return WAITS_ENABLED ? cond_profiled(c, m, NULL, NULL, WAIT_SITE(pthread_cond_wait))
			     : WAIT_NEXT(pthread_cond_wait)(c, m);
}

CPA_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	return WAITS_ENABLED && wait_is_valid_time(until)
		       ? cond_profiled(c, m, NULL, until, WAIT_SITE(pthread_cond_timedwait))
		       : WAIT_NEXT(pthread_cond_timedwait)(c, m, until);
}

CPA_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
				      const struct timespec *until)
{
	return WAITS_ENABLED && wait_is_valid_time(until)
		       ? cond_profiled(c, m, &clock, until, WAIT_SITE(pthread_cond_clockwait))
		       : WAIT_NEXT(pthread_cond_clockwait)(c, m, clock, until);
}

WAIT_WRAPPER(pthread_barrier_wait);
WAIT_WRAPPER(pthread_join);
WAIT_WRAPPER(pthread_timedjoin_np);
WAIT_WRAPPER(pthread_clockjoin_np);
WAIT_WRAPPER(sem_wait);
WAIT_WRAPPER(sem_timedwait);
WAIT_WRAPPER(sem_clockwait);

static int wait_sem(sem_t *s, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return WAIT_NEXT(sem_clockwait)(s, *clock, until);
	return until ? WAIT_NEXT(sem_timedwait)(s, until) : WAIT_NEXT(sem_wait)(s);
}

/* Try without waiting. Like sem_wait, this is a cancellation point even when it need not wait. */
static inline __attribute__((always_inline)) bool try_sem(sem_t *s)
{
	int before = errno;

	pthread_testcancel();
	if (WAIT_NEXT(sem_trywait)(s) == 0)
		return true;
	errno = before;
	return false;
}

static __attribute__((noinline)) int sem_waiting(sem_t *s, const clockid_t *clock, const struct timespec *until,
						 struct wait_site site)
{
	struct wait w;
	int rc;

	cpi_wait_begin(&w, NULL);
	rc = wait_sem(s, clock, until);
	/* a wait that was interrupted by a signal counts too */
	cpi_wait_end(&w, &site, rc == 0 || errno == ETIMEDOUT || errno == EINTR ? WAIT_ACQUIRED : WAIT_FAILED);
	return rc;
}

static __attribute__((noinline)) int sem_profiled(sem_t *s, struct wait_site site)
{
	return __builtin_expect(try_sem(s), 1) ? 0 : sem_waiting(s, NULL, NULL, site);
}

static __attribute__((noinline)) int sem_until_profiled(sem_t *s, const clockid_t *clock, const struct timespec *until,
							struct wait_site site)
{
	return try_sem(s) ? 0 : sem_waiting(s, clock, until, site);
}

CPA_EXPORT int sem_wait(sem_t *s)
{
	return WAITS_ENABLED ? sem_profiled(s, WAIT_SITE(sem_wait)) : WAIT_NEXT(sem_wait)(s);
}

CPA_EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	return WAITS_ENABLED && wait_is_valid_time(until) ? sem_until_profiled(s, NULL, until, WAIT_SITE(sem_timedwait))
							  : WAIT_NEXT(sem_timedwait)(s, until);
}

CPA_EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	return WAITS_ENABLED && wait_is_valid_clock(clock) && wait_is_valid_time(until)
		       ? sem_until_profiled(s, &clock, until, WAIT_SITE(sem_clockwait))
		       : WAIT_NEXT(sem_clockwait)(s, clock, until);
}

CPA_EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct wait_site site = WAIT_SITE(pthread_barrier_wait);
	struct wait w;
	int rc;

	if (!WAITS_ENABLED)
		return WAIT_NEXT(pthread_barrier_wait)(b);
	cpi_wait_begin(&w, NULL);
	rc = WAIT_NEXT(pthread_barrier_wait)(b);
	/* the last thread to arrive does not wait */
	cpi_wait_end(&w, &site, rc == PTHREAD_BARRIER_SERIAL_THREAD ? WAIT_FAILED : wait_end_of(rc));
	return rc;
}

static int join_until(pthread_t thread, void **result, const clockid_t *clock, const struct timespec *until)
{
	if (clock)
		return WAIT_NEXT(pthread_clockjoin_np)(thread, result, *clock, until);
	return until ? WAIT_NEXT(pthread_timedjoin_np)(thread, result, until) : WAIT_NEXT(pthread_join)(thread, result);
}

static __attribute__((noinline)) int join_profiled(pthread_t thread, void **result, const clockid_t *clock,
						   const struct timespec *until, struct wait_site site)
{
	struct wait w;
	int rc = WAIT_NEXT(pthread_tryjoin_np)(thread, result);

	if (rc != EBUSY)
		return rc;
	cpi_wait_begin(&w, NULL);
	rc = join_until(thread, result, clock, until);
	cpi_wait_end(&w, &site, wait_end_of(rc));
	return rc;
}

CPA_EXPORT int pthread_join(pthread_t thread, void **result)
{
	return WAITS_ENABLED ? join_profiled(thread, result, NULL, NULL, WAIT_SITE(pthread_join))
			     : WAIT_NEXT(pthread_join)(thread, result);
}

CPA_EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	return WAITS_ENABLED && until ? join_profiled(thread, result, NULL, until, WAIT_SITE(pthread_timedjoin_np))
				      : WAIT_NEXT(pthread_timedjoin_np)(thread, result, until);
}

CPA_EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *until)
{
	return WAITS_ENABLED && until && wait_is_valid_clock(clock)
		       ? join_profiled(thread, result, &clock, until, WAIT_SITE(pthread_clockjoin_np))
		       : WAIT_NEXT(pthread_clockjoin_np)(thread, result, clock, until);
}
