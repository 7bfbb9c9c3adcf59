/*
 * soak_load.c - a program that runs for long without leaks: heap, locks, labels, threads, values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: soak_load SECONDS     prints the number of rounds of work; soak.py requests its profiles meanwhile
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP __attribute__((noinline)) /* has its own row in reports */

enum { N_WORKERS = 4, N_KEPT = 2000, NAP_US = 3000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_over;
static volatile unsigned long sink;
static unsigned long n_rounds;

STEP static void compute(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i ^ sink >> 3;
}

/* Frees as much as it allocates, in another order. */
STEP static void churn(void **kept, unsigned *random)
{
	for (int i = 0; i < 200; i++) {
		unsigned at = (*random = *random * 1664525 + 1013904223) >> 8;
		size_t size = at % 8000 + 1;

		at = at / 8000 % N_KEPT;
		free(kept[at]);
		kept[at] = malloc(size);
		if (kept[at])
			memset(kept[at], 1, size);
	}
}

STEP static void fight(void)
{
	pthread_mutex_lock(&lock);
	compute(20000);
	n_rounds++;
	pthread_mutex_unlock(&lock);
}

static void *brief(void *arg)
{
	compute(50000);
	return arg;
}

static void *worker(void *arg)
{
	void **kept = calloc(N_KEPT, sizeof(*kept));
	unsigned random = (unsigned)(size_t)arg;

	for (int i = 0; kept && !is_over; i++) {
		pthread_t thread;

		churn(kept, &random);
		fight();
		if (i % 50 == 0 && pthread_create(&thread, NULL, brief, NULL) == 0)
			pthread_join(thread, NULL);
		usleep(NAP_US);
	}
	for (int i = 0; kept && i < N_KEPT; i++)
		free(kept[i]);
	free(kept);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[N_WORKERS];

	for (size_t i = 0; i < N_WORKERS; i++)
		if (pthread_create(&thread[i], NULL, worker, (void *)(i + 1)) != 0)
			return 1;
	sleep(argc > 1 ? (unsigned)atoi(argv[1]) : 10);
	is_over = 1;
	for (int i = 0; i < N_WORKERS; i++)
		pthread_join(thread[i], NULL);
	printf("%lu rounds\n", n_rounds);
	return 0;
}
