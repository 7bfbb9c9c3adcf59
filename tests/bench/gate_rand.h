/*
 * gate_rand.h - reproducible random numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GATE_RAND_H
#define BENCH_GATE_RAND_H

#include <stdint.h>

struct gate_rand {
	uint64_t s[4];
};

/* Start the sequence of a trial; it depends only on seed and trial. */
struct gate_rand gate_rand_start(uint64_t seed, uint64_t trial);

double gate_rand_unit(struct gate_rand *r); /* in (0, 1) */
double gate_rand_normal(struct gate_rand *r);
double gate_rand_poisson(struct gate_rand *r, double mean);

#endif
