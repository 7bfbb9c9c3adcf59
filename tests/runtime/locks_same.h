/*
 * locks_same.h - common parts of the programs that print results of locks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_LOCKS_SAME_H
#define TESTS_LOCKS_SAME_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CASE(call) printf("%s: %s\n", #call, strerror(call))
#define CASE_ERRNO(call) printf("%s: %s\n", #call, (call) == 0 ? "0" : strerror(errno))
#define CASE_C11(call) printf("%s: %d\n", #call, call)

static const struct timespec past = { 1, 0 }, bad = { 1, 1000000000 }, negative = { 1, -1 };
static pthread_barrier_t barrier; /* of two */

static inline struct timespec *in(clockid_t clock, long ms)
{
	static _Thread_local struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return &t;
}

static inline pthread_mutex_t mutex_of(int type, int robust, int protocol)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setrobust(&a, robust);
	if (pthread_mutexattr_setprotocol(&a, protocol) != 0)
		puts("no protocol");
	pthread_mutex_init(&m, &a);
	return m;
}

struct ask {
	pthread_mutex_t *m;
	int rc;
};

/* The result of another thread that tries to lock the mutex for 20 ms. */
static inline void *asks(void *arg)
{
	struct ask *a = arg;

	a->rc = pthread_mutex_timedlock(a->m, in(CLOCK_REALTIME, 20));
	if (a->rc == 0)
		pthread_mutex_unlock(a->m);
	return NULL;
}

static inline int ask(pthread_mutex_t *m)
{
	struct ask a = { .m = m };
	pthread_t t;

	pthread_create(&t, NULL, asks, &a);
	pthread_join(t, NULL);
	return a.rc;
}

static inline void *has_mutex(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pthread_mutex_unlock(arg);
	return NULL;
}

#endif
