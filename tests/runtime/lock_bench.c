/*
 * lock_bench.c - the cost of lock wrappers without contention
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: lock_bench [ROUNDS]
 *
 * Prints the ns to lock and unlock a free mutex, in turns through the functions as linked (our wrappers, if preloaded)
 * and through the C library directly: medians and minimum of all rounds. Then the same for semaphores, and for
 * creating and joining a thread.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOCKS = 5000, THREADS = 8, ROUNDS_MAX = 20001 };

struct mutex_fns {
	int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
};
struct sem_fns {
	int (*wait)(sem_t *), (*post)(sem_t *);
};
struct thread_fns {
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), (*join)(pthread_t, void **);
};

static struct mutex_fns mutexes[2] = { { pthread_mutex_lock, pthread_mutex_unlock } };
static struct sem_fns sem_fns[2] = { { sem_wait, sem_post } };
static struct thread_fns thread_fns[2] = { { pthread_create, pthread_join } };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double locks(const struct mutex_fns *f)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	double start = now();

	for (int i = 0; i < LOCKS; i++) {
		f->lock(&m);
		f->unlock(&m);
	}
	return (now() - start) / LOCKS;
}

static double sems(const struct sem_fns *f)
{
	double start;
	sem_t s;

	sem_init(&s, 0, 1);
	start = now();
	for (int i = 0; i < LOCKS; i++) {
		f->wait(&s);
		f->post(&s);
	}
	return (now() - start) / LOCKS;
}

static void *nothing(void *arg)
{
	return arg;
}

static double threads(const struct thread_fns *f)
{
	double start = now();

	for (int i = 0; i < THREADS; i++) {
		pthread_t t;

		if (f->create(&t, NULL, nothing, NULL) == 0)
			f->join(t, NULL);
	}
	return (now() - start) / THREADS;
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void print_times(const char *what, double got[2][ROUNDS_MAX], int n)
{
	for (int i = 0; i < 2; i++)
		qsort(got[i], (size_t)n, sizeof(double), order);
	printf("%-8s found %9.2f (least %9.2f)  C library %9.2f (%9.2f)  more %+9.2f (%+9.2f) ns\n", what,
	       got[0][n / 2], got[0][0], got[1][n / 2], got[1][0], got[0][n / 2] - got[1][n / 2],
	       got[0][0] - got[1][0]);
}

int main(int argc, char **argv)
{
	static double mutex[2][ROUNDS_MAX], sem[2][ROUNDS_MAX], thread[2][ROUNDS_MAX];
	int n_thread = 0, n = argc > 1 ? atoi(argv[1]) : 2001;
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

	if (!libc || n < 1 || n > ROUNDS_MAX)
		return 2;
	mutexes[1] = (struct mutex_fns){ dlsym(libc, "pthread_mutex_lock"), dlsym(libc, "pthread_mutex_unlock") };
	sem_fns[1] = (struct sem_fns){ dlsym(libc, "sem_wait"), dlsym(libc, "sem_post") };
	thread_fns[1] = (struct thread_fns){ dlsym(libc, "pthread_create"), dlsym(libc, "pthread_join") };
	threads(&thread_fns[0]); /* locks are slower once a second thread has existed */
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 2; k++) {
			int which = (i + k) % 2;

			mutex[which][i] = locks(&mutexes[which]);
			sem[which][i] = sems(&sem_fns[which]);
			if (i % 11 == 0)
				thread[which][n_thread / 2] = threads(&thread_fns[which]), n_thread++;
		}
	print_times("mutex", mutex, n);
	print_times("sem", sem, n);
	print_times("thread", thread, n_thread / 2);
	return 0;
}
