/*
 * reduce.h - combine the profiles of chapters into one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chapters are added in groups, and decoded in batches. The threads of pool_run decode their blocks, each thread into vectors
 * of its own; the results are joined in the order of the chapters, and their rows in the order of their ids, so equal queries
 * give equal profiles.
 *
 * A column is reduced by its temporality, or as the query says:
 *	sum       of all profiles
 *	increase  of each series: the last snapshot minus the one before the window, or else that of another series of
 *	          the instance before the first. A snapshot whose build id or start is not that of the one before, or with a
 *	          row that is lower by more than one, begins a new process, whose counters begin at 0. Of a gauge: the last
 *	          snapshot minus the first, without resets
 *	mean      of the snapshots of each instance, added, then rounded (reduce_mean.c)
 *	first, last, max    of each instance (max: of each row), then added
 */
#ifndef STORE_LOCAL_READ_REDUCE_H
#define STORE_LOCAL_READ_REDUCE_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/segment.h"
#include "store/local/read/select.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reducer;

/* q and stop must outlive it. */
struct reducer *reduce_new(const struct store_query *q, struct stop *stop);
void reduce_free(struct reducer *r); /* takes NULL */

/* A chapter to add. */
struct reduce_input {
	const struct select_chapter *from;
	struct chapter *chapter; /* decoded by reduce_add, unless it is given; NULL after it */
	bool is_given;
	int rc; /* of this chapter: if it is negative, nothing of the chapter was added */
	struct err err;
};

/*
 * PASS_BASES finds the last snapshots before the window, PASS_EARLIER those of other series of the instance before the first
 * one of a series. PASS_PROFILES makes an element of each profile of unordered series.
 */
enum reduce_pass { PASS_WINDOW, PASS_BASES, PASS_EARLIER, PASS_PROFILES };

/*
 * Read and add chapters.
 *
 * Fails  ERR_RANGE when a sum overflows; ERR_LIMIT; ERR_STOPPED. A damaged chapter is reported in in[i].rc only.
 */
int reduce_add(struct reducer *r, struct reduce_input *in, size_t n, enum reduce_pass pass, struct err *err);

/* Is a column of the profiles so far an increase? */
bool reduce_has_increase(const struct reducer *r);

/* The store has, or had, profiles of this series before the window. instance: its name, see instance.h */
void reduce_mark_older(struct reducer *r, const uint8_t hash[16], const struct buf *instance);

/* Does a series need the snapshot before the window, and may it be in a chapter whose last profile starts at t1? Then read
   such chapters with PASS_BASES, for these snapshots only. */
bool reduce_needs_base(struct reducer *r, int64_t t1);

/*
 * The same for series without a snapshot before the window: does one need the last snapshot of another series of its instance
 * before its first one? Call this first with INT64_MAX, and add all chapters of the window; then chapters before it.
 */
bool reduce_needs_earlier(struct reducer *r, int64_t t1);

/* Were profiles of a series found out of order? Then all chapters must be read again with PASS_PROFILES. */
bool reduce_is_unordered(const struct reducer *r);

/*
 * The result. Afterwards only reduce_free may be called.
 *
 * out    NULL if there was no profile
 * sum    profiles, series, instances, first and last start and missing profiles are set
 */
int reduce_finish(struct reducer *r, struct profile **out, struct store_sum *sum, struct err *err);

/* Instead of a profile, find what store_each_increase reports: call the first before anything is added. */
void reduce_want_increases(struct reducer *r);
int reduce_finish_increases(struct reducer *r, store_increase_fn *fn, void *arg, struct err *err);

/* Make a profile with a forest (profile/forest.h) if the profiles permit it. Otherwise reduce_needs_rows is true after
   reduce_add; then the query has to be read again by another reducer, without this. Call it before anything is added. */
void reduce_want_forest(struct reducer *r);
bool reduce_wants_forest(const struct reducer *r);
bool reduce_needs_rows(const struct reducer *r);

/* Leave out the profiles before a cut. */
void reduce_set_cut(struct reducer *r, const struct select_cut *cut);

#endif
