/*
 * trend.h - trend of functions over many profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles are added one after the other and can then be freed: a few sums per function are stored, for any number of
 * profiles, and up to a limit the values.
 */
#ifndef ENGINE_TREND_H
#define ENGINE_TREND_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/match.h"
#include "engine/normal.h"

struct trend;

/* The trend of a row; its value is 0 in profiles that do not have it. */
struct trend_row {
	int64_t first, last, max;
	uint32_t n_grown;  /* number of steps in which the value grew */
	uint32_t n_fallen; /* number of steps in which it fell */
	double slope_step; /* least squares, per step; 0 for a single profile */
	double slope_hour; /* slope per hour; 0 if times are unknown */
};

/* Summary of all profiles so far. */
struct trend_summary {
	uint32_t n_profiles;
	const char *type, *unit; /* sample type of the first profile */
	bool has_times;          /* all profiles have a time, in ascending order */
	bool out_of_order;       /* a profile is older than the previous one */
	struct trend_row total;
};

/* The time that a profile covers, [t0, t1); t1 is t0 if that is unknown. */
struct trend_span {
	int64_t t0, t1;
};

struct trend *trend_new(void);
void trend_free(struct trend *t); /* takes NULL */

/*
 * Add the next profile.
 *
 * p       not needed afterwards
 * q       the same for all profiles; its sort selects flat or cum. The first profile determines the sample type; the
 *         others must have it, in a compatible unit
 * span    of the profile if it is a step of a store; NULL: it is at its own time
 * notes   messages for the user are appended, a line each
 * Fails   ERR_USAGE, ERR_RANGE, ERR_LIMIT
 */
int trend_add(struct trend *t, const struct profile *p, const struct query_filter *q, const struct trend_span *span,
	      struct buf *notes, struct err *err);

const struct match *trend_match(const struct trend *t);
struct trend_summary trend_summary(const struct trend *t);
struct trend_row trend_row(const struct trend *t, uint32_t row);

/* The time of profile i, and whether all are steps of a store. */
struct trend_span trend_span(const struct trend *t, uint32_t i);
bool trend_has_spans(const struct trend *t);

enum { TREND_VALUES_MAX = 1 << 23 };

/* Were the values of all rows stored? Not if there are more than TREND_VALUES_MAX. */
bool trend_has_values(const struct trend *t);

/* The value of a row in profile i, if values were stored; and the total. */
int64_t trend_value(const struct trend *t, uint32_t row, uint32_t i);
int64_t trend_total(const struct trend *t, uint32_t i);

#endif
