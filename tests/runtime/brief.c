/*
 * brief.c - a program that uses CPU time for a few milliseconds
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: brief SECONDS
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

__attribute__((noinline)) static void brief_leaf(double end)
{
	while (cpu_seconds() < end)
		for (unsigned long i = 0; i < 10000; i++)
			sum += i;
}

int main(int argc, char **argv)
{
	brief_leaf(argc > 1 ? atof(argv[1]) : 0.005);
	return 0;
}
