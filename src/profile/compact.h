/*
 * compact.h - take out of a profile what says nothing
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_COMPACT_H
#define PROFILE_COMPACT_H

#include "profile/profile.h"

/*
 * Remove the rows whose values are all 0 and everything that only they used; what stays is
 * numbered from 1 in order of first use by the rows, the first mapping being first in any case. It
 * does nothing when there is no such row.
 *
 * p     written in place: the caller has just made it and shares it with nobody
 * Like  pprof profile/merge.go, where Merge ends by merging the result alone
 */
void profile_compact(struct profile *p);

#endif
