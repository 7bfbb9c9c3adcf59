/*
 * order.h - sort without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_ORDER_H
#define LIBCPAPROF_COLLECTOR_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Less than 0 when a stands before b, more when behind it. */
typedef int order_fn(const void *arg, uint32_t a, uint32_t b);

/*
 * The order of the numbers [0, n). Those that compare as 0 stay in their order. qsort of the C library
 * would call malloc.
 *
 * Gives   [n] for order_free; NULL when there is no memory, or n is 0
 */
uint32_t *order_make(size_t n, order_fn *compare, const void *arg);
void order_free(uint32_t *order, size_t n);

#endif
