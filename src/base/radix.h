/*
 * radix.h - sort numbers by their upper halves
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* Sort v [n] by the upper 32 bits. Elements with equal upper bits stay in their order. */
void radix_sort_upper(uint64_t *v, size_t n);

#endif
