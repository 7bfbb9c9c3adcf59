/*
 * stress.c - does everything that made profilers hang or crash, all in parallel, for some seconds
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * stress SECONDS LIBRARY...   loads and unloads the libraries all the time, and sends itself the profiler's signal
 * Prints counts of its actions, and "done" when all threads have ended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop;
static atomic_ulong n_visits, n_blocks, n_loads, n_threads, n_forks, n_turns, n_signals;
static char **libraries;
static volatile unsigned long sink;

static int visit_object(struct dl_phdr_info *o, size_t size, void *arg)
{
	void *p = malloc(100 + strlen(o->dlpi_name));

	(void)arg;
	sink += size + (p != NULL);
	free(p);
	return 0;
}

static void *visit_objects(void *arg)
{
	while (!stop) {
		dl_iterate_phdr(visit_object, NULL);
		n_visits++;
	}
	return arg;
}

static void *take_memory(void *arg)
{
	void *block[64] = { 0 };

	for (unsigned i = 1; !stop; i++) {
		unsigned at = i * 2654435761u >> 26;

		free(block[at]);
		block[at] = malloc(16 + i % 5000);
		n_blocks++;
	}
	for (int i = 0; i < 64; i++)
		free(block[i]);
	return arg;
}

static void *load(void *arg)
{
	while (!stop)
		for (char **l = libraries; *l && !stop; l++) {
			void *h = dlopen(*l, RTLD_NOW);
			int (*f)(int) = NULL;

			if (!h)
				continue;
			*(void **)&f = dlsym(h, "plugin");
			if (f)
				sink += (unsigned long)f(2000);
			dlclose(h);
			n_loads++;
		}
	return arg;
}

static void *short_life(void *arg)
{
	long end_kind = (long)arg;

	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i;
	if (end_kind == 1)
		pthread_exit(NULL);
	while (end_kind == 2) {
		pthread_testcancel();
		sink++;
	}
	return NULL;
}

static void *make_threads(void *arg)
{
	while (!stop) {
		pthread_t t[4];

		for (long k = 0; k < 4; k++)
			pthread_create(&t[k], NULL, short_life, (void *)(k % 3));
		pthread_cancel(t[2]);
		for (int k = 0; k < 4; k++)
			pthread_join(t[k], NULL);
		n_threads += 4;
	}
	return arg;
}

static void *make_children(void *arg)
{
	while (!stop) {
		pid_t pid = fork();

		if (pid == 0) {
			free(malloc(100));
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		n_forks++;
		usleep(1000);
	}
	return arg;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;

/* Threads that wait for each other, and allocate and free memory under the lock. */
static void *take_turns(void *arg)
{
	while (!stop) {
		pthread_mutex_lock(&lock);
		free(malloc(3000));
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long)i;
		if (n_turns % 2 == 0) {
			struct timespec soon;

			clock_gettime(CLOCK_REALTIME, &soon);
			soon.tv_sec += soon.tv_nsec / 999000000;
			soon.tv_nsec = (soon.tv_nsec + 500000) % 1000000000;
			pthread_cond_timedwait(&turn, &lock, &soon);
		} else {
			pthread_cond_broadcast(&turn);
		}
		n_turns++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* Sends signals to the process while threads end. */
static void *send_signals(void *arg)
{
	while (!stop) {
		for (int i = 0; i < 20; i++)
			kill(getpid(), SIGPROF);
		n_signals += 20;
		usleep(500);
	}
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const work[])(void *) = { visit_objects, take_memory, take_memory, load,        make_threads,
					  make_children, take_turns,  take_turns,  send_signals };
	enum { N = sizeof(work) / sizeof(work[0]) };
	pthread_t thread[N];
	struct timespec end;

	libraries = argv + 2;
	signal(SIGPROF, SIG_IGN);
	for (int i = 0; i < N; i++)
		pthread_create(&thread[i], NULL, work[i], NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += argc > 1 ? atoi(argv[1]) : 5;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
	stop = 1;
	for (int i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	fprintf(stderr, "visits %lu, blocks %lu, loads %lu, threads %lu, forks %lu, turns %lu, signals %lu\n", n_visits,
		n_blocks, n_loads, n_threads, n_forks, n_turns, n_signals);
	puts("done");
	return 0;
}
