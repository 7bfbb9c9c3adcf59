/*
 * common_types.h - sample types that profiles have in common, so that they can be added
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_COMMON_TYPES_H
#define PROFILE_COMMON_TYPES_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sample types that all n profiles have, in the order of the first, and their finest units. */
struct common_types {
	uint32_t n_types;
	uint32_t *column;       /* [n][n_types] index of type t in profile i, at i * n_types + t */
	double *ratio;          /* [n][n_types] factor for the values of type t in profile i */
	uint32_t *unit_source;  /* [n_types] the profile with the finest unit of type t */
	uint32_t period_source; /* the profile with the finest period unit */
	bool has_mixed_periods; /* with intersect: period types differ, so there is no common one */
};

struct common_types_options {
	const char *const *name; /* [n] names of the profiles in messages; NULL: numbers from 1 */
	bool intersect;          /* ignore types that do not match: see common_types_find */
};

/*
 * Find the common types of n >= 1 profiles.
 *
 * options with intersect, types with incompatible units are omitted, period types may differ, and
 *         inuse_space and inuse_objects count as space and objects in profiles that lack these
 * out     released with common_types_release, which is safe even after a failure
 * Fails   ERR_FORMAT when there is no common type, or units or period types are incompatible; the
 *         message suggests --intersect-types if that would work
 * Like    pprof profile/merge.go, CompatibilizeSampleTypes, and internal/measurement,
 *         ScaleProfiles. Types with the same name in one profile are matched by their order; pprof
 *         loses all but one.
 */
int common_types_find(const struct profile *const *src, size_t n, const struct common_types_options *options,
		      struct common_types *out, struct err *err);
void common_types_release(struct common_types *a);

/*
 * The default type of profile i among the common types, as a string of p, which is profile i. If the
 * default is not a common type and types have moved, it is the first common type.
 */
str_id common_types_default(const struct common_types *a, const struct profile *p, size_t i);

#endif
