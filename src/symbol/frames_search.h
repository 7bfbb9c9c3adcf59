/*
 * frames_search.h - looking up among ascending addresses, and counting the steps that hostile files cause
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_SEARCH_H
#define SYMBOL_FRAMES_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The first of addr[n] that is not below. */
static inline uint32_t frames_first_from(const uint64_t *addr, uint32_t n, uint64_t lo)
{
	uint32_t a = 0, b = n;

	while (a < b) {
		uint32_t mid = a + (b - a) / 2;

		if (addr[mid] < lo)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

/* Take steps from what may still be taken; false when there are none left. */
static inline bool frames_spend(uint64_t *work, uint64_t n)
{
	if (*work < n) {
		*work = 0;
		return false;
	}
	*work -= n;
	return true;
}

#endif
