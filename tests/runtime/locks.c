/*
 * locks.c - a program whose threads wait for known times
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: locks hold|chain|many|reader|bias|create
 *
 * Prints lines of NAME NS: the expected value of the function in the profile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define END_OF_FUNCTION __asm__ volatile("") /* prevents a tail call before it */

enum { WAITERS = 5, HOLDS = 100, HOLD_US = 10000, CHAIN = 5, STEP_US = 100000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic long long waited, waited_more;
static _Atomic int turn;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void say(const char *name, long long ns)
{
	printf("%s %lld\n", name, ns);
}

static void start_all(pthread_t *t, int n, void *(*f)(void *))
{
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, f, (void *)i) != 0)
			exit(2);
}

static void join_all(pthread_t *t, int n)
{
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

/* hold: one thread holds the mutex for 10 ms, 100 times, and each time five others wait */

NOINLINE static void waiter_lock(void)
{
	long long start = now();

	pthread_mutex_lock(&mutex);
	waited += now() - start;
}

NOINLINE static void waiter_unlock(void)
{
	pthread_mutex_unlock(&mutex);
	END_OF_FUNCTION;
}

NOINLINE static void holder_unlock(void)
{
	pthread_mutex_unlock(&mutex);
	END_OF_FUNCTION;
}

static void *waiter(void *arg)
{
	for (int i = 1; i <= HOLDS; i++) {
		while (turn < i)
			usleep(200);
		waiter_lock();
		waiter_unlock();
	}
	return arg;
}

static void hold(void)
{
	pthread_t t[WAITERS];

	start_all(t, WAITERS, waiter);
	for (int i = 1; i <= HOLDS; i++) {
		pthread_mutex_lock(&mutex);
		turn = i;
		usleep(HOLD_US);
		holder_unlock();
		usleep(2000);
	}
	join_all(t, WAITERS);
	say("holder_unlock", waited);
	say("waiter_lock", waited);
}

/* chain: five threads lock one after another; the i-th holds the mutex for i steps */

static long long came[CHAIN], left[CHAIN];

NOINLINE static void chain_step(long i)
{
	usleep((unsigned)i * STEP_US / 10);
	came[i] = now();
	pthread_mutex_lock(&mutex);
	usleep((unsigned)(i + 1) * STEP_US);
	left[i] = now();
	pthread_mutex_unlock(&mutex);
	END_OF_FUNCTION;
}

#define CHAIN_HOLDER(n)                                                                                                \
	NOINLINE static void *holder_##n(void *arg)                                                                    \
	{                                                                                                              \
		chain_step(n);                                                                                         \
		END_OF_FUNCTION;                                                                                       \
		return arg;                                                                                            \
	}
CHAIN_HOLDER(0)
CHAIN_HOLDER(1)
CHAIN_HOLDER(2)
CHAIN_HOLDER(3)
CHAIN_HOLDER(4)

static void chain(void)
{
	void *(*const holder[])(void *) = { holder_0, holder_1, holder_2, holder_3, holder_4 };
	pthread_t t[CHAIN];

	for (int i = 0; i < CHAIN; i++)
		if (pthread_create(&t[i], NULL, holder[i], NULL) != 0)
			exit(2);
	join_all(t, CHAIN);
	for (int i = 0; i < CHAIN; i++) {
		char name[32];
		long long ns = 0;

		for (int j = i + 1; j < CHAIN; j++) {
			long long from = i > 0 && left[i - 1] > came[j] ? left[i - 1] : came[j];

			ns += left[i] - from;
		}
		snprintf(name, sizeof(name), "holder_%d", i);
		say(name, ns);
	}
}

/* many: threads lock thousands of mutexes, which are created and destroyed in the same memory */

enum { MANY = 6000, GENERATIONS = 4, MANY_THREADS = 8, PICKS = 400 };
static pthread_mutex_t *many_mutex;

NOINLINE static void many_lock(pthread_mutex_t *m)
{
	long long start;

	if (pthread_mutex_trylock(m) == 0)
		return;
	start = now();
	pthread_mutex_lock(m);
	waited += now() - start;
}

static void *many_thread(void *arg)
{
	unsigned x = (unsigned)(long)arg / 2; /* pairs of threads lock in the same order */

	for (int i = 0; i < PICKS; i++) {
		x = x * 1103515245 + 12345;
		many_lock(&many_mutex[x / 7 % MANY]);
		usleep(100);
		pthread_mutex_unlock(&many_mutex[x / 7 % MANY]);
	}
	return arg;
}

static void many(void)
{
	for (int g = 0; g < GENERATIONS; g++) {
		pthread_t t[MANY_THREADS];

		many_mutex = malloc(MANY * sizeof(*many_mutex));
		for (int i = 0; i < MANY; i++)
			pthread_mutex_init(&many_mutex[i], NULL);
		start_all(t, MANY_THREADS, many_thread);
		join_all(t, MANY_THREADS);
		for (int i = 0; i < MANY; i++)
			pthread_mutex_destroy(&many_mutex[i]);
		memset(many_mutex, 0xff, MANY * sizeof(*many_mutex));
		free(many_mutex);
	}
	say("many_lock", waited);
}

/* reader: two readers hold the lock for 50 and 100 ms, a writer waits; then a reader waits for it */

NOINLINE static void reader_unlock(void)
{
	pthread_rwlock_unlock(&rwlock);
	END_OF_FUNCTION;
}

NOINLINE static void writer_unlock(void)
{
	pthread_rwlock_unlock(&rwlock);
	END_OF_FUNCTION;
}

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	usleep((unsigned)((long)arg + 1) * 50000);
	reader_unlock();
	return NULL;
}

NOINLINE static void *late_reader(void *arg)
{
	long long start = now();

	pthread_rwlock_rdlock(&rwlock);
	waited_more = now() - start;
	reader_unlock();
	return arg;
}

NOINLINE static void writer_lock(void)
{
	long long start = now();

	pthread_rwlock_wrlock(&rwlock);
	waited = now() - start;
}

static void readers(void)
{
	pthread_t t[3];

	start_all(t, 2, reader);
	usleep(10000);
	writer_lock();
	if (pthread_create(&t[2], NULL, late_reader, NULL) != 0)
		exit(2);
	usleep(50000);
	writer_unlock();
	join_all(t, 3);
	say("writer_lock", waited);
	say("late_reader", waited_more);
	say("reader_unlock", waited);
	say("writer_unlock", waited_more);
}

/* bias: waits of 10 us to 1 s */

static _Atomic long long bias_ns[4], bias_n[4];

NOINLINE static void bias_wait(int kind, long ns)
{
	struct timespec until;
	long long start;
	sem_t s;

	sem_init(&s, 0, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	start = now();
	sem_timedwait(&s, &until);
	bias_ns[kind] += now() - start;
	bias_n[kind]++;
}

#define BIAS_WAIT(name, kind, n, ns)                                                                                   \
	NOINLINE static void name(void)                                                                                \
	{                                                                                                              \
		for (int i = 0; i < (n); i++)                                                                          \
			bias_wait(kind, ns);                                                                           \
		END_OF_FUNCTION;                                                                                       \
	}
BIAS_WAIT(wait_10_us, 0, 10000, 10000)
BIAS_WAIT(wait_300_us, 1, 2000, 300000)
BIAS_WAIT(wait_20_ms, 2, 20, 20000000)
BIAS_WAIT(wait_1_s, 3, 1, 999999999)

static void *biased(void *arg)
{
	wait_10_us();
	wait_300_us();
	wait_20_ms();
	wait_1_s();
	return arg;
}

static void bias(void)
{
	static const char *const name[] = { "wait_10_us", "wait_300_us", "wait_20_ms", "wait_1_s" };
	enum { N = 6 };
	pthread_t t[N];

	start_all(t, N, biased);
	join_all(t, N);
	for (int i = 0; i < 4; i++) {
		char text[32];

		say(name[i], bias_ns[i]);
		snprintf(text, sizeof(text), "count_%s", name[i]);
		say(text, bias_n[i]);
	}
}

/* create: functions that create threads */

static void *nothing(void *arg)
{
	return arg;
}

static int nothing_c11(void *arg)
{
	return arg != NULL;
}

NOINLINE static void create_three(void)
{
	pthread_t t[3];

	start_all(t, 3, nothing);
	join_all(t, 3);
}

NOINLINE static void create_c11(void)
{
	thrd_t t;

	if (thrd_create(&t, nothing_c11, NULL) != thrd_success)
		exit(2);
	thrd_join(t, NULL);
}

static void create(void)
{
	pthread_attr_t attr;
	pthread_t t;

	for (int i = 0; i < 7; i++)
		create_three();
	for (int i = 0; i < 4; i++)
		create_c11();
	/* a call that fails, and is not counted */
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46);
	if (pthread_create(&t, &attr, nothing, NULL) == 0)
		exit(2);
	say("create_three", 21);
	say("create_c11", 4);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} runs[] = { { "hold", hold },      { "chain", chain }, { "many", many },
		     { "reader", readers }, { "bias", bias },   { "create", create } };

	for (unsigned i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		if (argc > 1 && strcmp(argv[1], runs[i].name) == 0) {
			runs[i].run();
			return 0;
		}
	return 2;
}
