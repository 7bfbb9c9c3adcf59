/*
 * search.h - binary search for a lower bound
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is element i before the key? */
typedef bool (*lower_bound_fn)(const void *arg, size_t i);

/*
 * Index of the first element that is not before the key, or hi.
 *
 * lo, hi      elements [lo, hi), lo <= hi
 * is_before   true for all elements before some index, false for the rest
 */
static inline __attribute__((always_inline)) size_t lower_bound(size_t lo, size_t hi, lower_bound_fn is_before,
								const void *arg)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (is_before(arg, mid))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Index of the first of n ascending numbers that is >= key, or n. */
static inline size_t lower_bound_u32(const uint32_t *number, size_t n, uint64_t key)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (number[mid] < key)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static inline size_t lower_bound_u64(const uint64_t *number, size_t n, uint64_t key)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (number[mid] < key)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

#endif
