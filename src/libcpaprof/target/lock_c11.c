/*
 * lock_c11.c - mutexes, condition variables and threads of C11
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library calls its own functions below these, which are those of POSIX under other names.
 */
#include "config.h"

#include "libcpaprof/target/target.h"
#include "libcpaprof/target/wait.h"

WAIT_WRAPPER(mtx_lock);
WAIT_WRAPPER(mtx_timedlock);
WAIT_WRAPPER(mtx_unlock);
WAIT_WRAPPER(cnd_wait);
WAIT_WRAPPER(cnd_timedwait);
WAIT_WRAPPER(thrd_join);

static enum wait_end end_of(int rc)
{
	return rc == thrd_success ? WAIT_GOT : rc == thrd_timedout ? WAIT_TIMEOUT : WAIT_FAILED;
}

static __attribute__((noinline)) int lock_waits(mtx_t *m, const struct timespec *until, struct wait_site site)
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
	cpi_wait_end(&w, &site, end_of(rc));
	return rc;
}

CPA_EXPORT int mtx_lock(mtx_t *m)
{
	int rc;

	if (!WAITS_ON)
		return WAIT_NEXT(mtx_lock)(m);
	rc = WAIT_NEXT(mtx_trylock)(m);
	return rc != thrd_busy ? rc : lock_waits(m, NULL, WAIT_SITE(mtx_lock));
}

CPA_EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	int rc;

	if (!WAITS_ON || !until)
		return WAIT_NEXT(mtx_timedlock)(m, until);
	rc = WAIT_NEXT(mtx_trylock)(m);
	return rc != thrd_busy ? rc : lock_waits(m, until, WAIT_SITE(mtx_timedlock));
}

CPA_EXPORT int mtx_unlock(mtx_t *m)
{
	if (HOLDER_IS_WAITED_FOR(m) && holder_lets_go((const pthread_mutex_t *)m))
		cpi_holder_unlock(m, &WAIT_SITE(mtx_unlock));
	return WAIT_NEXT(mtx_unlock)(m);
}

CPA_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	struct wait_site site = WAIT_SITE(cnd_wait);
	struct wait w;
	int rc;

	if (!WAITS_ON)
		return WAIT_NEXT(cnd_wait)(c, m);
	if (HOLDER_IS_WAITED_FOR(m))
		cpi_holder_unlock(m, &site);
	cpi_wait_begin(&w, NULL);
	rc = WAIT_NEXT(cnd_wait)(c, m);
	cpi_wait_end(&w, &site, end_of(rc));
	return rc;
}

CPA_EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	struct wait_site site = WAIT_SITE(cnd_timedwait);
	struct wait w;
	int rc;

	if (!WAITS_ON)
		return WAIT_NEXT(cnd_timedwait)(c, m, until);
	if (HOLDER_IS_WAITED_FOR(m))
		cpi_holder_unlock(m, &site);
	cpi_wait_begin(&w, NULL);
	rc = WAIT_NEXT(cnd_timedwait)(c, m, until);
	cpi_wait_end(&w, &site, end_of(rc));
	return rc;
}

/* C11 cannot ask whether a thread has ended: a join that need not wait counts as a wait of its own length. */
CPA_EXPORT int thrd_join(thrd_t thread, int *result)
{
	struct wait_site site = WAIT_SITE(thrd_join);
	struct wait w;
	int rc;

	if (!WAITS_ON)
		return WAIT_NEXT(thrd_join)(thread, result);
	cpi_wait_begin(&w, NULL);
	rc = WAIT_NEXT(thrd_join)(thread, result);
	cpi_wait_end(&w, &site, end_of(rc));
	return rc;
}
