/*
 * heap_bench.c - the cost of malloc and free, alone or with a preloaded library
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: heap_bench [TIMES]
 *
 * Prints nanoseconds of CPU time per pair of calls: "tight NS" for 64 bytes; "mixed-1 NS" and "mixed-2 NS" for 16 to
 * 1024 bytes with 10000 live objects, in one and two threads. Each is the minimum of TIMES rounds (default 7).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIGHT = 2000000, MIXED = 500000, LIVE = 10000, SIZE_MIN = 16, SIZE_LIMIT = 1024, THREADS_MAX = 2 };

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double tight(void)
{
	double start = cpu_ns();

	for (int i = 0; i < TIGHT; i++) {
		void *p = malloc(64);

		__asm__ volatile("" : : "r"(p) : "memory");
		free(p);
	}
	return (cpu_ns() - start) / TIGHT;
}

static void *mixed(void *arg)
{
	void **live = calloc(LIVE, sizeof(*live));
	uint64_t state = 88172645463325252ULL;
	double start = 0, *out = arg;

	for (int i = 0; live && i < MIXED + LIVE; i++) {
		uint32_t at;

		if (i == LIVE)
			start = cpu_ns();
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		at = i < LIVE ? (uint32_t)i : (uint32_t)state % LIVE;
		free(live[at]);
		live[at] = malloc(SIZE_MIN + (state >> 32) % (SIZE_LIMIT - SIZE_MIN + 1));
	}
	*out = (cpu_ns() - start) / MIXED;
	for (int i = 0; live && i < LIVE; i++)
		free(live[i]);
	free(live);
	return NULL;
}

static double mixed_by(int n)
{
	pthread_t thread[THREADS_MAX];
	double ns[THREADS_MAX] = { 0 }, sum = 0;

	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, mixed, &ns[i]);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < n; i++)
		sum += ns[i];
	return sum / n;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 7;
	double least[3] = { 1e9, 1e9, 1e9 };

	for (int i = 0; i < times; i++) {
		double ns[3] = { tight(), mixed_by(1), mixed_by(2) };

		for (int k = 0; k < 3; k++)
			if (ns[k] < least[k])
				least[k] = ns[k];
	}
	printf("tight %.2f\nmixed-1 %.2f\nmixed-2 %.2f\n", least[0], least[1], least[2]);
	return 0;
}
