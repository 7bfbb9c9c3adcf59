/*
 * change.h - the slope of values over time, and the point at which their level changed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Values are compared only within their phase, such as an hour of the day, so a cycle of any shape and size is no change.
 * All random numbers have fixed seeds: the same values give the same result.
 */
#ifndef ENGINE_STATS_CHANGE_H
#define ENGINE_STATS_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STATS_CHANGE_MAX = 400, /* max values of a series */
	STATS_CHANGE_SIDE = 2,  /* min values before and after a change */
};

/* The error rates. */
#define STATS_CHANGE_ALPHA 0.01    /* of "the values changed", and of rejecting a steady growth */
#define STATS_CHANGE_INTERVAL 0.95 /* of the slope, and of the position */

enum stats_change_kind {
	STATS_CHANGE_TOO_FEW, /* no values could show a change at this level */
	STATS_CHANGE_NONE,    /* no change is shown */
	STATS_CHANGE_POINT,   /* the level changed at one point; a steady growth is rejected */
	STATS_CHANGE_STEADY,  /* a steady growth explains the values, and a single point does not */
	STATS_CHANGE_EITHER,  /* both explain them */
	STATS_CHANGE_SEVERAL, /* neither does: several changes, or one that is not steady */
};

/* The positions of values: computed once, for any number of series. */
struct stats_change_plan;

/* The result for a series of values. Positions are indexes of values: at is the first value after the change. */
struct stats_change {
	enum stats_change_kind kind;
	double slope, slope_lo, slope_hi; /* per unit of x; NAN for too few values. The interval is open if INFINITY */
	double p;                         /* of "nothing changed"; 1 for too few values */
	uint32_t at, at_lo, at_hi;        /* with its interval, inclusive; for POINT and EITHER, else 0 */
	double before, after;             /* medians of the values before and after at; NAN without at */
	double detectable;                /* a step in the middle that is found with a power of 80 %; NAN if unknown */
};

/*
 * Could n values show a change at the level STATS_CHANGE_ALPHA? The smallest p-value is 2 divided by the number of ways to
 * choose the values after the change among those of their phases.
 *
 * phase  [n]; NULL if all are comparable
 */
bool stats_change_can_decide(const uint32_t *phase, uint32_t n);

/*
 * Make a plan. Freed with stats_change_plan_free.
 *
 * x      [n] ascending times, n <= STATS_CHANGE_MAX
 * phase  [n] values of the same number are comparable; NULL if all are
 */
struct stats_change_plan *stats_change_plan_new(const double *x, const uint32_t *phase, uint32_t n);
void stats_change_plan_free(struct stats_change_plan *plan);

/*
 * The p-value of "nothing changed", that is: within each phase, the values are exchangeable in time.
 *
 * A value's score is its rank in its phase, from -1 to 1 (ties: mid-rank). The statistic is the largest sum of the scores
 * before a point, in standard deviations, over all points with STATS_CHANGE_SIDE values on both sides. It is compared with
 * that of random permutations within the phases: p = (1 + k + 2 √k) / (1 + n) if k of n are as large, so that the error of k does
 * not raise the level.
 *
 * Like   Pettitt, A non-parametric approach to the change-point problem, Applied Statistics 28 (1979), standardized at each
 *        point as in Miller and Siegmund, Maximally selected chi square statistics, Biometrics 38 (1982)
 */
double stats_change_p(const struct stats_change_plan *plan, const double *y);

/*
 * Find slope and change point.
 *
 * p      of stats_change_p, adjusted if there are several series
 *
 * Slope: median of the slopes of all pairs of a phase, with the interval of ranks from the variance of Kendall's S. From
 * Sen 1968; Hirsch, Slack and Smith, Techniques of trend analysis for monthly water quality data, Water Resources
 * Research 18 (1982).
 *
 * Position: all points at which the values before it, and those after it, show no further change; each side is tested
 * as above with half of 1 - STATS_CHANGE_INTERVAL. A steady growth is tested by the same test on the values minus the line
 * of the slope.
 */
void stats_change_find(const struct stats_change_plan *plan, const double *y, double p, struct stats_change *out);

/* The median of a[n], which is sorted; NAN for n = 0. */
double stats_change_median(double *a, uint32_t n);

#endif
