/*
 * burn.c - uses CPU time in threads, and prints how much
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * burn SECONDS...   one thread each; "@N SECONDS": N threads one after the other, "-": sleep 1 s
 * Prints the CPU time of the process in nanoseconds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

static volatile unsigned long sink;

static long long cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((noinline)) static void spin(double seconds)
{
	long long end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + (long long)(seconds * 1e9);

	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 2000; i++)
			sink += (unsigned long)i;
}

static void *work(void *seconds)
{
	if (strcmp(seconds, "-") == 0)
		sleep(1);
	else
		spin(atof(seconds));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	int n = 0;

	if (argc == 3 && argv[1][0] == '@') {
		for (int i = atoi(argv[1] + 1); i > 0; i--) {
			pthread_create(&thread[0], NULL, work, argv[2]);
			pthread_join(thread[0], NULL);
		}
	} else if (argc == 2) {
		work(argv[1]);
	} else {
		for (; n < argc - 1 && n < THREADS_MAX; n++)
			pthread_create(&thread[n], NULL, work, argv[n + 1]);
		while (n > 0)
			pthread_join(thread[--n], NULL);
	}
	printf("%lld\n", cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
