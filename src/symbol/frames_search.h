/*
 * frames_search.h - counting the steps that hostile files cause
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_SEARCH_H
#define SYMBOL_FRAMES_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

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
