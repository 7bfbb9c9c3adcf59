/*
 * waits_same.c - results of conditions, semaphores, joins, C11 threads and forks in unusual cases
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints one line per case, which must not depend on the library.
 */
#define _GNU_SOURCE
#include "locks_same.h"

#include <stdatomic.h>

/* Cancellation: which call was cancelled, at which point, and whether cleanup handlers ran. */

static pthread_mutex_t cancel_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cancel_cond = PTHREAD_COND_INITIALIZER;
static sem_t cancel_sem;
static pthread_t sleeper;
static sem_t may_end;                      /* posted once for each waits_until_released() */
static atomic_int is_before, is_cancelled; /* used by cancel_before_sem() */
static int cleaned;

static void clean(void *arg)
{
	cleaned++;
	if (arg)
		printf("held: %s\n", strerror(pthread_mutex_unlock(arg)));
}

static void *cancel_in_cond(void *arg)
{
	pthread_mutex_lock(&cancel_mutex);
	pthread_cleanup_push(clean, &cancel_mutex);
	for (;;)
		if (arg)
			pthread_cond_timedwait(&cancel_cond, &cancel_mutex, in(CLOCK_REALTIME, 60000));
		else
			pthread_cond_wait(&cancel_cond, &cancel_mutex);
	pthread_cleanup_pop(0);
}

static void *cancel_in_sem(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	if (arg)
		sem_timedwait(&cancel_sem, in(CLOCK_REALTIME, 60000));
	else
		sem_wait(&cancel_sem);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *cancel_before_sem(void *arg)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	is_before = 1;
	while (!is_cancelled)
		usleep(1000);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	pthread_cleanup_push(clean, NULL);
	sem_wait(&cancel_sem); /* it would not block, but is still a cancellation point */
	pthread_cleanup_pop(0);
	return arg;
}

static void *waits_until_released(void *arg)
{
	while (sem_wait(&may_end) != 0)
		;
	return arg;
}

static void *cancel_in_join(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	pthread_join(sleeper, NULL);
	pthread_cleanup_pop(0);
	return arg;
}

static void *cancel_in_lock(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	printf("pthread_mutex_lock is not a cancellation point: %s\n", strerror(pthread_mutex_lock(&cancel_mutex)));
	pthread_mutex_unlock(&cancel_mutex);
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return arg;
}

static void cancel(const char *name, void *(*f)(void *), void *arg)
{
	void *result;
	pthread_t t;

	cleaned = 0;
	is_cancelled = 0;
	pthread_create(&t, NULL, f, arg);
	usleep(10000);
	while (f == cancel_before_sem && !is_before)
		usleep(1000);
	pthread_cancel(t);
	is_cancelled = 1;
	if (f == cancel_in_lock) {
		usleep(10000);
		pthread_mutex_unlock(&cancel_mutex);
	}
	printf("%s: join %d", name, pthread_join(t, &result));
	printf(", %s, cleaned %d\n", result == PTHREAD_CANCELED ? "cancelled" : "not cancelled", cleaned);
}

static void cancels(void)
{
	int value;

	cancel("cond_wait", cancel_in_cond, NULL);
	cancel("cond_timedwait", cancel_in_cond, &value);
	CASE(pthread_mutex_trylock(&cancel_mutex));
	cancel("mutex_lock", cancel_in_lock, NULL);
	cancel("sem_wait", cancel_in_sem, NULL);
	cancel("sem_timedwait", cancel_in_sem, &value);
	sem_post(&cancel_sem);
	cancel("sem_wait before", cancel_before_sem, NULL);
	CASE_ERRNO(sem_getvalue(&cancel_sem, &value));
	printf("value of the semaphore: %d\n", value);
	pthread_create(&sleeper, NULL, waits_until_released, NULL);
	cancel("join", cancel_in_join, NULL);
	sem_post(&may_end);
	CASE(pthread_join(sleeper, NULL));
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void semaphores(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	sem_t s;

	sem_init(&s, 0, 1);
	errno = EDOM;
	CASE_ERRNO(sem_wait(&s));
	printf("errno is preserved: %d\n", errno == EDOM);
	for (int i = 0; i < 2; i++) {
		CASE_ERRNO(sem_timedwait(&s, &past));
		CASE_ERRNO(sem_timedwait(&s, &bad));
		CASE_ERRNO(sem_timedwait(&s, &negative));
		CASE_ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &past));
		CASE_ERRNO(sem_clockwait(&s, CLOCK_MONOTONIC, &bad));
		CASE_ERRNO(sem_clockwait(&s, 77, &past));
		sem_post(&s);
	}
	sem_wait(&s);
	sigaction(SIGALRM, &action, NULL);
	ualarm(20000, 20000); /* repeatedly, in case the first signal comes before the wait */
	CASE_ERRNO(sem_wait(&s));
	CASE_ERRNO(sem_timedwait(&s, in(CLOCK_REALTIME, 60000)));
	ualarm(0, 0);
	CASE_ERRNO(sem_timedwait(&s, in(CLOCK_REALTIME, 10)));
}

static void joins(void)
{
	static int value;
	pthread_t t, gone;
	void *result;

	CASE(pthread_join(pthread_self(), NULL));
	pthread_create(&t, NULL, waits_until_released, &value);
	CASE(pthread_timedjoin_np(t, &result, &past));
	CASE(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, in(CLOCK_MONOTONIC, 10)));
	CASE(pthread_clockjoin_np(t, &result, 77, &past));
	sem_post(&may_end);
	CASE(pthread_join(t, &result));
	printf("result of the thread: %d\n", result == &value);
	sem_post(&may_end);
	pthread_create(&t, NULL, waits_until_released, &value);
	CASE(pthread_timedjoin_np(t, &result, &bad)); /* waits for the end of the thread */
	pthread_create(&gone, NULL, waits_until_released, NULL);
	pthread_detach(gone);
	CASE(pthread_join(gone, NULL));
	pthread_create(&t, NULL, waits_until_released, &value);
	sem_post(&may_end);
	sem_post(&may_end);
	usleep(150000);
	CASE(pthread_join(t, &result));
	printf("result of the thread: %d\n", result == &value);
}

static void *in_barrier(void *arg)
{
	return (void *)(long)(pthread_barrier_wait(arg) == PTHREAD_BARRIER_SERIAL_THREAD);
}

static void barriers(void)
{
	pthread_barrier_t b;
	pthread_t t[4];
	long serial = 0;

	pthread_barrier_init(&b, NULL, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, in_barrier, &b);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(t[i], &result);
		serial += (long)result;
	}
	printf("serial threads of a barrier: %ld\n", serial);
}

static void conditions(void)
{
	pthread_mutex_t m = mutex_of(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	pthread_cond_t c = PTHREAD_COND_INITIALIZER;

	CASE(pthread_cond_wait(&c, &m)); /* the caller does not hold the lock */
	CASE(pthread_mutex_lock(&m));
	CASE(pthread_cond_timedwait(&c, &m, &past));
	CASE(pthread_cond_timedwait(&c, &m, &bad));
	CASE(pthread_cond_timedwait(&c, &m, in(CLOCK_REALTIME, 10)));
	CASE(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, in(CLOCK_MONOTONIC, 10)));
	CASE(pthread_cond_clockwait(&c, &m, 77, &past));
	CASE(pthread_mutex_unlock(&m));
}

#if defined(__x86_64__)
/* Condition variables of programs linked before 2003. */
int old_wait(pthread_cond_t *, pthread_mutex_t *);
int old_timedwait(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
int old_signal(pthread_cond_t *);
__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5");
__asm__(".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5");
__asm__(".symver old_signal, pthread_cond_signal@GLIBC_2.2.5");

static pthread_cond_t old_cond;
static int is_released;

static void *tells(void *arg)
{
	usleep(10000);
	pthread_mutex_lock(arg);
	is_released = 1;
	printf("old signal: %s\n", strerror(old_signal(&old_cond)));
	pthread_mutex_unlock(arg);
	return NULL;
}

static void old_conditions(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_t t;

	pthread_mutex_lock(&m);
	CASE(old_timedwait(&old_cond, &m, in(CLOCK_REALTIME, 10)));
	pthread_create(&t, NULL, tells, &m);
	while (!is_released)
		old_wait(&old_cond, &m);
	CASE(pthread_mutex_unlock(&m));
	CASE(pthread_join(t, NULL));
}
#else
static void old_conditions(void)
{
}
#endif

static int c11_result(void *arg)
{
	usleep(30000);
	return *(int *)arg;
}

static void c11(void)
{
	static const int types[] = { mtx_plain | mtx_timed, mtx_timed | mtx_recursive };
	int value = -7, result = 0;
	thrd_t t;
	cnd_t c;

	cnd_init(&c);
	for (int i = 0; i < 2; i++) {
		mtx_t m;

		mtx_init(&m, types[i]);
		CASE_C11(mtx_lock(&m));
		CASE_C11(mtx_timedlock(&m, &past));
		CASE_C11(mtx_timedlock(&m, in(CLOCK_REALTIME, 10)));
		if (i == 0)
			CASE_C11(cnd_timedwait(&c, &m, in(CLOCK_REALTIME, 10)));
		if (i == 1)
			CASE_C11(mtx_unlock(&m));
		CASE_C11(mtx_unlock(&m));
		mtx_destroy(&m);
	}
	for (int i = 0; i < 2; i++) {
		CASE_C11(thrd_create(&t, c11_result, &value));
		if (i == 1)
			usleep(60000);
		CASE_C11(thrd_join(t, &result));
		printf("result of the thread: %d\n", result);
	}
}

/* Fork while another thread holds the mutex and a third one waits for it. */
static void *waits_long(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

static void forks(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, *shared;
	pthread_mutexattr_t a;
	pthread_t t[2];
	int status;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutex_init(shared, &a);
	pthread_create(&t[0], NULL, has_mutex, &m);
	pthread_barrier_wait(&barrier);
	pthread_create(&t[1], NULL, waits_long, &m);
	usleep(20000);
	pthread_mutex_lock(shared);
	if (fork() == 0) {
		struct timespec soon = *in(CLOCK_REALTIME, 20);
		pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

		_exit(pthread_mutex_timedlock(&m, &soon) == ETIMEDOUT && pthread_mutex_lock(&own) == 0 &&
				      ask(&own) == ETIMEDOUT && pthread_mutex_unlock(&own) == 0 && ask(&own) == 0 &&
				      pthread_mutex_lock(shared) == 0 && pthread_mutex_unlock(shared) == 0
			      ? 5
			      : 6);
	}
	usleep(60000);
	pthread_mutex_unlock(shared);
	wait(&status);
	printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	pthread_barrier_wait(&barrier);
	CASE(pthread_join(t[0], NULL));
	CASE(pthread_join(t[1], NULL));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&cancel_sem, 0, 0);
	sem_init(&may_end, 0, 0);
	cancels();
	semaphores();
	joins();
	barriers();
	conditions();
	old_conditions();
	c11();
	fflush(stdout);
	forks();
	return 0;
}
