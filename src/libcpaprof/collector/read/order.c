/*
 * order.c - sort without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A bottom-up merge sort between two arrays.
 */
#include "config.h"

#include "libcpaprof/collector/read/order.h"

#include "libcpaprof/collector/read/memory.h"

static void collector_order_merge(const uint32_t *a, const uint32_t *mid, const uint32_t *end, uint32_t *to,
				  order_fn *compare, const void *arg)
{
	const uint32_t *b = mid;

	while (a < mid || b < end)
		*to++ = b == end || (a < mid && compare(arg, *a, *b) <= 0) ? *a++ : *b++;
}

uint32_t *order_make(size_t n, order_fn *compare, const void *arg)
{
	uint32_t *from = memory_map(n * sizeof(*from)), *to = memory_map(n * sizeof(*to));

	if (!from || !to) {
		order_free(from, n);
		order_free(to, n);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		from[i] = (uint32_t)i;
	for (size_t run = 1; run < n; run *= 2) {
		uint32_t *swap = from;

		for (size_t lo = 0; lo < n; lo += 2 * run) {
			size_t mid = n - lo > run ? lo + run : n, hi = n - lo > 2 * run ? lo + 2 * run : n;

			collector_order_merge(from + lo, from + mid, from + hi, to + lo, compare, arg);
		}
		from = to;
		to = swap;
	}
	order_free(to, n);
	return from;
}

void order_free(uint32_t *order, size_t n)
{
	memory_unmap(order, n * sizeof(*order));
}
