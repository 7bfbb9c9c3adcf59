/*
 * deep.c - a recursion of two functions that uses more stack than the kernel copies for a sample
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: deep still|moves [SECONDS]
 *
 * still: the leaf at depth 200 uses CPU time. moves: it does so at depths from 20 to 200, for a short time each.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum { DEPTH = 200 };

static volatile unsigned long sum;
static double leaf_seconds;

static double wall_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

NOINLINE static void deep_leaf(void)
{
	for (double end = wall_seconds() + leaf_seconds; wall_seconds() < end;)
		for (unsigned long i = 0; i < 1000; i++)
			sum = sum * 31 + i;
}

NOINLINE static unsigned long deep_even(int n);

NOINLINE static unsigned long deep_odd(int n)
{
	char room[600];

	memset(room, n, sizeof(room));
	__asm__ volatile("" ::"r"(room) : "memory");
	if (n <= 0)
		deep_leaf();
	return (n > 0 ? deep_even(n - 1) : 0) + (unsigned long)room[n & 127];
}

NOINLINE static unsigned long deep_even(int n)
{
	char room[800];

	memset(room, n, sizeof(room));
	__asm__ volatile("" ::"r"(room) : "memory");
	if (n <= 0)
		deep_leaf();
	return (n > 0 ? deep_odd(n - 1) : 0) + (unsigned long)room[n & 127];
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 1, end = wall_seconds() + seconds;

	leaf_seconds = argc > 1 && strcmp(argv[1], "still") == 0 ? seconds : 0.0005;
	for (int n = DEPTH; wall_seconds() < end; n = n > 20 ? n - 17 : DEPTH)
		sum += deep_even(n);
	return 0;
}
