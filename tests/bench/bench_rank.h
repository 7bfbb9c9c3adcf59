/*
 * bench_rank.h - the interval of a median from paired measurements
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_BENCH_BENCH_RANK_H
#define TESTS_BENCH_BENCH_RANK_H

#include <stdbool.h>

/* An estimate and its confidence interval. */
struct rank_interval {
	double mid, lo, hi;
};

/*
 * The center of symmetry of a distribution, from a sample of it.
 *
 * x       [n] independent, symmetrically distributed, such as differences of pairs measured in alternating order
 * level   probability that the interval does not contain the center, such as 0.01
 * Returns false if n is too small for the level; mid is valid even so. n is at least 1
 * From    Hodges and Lehmann 1963, Tukey 1949: order statistics of the means of all pairs, at the quantile of Wilcoxon's
 *         signed rank statistic; R's wilcox.test(x, conf.int = TRUE, exact = TRUE) gives the same
 */
bool rank_interval(const double *x, int n, double level, struct rank_interval *out);

#endif
