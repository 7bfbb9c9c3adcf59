/*
 * compact.h - remove empty rows and unused entries from a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_COMPACT_H
#define PROFILE_COMPACT_H

#include "profile/profile.h"

/*
 * Remove the rows whose values are all 0, and entries that no other row uses. The remaining entries are numbered from 1
 * in order of first use by the rows, except that the first mapping stays first. A profile without rows of zeros is
 * unchanged.
 *
 * p     modified in place; must not be shared yet
 * Like  pprof profile/merge.go, where Merge finally merges the result with itself
 */
void profile_compact(struct profile *p);

/* Like profile_compact, also for a profile without rows of zeros. */
void profile_drop_unused(struct profile *p);

/*
 * The same for a profile whose stacks are elsewhere: their numbers in the rows are changed, but not its stacks.
 *
 * loc     [n] the locations of the rows with values, in order of first use
 * new_id  [n_locs] set to the new ids of locations; PROFILE_NONE if not used
 */
void profile_drop_unused_but_stacks(struct profile *p, const uint32_t *loc, uint32_t n, uint32_t *new_id);

/* Copy the columns that these functions modify, except the rows, into the memory of the profile, which borrowed them. */
void profile_own_columns(struct profile *d);

#endif
