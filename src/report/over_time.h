/*
 * over_time.h - slope and change point of the values of a trend over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_OVER_TIME_H
#define REPORT_OVER_TIME_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/trend.h"
#include "report/compare.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	OVER_TIME_MIN =
		10 /* profiles for which statistics are made, except of steps of a store, which always have them */
};

/* Steps whose values are compared, and the length of a step. */
struct trend_steps {
	uint32_t n;
	const int64_t *t0; /* [n] ascending starts */
	int64_t length_ns;
};

/*
 * Judge one series of values, such as totals of a store.
 *
 * value  [n]
 * out    zero-initialised
 */
void over_time_judge(const struct trend_steps *s, const double *value, struct over_time *out);

/*
 * Judge the total and the functions of a trend. A function is tested if its values are together at least 1 % of the totals;
 * the p-values of all are adjusted together (Holm).
 *
 * Returns NULL if times are unknown, or there are fewer than OVER_TIME_MIN profiles that are not steps of a store
 */
struct over_time *over_time_make(const struct trend *t, struct arena *mem);

/* The result for a row; NULL if it was not tested. */
const struct over_time_change *over_time_row(const struct over_time *time, uint32_t row);

/* Is a change shown? */
bool over_time_change_is_shown(const struct over_time_change *c);

/* Append the limits of the statistics, a line each. */
void over_time_add_notes(const struct over_time *time, struct buf *notes);

/* Append the results for the total, as two lines for people. */
void over_time_add_text(const struct over_time *time, struct buf *out);

/* Append "since" the time of a change, with its interval. */
void over_time_add_since(const struct over_time *time, const struct over_time_change *c, struct buf *out);

/* The unit of time of slopes for people, such as "day": the largest of which the steps cover two. days: set to its length */
const char *over_time_unit(const struct over_time *time, double *days);

/* A value in percent of another; NAN for percent of 0. */
double over_time_change_percent(double value, double of);

/* The word of JSON and CSV: "none", "point" ... */
const char *over_time_change_word(const struct over_time_change *c);

#endif
