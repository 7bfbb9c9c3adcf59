/*
 * orders.c - a program to measure: it prices a fixed number of made-up orders
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With -DTWICE, price() does its work twice and costs twice as much. Nothing else differs.
 */
#include <stdint.h>
#include <stdio.h>

#define N_ORDERS 2048
#define N_DAYS 80000 /* about two seconds */

static uint64_t orders[N_ORDERS];

/* Prevents inlining and cloning, so that each function has its own row. */
#define STEP __attribute__((noinline, noclone))

STEP static uint64_t read_orders(uint64_t seed)
{
	for (int i = 0; i < N_ORDERS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		orders[i] = seed ^ seed >> 29;
	}
	return seed;
}

STEP static uint64_t look_up(uint64_t order, int n)
{
	for (int i = 0; i < n; i++)
		order = order * 31 + (order >> 7);
	return order;
}

STEP static uint64_t price(void)
{
	uint64_t sum = 0;

#ifdef TWICE
	for (int i = 0; i < N_ORDERS; i++)
		sum ^= look_up(orders[i], 5);
#endif
	for (int i = 0; i < N_ORDERS; i++)
		sum += look_up(orders[i], 5);
	return sum;
}

STEP static uint64_t pack(void)
{
	uint64_t state = 1;

	for (int pass = 0; pass < 6; pass++)
		for (int i = 0; i < N_ORDERS; i++)
			state = (state << 13 | state >> 51) ^ orders[i];
	return state;
}

STEP static uint64_t checksum(void)
{
	uint64_t a = 1, b = 0;

	for (int pass = 0; pass < 8; pass++)
		for (int i = 0; i < N_ORDERS; i++) {
			a += orders[i] & 0xffff;
			b ^= a * 0x9e3779b97f4a7c15u;
		}
	return a ^ b;
}

STEP static uint64_t forecast(void)
{
	double mean = 0;

	for (int i = 0; i < N_ORDERS; i++)
		mean += ((double)(orders[i] >> 40) - mean) * 0.125;
	return (uint64_t)mean;
}

STEP static uint64_t day(uint64_t seed)
{
	uint64_t sum = read_orders(seed);

	sum ^= price();
	sum ^= pack();
	sum ^= checksum();
	return sum ^ forecast();
}

int main(void)
{
	uint64_t sum = 1;

	for (int i = 0; i < N_DAYS; i++)
		sum = day(sum);
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
