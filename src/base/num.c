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

enum { MANTISSA_BITS = 52, EXPONENT_MAX = 0x7ff, EXPONENT_OF_1 = 1075 }; /* of a mantissa that is an integer */

char *num_put_fixed(char *at, double v, unsigned decimals)
{
	static const uint32_t power[] = { 1, 10, 100, 1000 };
	uint64_t bits, scaled, rest, half;
	unsigned exponent, shift;

	static_assert(sizeof(v) == sizeof(bits), "a double has 64 bits");
	assert(decimals < sizeof(power) / sizeof(power[0]));
	memcpy(&bits, &v, sizeof(bits));
	exponent = bits >> MANTISSA_BITS & EXPONENT_MAX;
	if (exponent >= EXPONENT_OF_1) /* 2^52 or more, infinite, or not a number */
		return at + snprintf(at, NUM_FIXED_SIZE, "%.*f", (int)decimals, v);
	/* The magnitude is mantissa / 2^shift. It is rounded half to even; the product is below 2^63, so it is exact. */
	shift = EXPONENT_OF_1 - (exponent ? exponent : 1);
	scaled = ((bits & ((UINT64_C(1) << MANTISSA_BITS) - 1)) | (uint64_t)(exponent > 0) << MANTISSA_BITS) *
		 power[decimals];
	half = shift <= 64 ? UINT64_C(1) << (shift - 1) : 0;
	rest = shift < 64 ? scaled & ((half << 1) - 1) : 0;
	scaled = shift < 64 ? scaled >> shift : 0;
	scaled += rest > half || (rest == half && half > 0 && scaled % 2);
	if (signbit(v))
		*at++ = '-';
	at = num_put(at, (int64_t)(scaled / power[decimals]));
	if (decimals > 0)
		*at++ = '.';
	for (unsigned i = decimals; i-- > 0;)
		*at++ = (char)('0' + scaled / power[i] % 10);
	return at;
}
