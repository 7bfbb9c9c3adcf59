/*
 * plan.h - the windows that cpa watch compares
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A check is one comparison by the gate. Regular checks compare a window of a fixed length, and each day as a whole, with
 * the same hours of earlier days. A check of a deploy compares the window after a deploy mark with the same hours of the
 * days before the deploy, and with the windows that end at it. Each window is one run of the gate: runs within an hour
 * resemble each other more than two days do, so only windows of several days show how much a series varies by itself.
 */
#ifndef WATCH_PLAN_H
#define WATCH_PLAN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	WATCH_DAYS_MIN = 6,
	WATCH_DAYS_MAX = 31,
	WATCH_BEFORE = 6,   /* windows before a deploy */
	WATCH_BASE_MIN = 6, /* with fewer windows the variance between them is not known well enough */
	WATCH_BASE_MAX = WATCH_DAYS_MAX + WATCH_BEFORE,
};

struct watch_rules {
	int64_t every_ns;  /* length of a window, and time between two regular checks; a divisor of a day */
	int64_t settle_ns; /* from a deploy until its window begins */
	int64_t days;      /* earlier days to compare with: WATCH_DAYS_MIN to WATCH_DAYS_MAX */
	double alarms;     /* false alarms per series and month, at most */
};

/* Times in ns since 1970; the end is excluded. */
struct watch_span {
	int64_t t0, t1;
};

struct watch_deploy {
	int64_t time_ns;
	const char *text;
};

/* Profiles and deploys of a service and kind in a store. Borrowed. */
struct watch_history {
	const int64_t *start; /* [n] starts of profiles, ascending */
	size_t n;
	const struct watch_deploy *deploy; /* [n_deploys] ascending */
	size_t n_deploys;
};

struct watch_check {
	const struct watch_deploy *deploy; /* NULL: a regular check */
	struct watch_span new;
	struct watch_span base[WATCH_BASE_MAX]; /* [n_base] windows that have profiles, the newest first */
	size_t n_base;
	bool has_profiles; /* of new */
};

typedef int watch_check_fn(void *arg, const struct watch_check *check, struct err *err);

/*
 * Call fn for each regular check whose window ends in (from, until], and each check of a deploy whose window ends in
 * (deploys_from, until], in order of these ends; a deploy before the regular check of the same end. Regular windows end
 * at multiples of every_ns since 1970. A deploy that another one follows before half of its window is over has no
 * check.
 *
 * Returns the first result of fn that is not 0
 */
int watch_plan(const struct watch_rules *rules, const struct watch_history *h, int64_t from, int64_t deploys_from,
	       int64_t until, watch_check_fn *fn, void *arg, struct err *err);

/*
 * The confidence of each check, between 0 and 1. The probability of a false alarm in a month is at most the sum of those
 * of its checks (Bonferroni), so each check gets the same part of rules->alarms.
 *
 * n_deploys  deploys in the last 30 days; at least 30 are assumed
 */
double watch_confidence(const struct watch_rules *rules, size_t n_deploys);

#endif
