/*
 * merge.h - add profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

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
