/*
 * num.h - numbers that do not wrap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* Add v to *sum; true when the result leaves int64_t (then *sum is unchanged). */
static inline bool num_add(int64_t *sum, int64_t v)
{
	int64_t r;

	if (__builtin_add_overflow(*sum, v, &r))
		return true;
	*sum = r;
	return false;
}

/* a + b; a sum that leaves int64_t is its end on that side, which has a magnitude: INT64_MAX or minus that. */
static inline int64_t num_add_capped(int64_t a, int64_t b)
{
	return num_add(&a, b) ? (b < 0 ? -INT64_MAX : INT64_MAX) : a;
}

/* The magnitude; of INT64_MIN it is 2^63, which is why the result is unsigned. */
static inline uint64_t num_abs(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

enum { NUM_DIGITS = 20 }; /* of the longest number, its sign included */

/* Write v in decimal at at, where there is room for NUM_DIGITS bytes. Gives what lies behind. */
static inline char *num_put(char *at, int64_t v)
{
	char digits[NUM_DIGITS], *first = digits + NUM_DIGITS;
	uint64_t left = num_abs(v);

	do
		*--first = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*at++ = '-';
	while (first < digits + NUM_DIGITS)
		*at++ = *first++;
	return at;
}

/*
 * A double as int64_t, toward zero. What does not fit becomes INT64_MIN, as the x86-64 conversion
 * that pprof runs on gives it.
 */
static inline int64_t num_trunc(double v)
{
	return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

#endif
