/*
 * trend.h - how the weight of functions goes over many profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles are taken in one after the other and need not stay: what is kept are a few sums per
 * function, however many profiles there are.
 */
#ifndef ENGINE_TREND_H
#define ENGINE_TREND_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/match.h"
#include "engine/normal.h"

struct trend;

/* What is known of a row; a profile that does not have it counts as 0. */
struct trend_row {
	int64_t first, last, most;
	uint32_t n_grown;  /* steps in which it got larger */
	double slope_step; /* least squares, per step; 0 for a single profile */
	double slope_hour; /* the same per hour; 0 without times */
};

/* What is known of all profiles so far. */
struct trend_all {
	uint32_t n_profiles;
	const char *type, *unit; /* of the first profile */
	bool has_times;          /* all profiles tell their time, and each is later than the one before */
	bool out_of_order;       /* times are known and fall somewhere */
	struct trend_row total;
};

struct trend *trend_new(void);
void trend_free(struct trend *t); /* takes NULL */

/*
 * Take in the next profile.
 *
 * p       not kept
 * q       the same for all; its sort says whether flat or cum is followed. The sample type is settled
 *         by the first profile; the others must have it, in a unit that can be scaled
 * notes   lines for the user are appended
 * Fails   ERR_USAGE, ERR_RANGE, ERR_LIMIT
 */
int trend_add(struct trend *t, const struct profile *p, const struct query *q, struct buf *notes, struct err *err);

const struct match *trend_match(const struct trend *t);
struct trend_all trend_all(const struct trend *t);
struct trend_row trend_row(const struct trend *t, uint32_t row);

#endif
