/*
 * stress.c - everything that profilers got stuck or crashed in, at once, for some seconds
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * stress SECONDS LIBRARY...   libraries are loaded and unloaded all the time
 * Prints what was done, and "done" when all threads came back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int stop;
static atomic_ulong n_looks, n_blocks, n_loads, n_threads, n_forks;
static char **libraries;
static volatile unsigned long sink;

static int look(struct dl_phdr_info *o, size_t size, void *arg)
{
	void *p = malloc(100 + strlen(o->dlpi_name));

	(void)arg;
	sink += size + (p != NULL);
	free(p);
	return 0;
}

static void *look_at_objects(void *arg)
{
	while (!stop) {
		dl_iterate_phdr(look, NULL);
		n_looks++;
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
	long how = (long)arg;

	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i;
	if (how == 1)
		pthread_exit(NULL);
	while (how == 2) {
		pthread_testcancel();
		sink++;
	}
	return NULL;
}

static void *make_threads(void *arg)
{
	for (long i = 0; !stop; i++) {
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

int main(int argc, char **argv)
{
	void *(*const work[])(
		void *) = { look_at_objects, take_memory, take_memory, load, make_threads, make_children };
	enum { N = sizeof(work) / sizeof(work[0]) };
	pthread_t thread[N];

	libraries = argv + 2;
	for (int i = 0; i < N; i++)
		pthread_create(&thread[i], NULL, work[i], NULL);
	sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 5);
	stop = 1;
	for (int i = 0; i < N; i++)
		pthread_join(thread[i], NULL);
	fprintf(stderr, "looks %lu, blocks %lu, loads %lu, threads %lu, forks %lu\n", n_looks, n_blocks, n_loads,
		n_threads, n_forks);
	puts("done");
	return 0;
}
