/*
 * merge.h - add profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

struct merger;

/*
 * Add profiles up little by little: what is held is the sum so far, never all of them.
 *
 * intersect   as in struct agree_how (agree.h)
 */
struct merger *merger_new(bool intersect);
void merger_free(struct merger *m); /* takes NULL */

/* Let another thread end merger_add with ERR_STOPPED; stop lives longer. */
void merger_stop_by(struct merger *m, struct stop *stop);

/*
 * Add n >= 1 profiles. To add all in one call or in several gives the same, except that types which
 * later calls show not to be everywhere count until then.
 *
 * src     [n] kept as they are; not needed afterwards
 * name    [n] what they are called in messages; NULL: "profile N", from 1
 * Fails   as profile_merge; the merger is only good for merger_free then
 */
int merger_add(struct merger *m, const struct profile *const *src, const char *const *name, size_t n, struct err *err);

/*
 * End a group of profiles. pprof adds up groups of 128 and then their sums, which shows in two
 * things: rows whose sum is 0 go after each group, and a profile without a time only makes those of
 * its group forgotten.
 *
 * Fails   ERR_LIMIT
 */
int merger_pause(struct merger *m, struct err *err);

/* The sum of what was added, at least one profile. Afterwards the merger is only good for merger_free. */
struct profile *merger_finish(struct merger *m);

/*
 * Add up the target sides of profiles: rows of equal stacks and labels become one, types that not
 * all have and rows without a value other than 0 are left out, and what is used by no row goes.
 * Ids are numbered from 1 in order of first use.
 *
 * src     [n] n >= 2; kept as they are. One profile alone is not merged: it would lose rows.
 * out     owned by the caller, freed with profile_free; without a base side
 * Fails   ERR_FORMAT when the profiles do not fit, naming them by number from 1;
 *         ERR_RANGE when a sum leaves int64_t, naming profile, sample and type; ERR_LIMIT
 * Like    pprof internal/driver/fetch.go, combineProfiles, but for two bugs: scaling keeps every
 *         row with a value other than 0, and all columns of a location's lines tell it from others
 */
int profile_merge(const struct profile *const *src, size_t n, struct profile **out, struct err *err);

#endif
