/*
 * num.c - decimal numbers as printf writes them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/num.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MANTISSA_BITS = 52,
	EXPONENT_MAX = 0x7ff,
	EXPONENT_OF_1 = 1075, /* of a mantissa that is an integer */
	FIXED_SPARE_BITS = 6, /* for five decimals more in 64 bits */
};

char *num_put_fixed(char *at, double v, unsigned decimals)
{
	static const uint32_t power[] = { 1, 10, 100, 1000, 10000, 100000 };
	unsigned __int128 scaled, rest, half;
	uint64_t bits, all, fraction;
	unsigned exponent, shift;

	static_assert(sizeof(v) == sizeof(bits), "a double has 64 bits");
	assert(decimals < sizeof(power) / sizeof(power[0]));
	memcpy(&bits, &v, sizeof(bits));
	exponent = bits >> MANTISSA_BITS & EXPONENT_MAX;
	if (exponent >= EXPONENT_OF_1 - FIXED_SPARE_BITS) /* 2^46 or more, infinite, or not a number */
		return at + snprintf(at, NUM_FIXED_SIZE, "%.*f", (int)decimals, v);
	/* The magnitude is mantissa / 2^shift. It is rounded half to even; the product is below 2^70, so it is exact. */
	shift = EXPONENT_OF_1 - (exponent ? exponent : 1);
	scaled = (bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | (uint64_t)(exponent > 0) << MANTISSA_BITS;
	scaled *= power[decimals];
	half = shift <= 128 ? (unsigned __int128)1 << (shift - 1) : 0;
	rest = shift < 128 ? scaled & ((half << 1) - 1) : 0;
	all = shift < 128 ? (uint64_t)(scaled >> shift) : 0;
	all += rest > half || (rest == half && half > 0 && all % 2);
	if (signbit(v))
		*at++ = '-';
	at = num_put(at, (int64_t)(all / power[decimals]));
	if (decimals == 0)
		return at;
	*at = '.';
	fraction = all % power[decimals];
	for (unsigned i = decimals; i > 0; i--, fraction /= 10)
		at[i] = (char)('0' + fraction % 10);
	return at + 1 + decimals;
}
