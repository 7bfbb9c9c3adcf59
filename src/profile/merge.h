/*
 * merge.h - merge profiles into their sum
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
 * Merge profiles incrementally: only the sum is in memory, not all profiles.
 *
 * intersect   as in struct common_types_options (common_types.h)
 */
struct merger *merger_new(bool intersect);
void merger_free(struct merger *m); /* takes NULL */

/* Set the stop that cancels merger_add with ERR_STOPPED. It must outlive the merger. */
void merger_set_stop(struct merger *m, struct stop *stop);

/*
 * Add n >= 1 profiles. Several calls have the same result as one, except that the values of a sample type are added
 * until a profile that lacks it is added.
 *
 * src     [n] not modified; not needed after the call
 * name    [n] names for messages; NULL: "profile N", from 1
 * Fails   like profile_merge; afterwards only merger_free may be called
 */
int merger_add(struct merger *m, const struct profile *const *src, const char *const *name, size_t n, struct err *err);

/*
 * End a group of profiles. pprof merges groups of 128 and then the results, which has two visible
 * effects: rows whose sum is 0 are removed after each group, and a profile without a time discards the
 * times of its own group only.
 *
 * Fails   ERR_LIMIT
 */
int merger_end_group(struct merger *m, struct err *err);

/* The sum of the added profiles, of which there must be at least one. Afterwards only merger_free may be called. */
struct profile *merger_finish(struct merger *m);

struct merge_options {
	const char *const *name; /* [n] names for messages; NULL: "profile N", from 1 */
	bool intersect;          /* as in struct common_types_options (common_types.h) */
	struct stop *stop;       /* NULL: none */
	struct profile *const
		*used_up; /* [n] the sources, if their samples may be freed while they are merged. NULL: they are not */
};

/*
 * Add profiles that are in memory, with several threads. Rows with equal stacks and labels are added together. Types that
 * some profile lacks, rows with only zeros, and entries that no row uses are removed. Ids are numbered
 * from 1 in order of first use. The result is that of a merger.
 *
 * src      [n] n >= 1, not modified. Equal stacks may have different ids. The rows of a single profile with equal stacks and labels
 *          are added together, too.
 * options  NULL: the defaults
 * out      owned by the caller, freed with profile_free
 * Fails    ERR_FORMAT when the profiles are incompatible, naming them;
 *          ERR_RANGE when a sum overflows int64_t, naming profile, sample and type; ERR_LIMIT; ERR_STOPPED
 * Like     pprof internal/driver/fetch.go, combineProfiles, without two bugs: scaling keeps every row
 *          with a value other than 0, and locations are compared by all columns of their lines
 */
int profile_merge(const struct profile *const *src, size_t n, const struct merge_options *options, struct profile **out,
		  struct err *err);

#endif
