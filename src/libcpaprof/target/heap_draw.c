/*
 * heap_draw.c - when to sample an object, and what it stands for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mathematics library is not asked: a program that has none would be given one. Series are short,
 * for they are of small arguments; they are exact to some 1e-15.
 */
#include "config.h"

#include "libcpaprof/target/heap.h"

#include "libcpaprof/target/sys.h"

#include <string.h>

#define LN2 0.693147180559945309417
#define SQRT2 1.41421356237309504880

enum { FIXED = 1024, LOG_TERMS = 11, EXP_TERMS = 18, CERTAIN = 40, DRAW_BITS = 62, GRND_NO_WAIT = 1 };

/* 1 / (2 i + 1) and 1 / i: divisions take longest */
static const double odd[LOG_TERMS + 1] = { 1.,      1 / 3.,  1 / 5.,  1 / 7.,  1 / 9.,  1 / 11.,
					   1 / 13., 1 / 15., 1 / 17., 1 / 19., 1 / 21., 1 / 23. };
static const double one[EXP_TERMS + 1] = { 0.,      1.,      1 / 2.,  1 / 3.,  1 / 4.,  1 / 5.,  1 / 6.,
					   1 / 7.,  1 / 8.,  1 / 9.,  1 / 10., 1 / 11., 1 / 12., 1 / 13.,
					   1 / 14., 1 / 15., 1 / 16., 1 / 17., 1 / 18. };

/* ln(x) of 0 < x <= 1: by 2 atanh((m - 1) / (m + 1)) of its mantissa */
static double ln(double x)
{
	uint64_t bits;
	double m, s, sum = 0;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & ((1ULL << 52) - 1)) | 1023ULL << 52;
	memcpy(&m, &bits, sizeof(m));
	if (m > SQRT2) {
		m /= 2;
		exponent++;
	}
	s = (m - 1) / (m + 1);
	for (int i = LOG_TERMS; i >= 0; i--)
		sum = sum * s * s + odd[i];
	return exponent * LN2 + 2 * s * sum;
}

/* 1 - exp(-x) of x >= 0, without loss when x is small */
static double share(double x)
{
	double r, sum = 0, half = 1;
	int k;

	if (x >= CERTAIN)
		return 1;
	k = (int)(x / LN2);
	r = x - k * LN2;
	for (int i = EXP_TERMS; i >= 1; i--)
		sum = (1 - sum) * r * one[i];
	while (k-- > 0)
		half /= 2;
	return 1 - half + half * sum;
}

/* splitmix64 */
static uint64_t next(uint64_t *random)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint64_t seed(void)
{
	uint64_t s = 0;

	if (sys_call(SYS_getrandom, (long)&s, sizeof(s), GRND_NO_WAIT, 0) != sizeof(s))
		s = sys_now(CLOCK_MONOTONIC) ^ (uint64_t)sys_gettid() << 40;
	return s ? s : 1;
}

uint64_t cpi_heap_draw(uint64_t *random, uint32_t rate)
{
	double u, bytes;

	if (rate <= 1)
		return 0;
	if (*random == 0)
		*random = seed();
	u = (double)((next(random) >> 11) + 1) * 0x1p-53;
	bytes = -ln(u) * rate;
	return bytes < 0x1p62 ? (uint64_t)bytes : 1ULL << DRAW_BITS;
}

uint64_t cpi_heap_weight(uint64_t size, uint32_t rate)
{
	if (rate <= 1)
		return FIXED;
	return (uint64_t)(FIXED / share((double)size / rate) + 0.5);
}
