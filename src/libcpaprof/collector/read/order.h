/*
 * order.h - sort without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_ORDER_H
#define LIBCPAPROF_COLLECTOR_READ_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Returns a negative number if a sorts before b, a positive number if after. */
typedef int order_fn(const void *arg, uint32_t a, uint32_t b);

static inline int order_compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Define an order_fn for an array of a type: by the field major, then by the field minor. */
#define ORDER_BY(name, type, major, minor)                                                                             \
	static int name(const void *arg, uint32_t a, uint32_t b)                                                       \
	{                                                                                                              \
		const type *row = arg;                                                                                 \
		int by_major = order_compare_u64(row[a].major, row[b].major);                                          \
                                                                                                                       \
		return by_major ? by_major : order_compare_u64(row[a].minor, row[b].minor);                            \
	}

/*
 * Sort the numbers [0, n). The sort is stable. qsort of the C library is not used because it calls malloc.
 *
 * Returns the sorted numbers, [n], to be freed with order_free; NULL if out of memory, or n is 0
 */
uint32_t *order_make(size_t n, order_fn *compare, const void *arg);
void order_free(uint32_t *order, size_t n);

#endif
