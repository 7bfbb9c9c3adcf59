/*
 * locks_api.c - a program that reports its own waits, and sets the rates
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints the results of the API functions, as lines of NAME NUMBER.
 */
#include <cpa/pprof.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define END_OF_FUNCTION __asm__ volatile("")

NOINLINE static void tells_block(int skip, long long ns)
{
	cpa_block_event(ns, skip);
	END_OF_FUNCTION;
}

NOINLINE static void caller_is_charged(void)
{
	for (int i = 0; i < 10; i++)
		tells_block(1, 1000000);
	END_OF_FUNCTION;
}

NOINLINE static void tells_mutex(void)
{
	int lock;

	for (int i = 0; i < 10; i++)
		cpa_mutex_event(&lock, 2000000, 0);
	END_OF_FUNCTION;
}

NOINLINE static void tells_small(int n)
{
	for (int i = 0; i < n; i++)
		tells_block(0, 1000);
	END_OF_FUNCTION;
}

NOINLINE static void while_off(void)
{
	tells_block(0, 1000000000);
	tells_mutex();
	cpa_block_event(-5, 0);
	END_OF_FUNCTION;
}

int main(void)
{
	printf("block_rate %lld\n", (long long)cpa_block_set_rate(-1));
	printf("fraction %d\n", cpa_mutex_set_fraction(-1));
	caller_is_charged();
	tells_mutex();
	printf("block_rate %lld\n", (long long)cpa_block_set_rate(10000));
	tells_small(100000);
	printf("block_rate %lld\n", (long long)cpa_block_set_rate(0));
	printf("fraction %d\n", cpa_mutex_set_fraction(0));
	while_off();
	printf("block_rate %lld\n", (long long)cpa_block_set_rate(-1));
	printf("fraction %d\n", cpa_mutex_set_fraction(-1));
	return 0;
}
