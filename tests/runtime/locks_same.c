/*
 * locks_same.c - results of mutexes and rwlocks in unusual cases, which must not depend on the library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints one line per case.
 */
#define _GNU_SOURCE
#include "locks_same.h"

/* A thread that ends while it holds the mutex. */
static void *dies(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_barrier_wait(&barrier);
	usleep(20000);
	return NULL;
}

static void owner_dies(pthread_mutex_t *m, int timed)
{
	pthread_t t;

	pthread_create(&t, NULL, dies, m);
	pthread_barrier_wait(&barrier);
	if (timed)
		CASE(pthread_mutex_timedlock(m, in(CLOCK_REALTIME, 5000)));
	else
		CASE(pthread_mutex_lock(m));
	pthread_join(t, NULL);
}

static void kinds(int robust, int protocol)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ADAPTIVE_NP };

	for (unsigned i = 0; i < sizeof(types) / sizeof(*types); i++) {
		pthread_mutex_t m = mutex_of(types[i], robust, protocol);

		printf("type %d robust %d protocol %d\n", types[i], robust, protocol);
		if (types[i] == PTHREAD_MUTEX_ERRORCHECK)
			CASE(pthread_mutex_unlock(&m));
		CASE(pthread_mutex_lock(&m));
		CASE(ask(&m));
		if (types[i] == PTHREAD_MUTEX_ERRORCHECK || types[i] == PTHREAD_MUTEX_RECURSIVE) {
			CASE(pthread_mutex_lock(&m));
			CASE(pthread_mutex_timedlock(&m, &past));
			CASE(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
			CASE(pthread_mutex_unlock(&m));
			CASE(ask(&m));
			CASE(pthread_mutex_unlock(&m));
			CASE(ask(&m));
			CASE(pthread_mutex_unlock(&m));
			CASE(pthread_mutex_unlock(&m));
			CASE(ask(&m));
		} else {
			CASE(pthread_mutex_unlock(&m));
			CASE(ask(&m));
		}
		if (robust == PTHREAD_MUTEX_ROBUST) {
			owner_dies(&m, 0);
			CASE(pthread_mutex_consistent(&m));
			CASE(pthread_mutex_unlock(&m));
			owner_dies(&m, 1);
			CASE(pthread_mutex_unlock(&m));
			CASE(pthread_mutex_lock(&m));
			CASE(pthread_mutex_timedlock(&m, &past));
		}
		CASE(pthread_mutex_destroy(&m));
	}
}

static void timeouts(int protocol)
{
	pthread_mutex_t m = mutex_of(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, protocol);
	pthread_t t;

	for (int busy = 0; busy < 2; busy++) {
		if (busy) {
			pthread_create(&t, NULL, has_mutex, &m);
			pthread_barrier_wait(&barrier);
		}
		printf("busy %d\n", busy);
		for (int i = 0; i < 3; i++) {
			static const struct timespec *const when[] = { &past, &bad, &negative };

			printf("%d\n", i);
#define LOCK(call)                                                                                                     \
	do {                                                                                                           \
		int rc = call;                                                                                         \
		printf("%s: %s\n", #call, strerror(rc));                                                               \
		if (rc == 0)                                                                                           \
			pthread_mutex_unlock(&m);                                                                      \
	} while (0)
			LOCK(pthread_mutex_timedlock(&m, when[i]));
			LOCK(pthread_mutex_clocklock(&m, CLOCK_REALTIME, when[i]));
			LOCK(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, when[i]));
			LOCK(pthread_mutex_clocklock(&m, CLOCK_THREAD_CPUTIME_ID, when[i]));
			LOCK(pthread_mutex_clocklock(&m, 77, when[i]));
		}
		if (busy)
			CASE(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, in(CLOCK_MONOTONIC, 20)));
	}
	pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
}

struct rw {
	pthread_rwlock_t *l;
	int write;
};

static void *has_rwlock(void *arg)
{
	struct rw *rw = arg;

	if (rw->write)
		pthread_rwlock_wrlock(rw->l);
	else
		pthread_rwlock_rdlock(rw->l);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_rwlock_unlock(rw->l);
	return NULL;
}

static void rwlocks(int prefer)
{
	static const struct timespec *const when[] = { &past, &bad, &negative };
	pthread_rwlockattr_t a;
	pthread_rwlock_t l;

	pthread_rwlockattr_init(&a);
	pthread_rwlockattr_setkind_np(&a, prefer);
	pthread_rwlock_init(&l, &a);
	for (int held = 0; held < 3; held++) { /* free, held by a reader, held by a writer */
		struct rw rw = { &l, held == 2 };
		pthread_t t;

		printf("rwlock of kind %d held %d\n", prefer, held);
		if (held) {
			pthread_create(&t, NULL, has_rwlock, &rw);
			pthread_barrier_wait(&barrier);
		}
		for (int i = 0; i < 3; i++) {
#define RW(call)                                                                                                       \
	do {                                                                                                           \
		int rc = call;                                                                                         \
		printf("%s: %s\n", #call, strerror(rc));                                                               \
		if (rc == 0)                                                                                           \
			pthread_rwlock_unlock(&l);                                                                     \
	} while (0)
			RW(pthread_rwlock_timedrdlock(&l, when[i]));
			RW(pthread_rwlock_timedwrlock(&l, when[i]));
			RW(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, when[i]));
			RW(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, when[i]));
			RW(pthread_rwlock_clockwrlock(&l, 77, when[i]));
			RW(pthread_rwlock_clockrdlock(&l, 77, when[i]));
		}
		RW(pthread_rwlock_timedwrlock(&l, in(CLOCK_REALTIME, 10)));
		RW(pthread_rwlock_timedrdlock(&l, in(CLOCK_REALTIME, 10)));
		if (held) {
			pthread_barrier_wait(&barrier);
			pthread_join(t, NULL);
		}
	}
	CASE(pthread_rwlock_wrlock(&l));
	CASE(pthread_rwlock_wrlock(&l));
	CASE(pthread_rwlock_rdlock(&l));
	CASE(pthread_rwlock_timedrdlock(&l, &past));
	CASE(pthread_rwlock_timedwrlock(&l, &past));
	CASE(pthread_rwlock_unlock(&l));
	CASE(pthread_rwlock_destroy(&l));
}

int main(void)
{
	static const int protocols[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT };

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++) {
		kinds(PTHREAD_MUTEX_STALLED, protocols[i]);
		kinds(PTHREAD_MUTEX_ROBUST, protocols[i]);
		timeouts(protocols[i]);
	}
	rwlocks(PTHREAD_RWLOCK_PREFER_READER_NP);
	rwlocks(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	return 0;
}
