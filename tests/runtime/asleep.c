/*
 * asleep.c - one thread sleeps while others start and end and CPU profiles start and stop; its sleep must not be
 * interrupted
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: asleep SECONDS     prints how often its sleep was interrupted
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N_MAKERS = 3 };

static atomic_int is_over;
static volatile unsigned long sink;

static void *brief(void *arg)
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i;
	return arg;
}

static void *make(void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	while (!is_over)
		pthread_create(&thread, &attr, brief, NULL);
	return arg;
}

static int drop(void *arg, const void *data, size_t n)
{
	(void)arg;
	(void)data;
	(void)n;
	return 0;
}

static void *profile(void *arg)
{
	const cpa_cpu_opts often = { .size = sizeof(often), .hz = 1000 };
	const struct timespec time = { .tv_nsec = 20000000 };

	while (!is_over) {
		cpa_cpu_start_fn(drop, NULL, &often);
		nanosleep(&time, NULL);
		cpa_cpu_stop();
	}
	return arg;
}

int main(int argc, char **argv)
{
	struct timespec left = { .tv_sec = argc > 1 ? atoi(argv[1]) : 1 };
	pthread_t thread[N_MAKERS + 1];
	int n = 0;

	for (int i = 0; i <= N_MAKERS; i++)
		pthread_create(&thread[i], NULL, i ? make : profile, NULL);
	while (nanosleep(&left, &left) != 0)
		n++;
	is_over = 1;
	for (int i = 0; i <= N_MAKERS; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", n);
	return 0;
}
