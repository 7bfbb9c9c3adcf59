/*
 * mill.c - a program to record: two threads, one with blanks and parentheses in its name, page faults, inlined code
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	return x * UINT64_C(0xff51afd7ed558ccd);
}

__attribute__((noinline)) uint64_t grind(uint64_t n)
{
	uint64_t x = n;

	for (uint64_t i = 0; i < n; i++)
		x = mix(x + i);
	return x;
}

__attribute__((noinline)) uint64_t depth(unsigned n, uint64_t work)
{
	uint64_t r = n ? depth(n - 1, work) : grind(work);

	sink += r;
	return r;
}

__attribute__((noinline)) void touch(size_t n)
{
	char *p = malloc(n);

	if (p)
		memset(p, 1, n);
	free(p);
}

static void *worker(void *arg)
{
	depth(3, *(uint64_t *)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t work = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	pthread_t t;

	pthread_create(&t, NULL, worker, &work);
	pthread_setname_np(t, "mill (x;y) 7");
	touch(work / 16);
	depth(1, work / 2);
	pthread_join(t, NULL);
	return 0;
}
