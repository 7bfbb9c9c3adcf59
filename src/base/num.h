/*
 * num.h - integer arithmetic with overflow checks, and conversions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include <stdbool.h>
#include <stdint.h>

/* Add v to *sum. Returns true on overflow; *sum is then unchanged. */
static inline bool num_add(int64_t *sum, int64_t v)
{
	int64_t r;

	if (__builtin_add_overflow(*sum, v, &r))
		return true;
	*sum = r;
	return false;
}

/* a + b, or on overflow INT64_MAX or -INT64_MAX, whose absolute values also fit. */
static inline int64_t num_add_capped(int64_t a, int64_t b)
{
	return num_add(&a, b) ? (b < 0 ? -INT64_MAX : INT64_MAX) : a;
}

/* a - b, with the limits of num_add_capped. */
static inline int64_t num_sub_capped(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_sub_overflow(a, b, &r) ? (a < b ? -INT64_MAX : INT64_MAX) : r;
}

/* The absolute value; unsigned, since that of INT64_MIN is 2^63. */
static inline uint64_t num_abs(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

enum { NUM_DIGITS = 20 }; /* characters of the longest int64_t, including its sign */

/* Write v in decimal to at, which has room for NUM_DIGITS bytes. Returns the end. */
static inline char *num_put(char *at, int64_t v)
{
	char digits[NUM_DIGITS], *first = digits + NUM_DIGITS;
	uint64_t left = num_abs(v);

	if ((uint64_t)v < 10) { /* many columns are mostly small numbers */
		*at = (char)('0' + v);
		return at + 1;
	}
	do
		*--first = (char)('0' + left % 10);
	while (left /= 10);
	if (v < 0)
		*at++ = '-';
	while (first < digits + NUM_DIGITS)
		*at++ = *first++;
	return at;
}

enum { NUM_FIXED_SIZE = 320 }; /* characters of the longest double with 5 decimals, and a NUL */

/*
 * Write v with 0 to 5 decimals, exactly as printf with "%.*f" does, but not a NUL.
 *
 * at      room for NUM_FIXED_SIZE bytes
 * Returns the end
 */
char *num_put_fixed(char *at, double v, unsigned decimals);

/*
 * A double as int64_t, rounded toward zero. A value out of range becomes INT64_MIN, as in pprof on x86-64.
 */
static inline int64_t num_trunc(double v)
{
	return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

#endif
