/*
 * temporality.h - the meaning of values over time, and the kinds of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_TEMPORALITY_H
#define PROFILE_TEMPORALITY_H

#include "base/err.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum temporality {
	TEMPORALITY_DELTA,      /* counted during the profile: cpu, wall */
	TEMPORALITY_CUMULATIVE, /* counted since the start of the process: alloc_space, contentions, delay */
	TEMPORALITY_GAUGE,      /* at one moment: inuse_space, goroutine, threads */
	TEMPORALITY_INCREASE,   /* counted between snapshots of a counter: in stores with a reduced resolution only */
};

/* The temporality of sample type t, by its name; a mutex or block profile with a duration is a delta. */
enum temporality profile_temporality(const struct profile *p, uint32_t t);

/* The kind of a profile by its sample types: "cpu", "heap", "goroutine", "threads", "mutex", "block", "wall"..., else the name
   of its last type. mutex and block have equal types: then "mutex", and profile_kind_is_unsure. */
const char *profile_kind(const struct profile *p);
bool profile_kind_is_unsure(const struct profile *p);

/* The usual kind of profiles with a sample type of this name; NULL if the name is unknown. Static. */
const char *profile_kind_of_type(const char *type);

/*
 * Can a profile with these sample types be of this kind? Unknown kinds accept every profile.
 *
 * Fails  ERR_FORMAT, with the sample types
 */
int profile_check_kind(const struct profile *p, const char *kind, struct err *err);

#endif
