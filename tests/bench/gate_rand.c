/*
 * gate_rand.c - reproducible random numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * xoshiro256++ of Blackman and Vigna, seeded by splitmix64; Poisson numbers by Hoermann's transformed rejection
 * (PTRS, 1993) and, for small means, by Knuth's product.
 */
#include "config.h"

#include "tests/bench/gate_rand.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

struct gate_rand gate_rand_start(uint64_t seed, uint64_t trial)
{
	uint64_t state = seed;
	struct gate_rand r;

	state = splitmix(&state) ^ trial;
	for (int i = 0; i < 4; i++)
		r.s[i] = splitmix(&state);
	return r;
}

static uint64_t rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

static uint64_t next(struct gate_rand *r)
{
	uint64_t *s = r->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

double gate_rand_unit(struct gate_rand *r)
{
	return ((double)(next(r) >> 12) + 0.5) * 0x1p-52;
}

double gate_rand_normal(struct gate_rand *r)
{
	double radius = sqrt(-2 * log(gate_rand_unit(r)));

	return radius * cos(2 * M_PI * gate_rand_unit(r));
}

static double poisson_small(struct gate_rand *r, double mean)
{
	double end = exp(-mean), product = gate_rand_unit(r), k = 0;

	for (; product > end; k++)
		product *= gate_rand_unit(r);
	return k;
}

static double poisson_large(struct gate_rand *r, double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, alpha = 1.1239 + 1.1328 / (b - 3.4);
	double surely = 0.9277 - 3.6224 / (b - 2);

	for (;;) {
		double u = gate_rand_unit(r) - 0.5, v = gate_rand_unit(r), us = 0.5 - fabs(u);
		double k = floor((2 * a / us + b) * u + mean + 0.43);
		int sign;

		if (us >= 0.07 && v <= surely)
			return k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * alpha / (a / (us * us) + b)) <= k * log(mean) - mean - lgamma_r(k + 1, &sign))
			return k;
	}
}

double gate_rand_poisson(struct gate_rand *r, double mean)
{
	return mean < 10 ? poisson_small(r, mean) : poisson_large(r, mean);
}
