/*
 * stats_int.h - what the files of this folder share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_STATS_STATS_INT_H
#define ENGINE_STATS_STATS_INT_H

/* I_x(a, b) like stats_beta, for an x so near to 0 or 1 that the caller knows y = 1 - x better than x. */
double stats_beta_xy(double x, double y, double a, double b);

/* The same for odds x / (1 - x), 0 to INFINITY. */
double stats_beta_odds(double odds, double a, double b);

typedef double (*stats_rising_fn)(const void *arg, double x);

/*
 * The x > 0 at which f, which does not fall, reaches want; found by halving ln x.
 *
 * Gives  0 when f is there already at e^-700, INFINITY when it is not yet there at e^700
 */
double stats_solve(stats_rising_fn f, const void *arg, double want);

#endif
