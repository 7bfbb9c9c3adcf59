/*
 * means.h - sums of means, which are rounded so that parts add up to the whole
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A mean is an integer divided by a number of profiles. Means are added as they are; what was added since the last call of
 * means_take is the rounded sum of everything so far minus the rounded sum at that call. So the parts of any range of calls
 * differ from their exact sum by less than 1, and all parts add up to the rounded sum. It depends on the parts and their
 * order only: equal means give equal numbers, whether they come from samples or from totals.
 */
#ifndef STORE_MEANS_H
#define STORE_MEANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numerators with one denominator. */
struct means_class {
	uint64_t count, rest; /* rest < count */
	uint64_t fraction;    /* rest / count, in units of 2^-64, rounded down */
};

/* Zero-initialised it is 0. */
struct means {
	struct means_class *class; /* [n] by their first use */
	size_t n, cap;
	uint64_t whole, fraction; /* the sum, modulo 2^64, but for less than n units of the fraction */
	uint64_t taken;
	double added; /* about what was added since means_take */
};

/* The denominator of means_add, from 1 to UINT32_MAX, as a number that counts from 0. */
size_t means_class(struct means *m, uint64_t count);

void means_add(struct means *m, size_t class, int64_t numerator);

/* Take the sum that was added since the last call, rounded as above. Returns true if it does not fit. */
bool means_take(struct means *m, int64_t *out);

void means_release(struct means *m);

#endif
