/*
 * heap_bench.c - what malloc and free take, alone or under whoever is preloaded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: heap_bench [TIMES]
 *
 * Prints nanoseconds of CPU time a pair: "tight NS" of 64 bytes; "mixed-1 NS", "mixed-2 NS" of 16 to 1024
 * bytes, 10000 of which live, with one thread and two. Each is the least of TIMES rounds (7).
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TIGHT = 2000000, MIXED = 500000, LIVE = 10000, SIZE_LEAST = 16, SIZE_MOST = 1024, THREADS_MOST = 2 };

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
		live[at] = malloc(SIZE_LEAST + (state >> 32) % (SIZE_MOST - SIZE_LEAST + 1));
	}
	*out = (cpu_ns() - start) / MIXED;
	for (int i = 0; live && i < LIVE; i++)
		free(live[i]);
	free(live);
	return NULL;
}

static double mixed_by(int n)
{
	pthread_t thread[THREADS_MOST];
	double ns[THREADS_MOST] = { 0 }, sum = 0;

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
