/*
 * agree.h - what profiles have in common, so that they can be added
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_AGREE_H
#define PROFILE_AGREE_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value types that all profiles have, in the order of the first, and their finest units. */
struct agreement {
	uint32_t n_types;
	uint32_t *column;     /* [n][n_types] where profile i keeps type t: i * n_types + t */
	double *ratio;        /* [n][n_types] what its values are multiplied by */
	uint32_t *unit_of;    /* [n_types] the profile whose unit for type t is the finest */
	uint32_t period_from; /* the profile whose period unit is the finest */
	bool period_mixed;    /* with intersect: period types differ, so that there is none */
};

struct agree_how {
	const char *const *name; /* [n] what the profiles are called in messages; NULL: by number from 1 */
	bool intersect;          /* make do with what fits: see agreement_find */
};

/*
 * Find out how n >= 1 profiles can be added.
 *
 * how     with intersect, types whose units do not fit are left out, period types may differ, and
 *         inuse_space and inuse_objects are the space and objects of profiles that have no others
 * out     released with agreement_release; also safe to release after a failure
 * Fails   ERR_FORMAT when they have no type in common, or units or period types do not fit; names
 *         --intersect-types when that would do
 * Like    pprof profile/merge.go, CompatibilizeSampleTypes, and internal/measurement,
 *         ScaleProfiles. Types of one name in one profile are told apart by their order; pprof
 *         loses them.
 */
int agreement_find(const struct profile *const *src, size_t n, const struct agree_how *how, struct agreement *out,
		   struct err *err);
void agreement_release(struct agreement *a);

/*
 * The default type that profile i brings to the merge, as a string of p, which is that profile. It
 * is the first common type when types were moved or dropped and the default was among those.
 */
str_id agreement_default(const struct agreement *a, const struct profile *p, size_t i);

#endif
