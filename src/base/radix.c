/*
 * radix.c - sort numbers by their upper halves
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/radix.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS, SORT_MIN = 200 /* elements for which passes are faster than insertions */ };

/* A pass by some bits, which keeps the order of elements with equal ones. */
static void radix_pass(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
	size_t first[BUCKETS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		first[from[i] >> shift & (BUCKETS - 1)]++;
	for (unsigned b = 0; b < BUCKETS; b++) {
		size_t count = first[b];

		first[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[first[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
}

static void radix_insert(uint64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1] >> 32 > x >> 32; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

void radix_sort_upper(uint64_t *v, size_t n)
{
	uint64_t *other, *from = v, max = 0;

	if (n < SORT_MIN) {
		radix_insert(v, n);
		return;
	}
	other = mem_alloc(n, sizeof(*other));
	for (size_t i = 0; i < n; i++)
		max |= v[i];
	for (unsigned shift = 32; shift < 64 && max >> shift; shift += BITS) {
		uint64_t *to = from == v ? other : v;

		radix_pass(from, to, n, shift);
		from = to;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(other);
}
