/*
 * sums.h - sums by place instead of stacks, for a report that only adds up
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples of a profile with sums are added up by their leaf location, and have no other frames. What the other frames cost is
 * in the sums: they were added up for the places of one query, so only its report can be made. Samples with some locations
 * may have their whole stacks, for what cannot be known from sums. No value is below 0.
 */
#ifndef PROFILE_SUMS_H
#define PROFILE_SUMS_H

#include "profile/profile.h"
#include "profile/sample_walk.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Sums for a report of a single profile are by place. Others are by location, so that they can be merged, or places joined: a
 * location has a slot for each line, and one more. Slot k of a location is for its place number k, as in engine/places.h. The
 * cum of a place is the sum of the slots of all locations that have the place.
 */
struct profile_sums {
	uint32_t type;     /* the sample type of the sums */
	uint64_t places;   /* hash of the places for which the sums are right; 0: not known */
	int64_t *of_place; /* [places + places_n_several] in place of cum and several; NULL: these have the sums */
	int64_t *cum;      /* [profile_sums_slots] */
	/* [n_locs] if the sums are to be merged, the locations of samples whose values are not all 0, in the order of their first
	   use; else NULL, and n_locs is that of the profile */
	uint32_t *loc;
	uint32_t n_locs;
	/* [n_locs of the profile + 1][types] sums by leaf location, of samples without a row; the last are those without frames.
	   The merged profile has a row for each instead. NULL: all samples have rows */
	int64_t *flat;
	int64_t *several; /* [n_locs of the profile] sum of samples with a location of several places; 0 for others */
	bool *is_whole;   /* [n_locs of the profile] have all samples with the location their whole stacks? */
	struct sample_source source; /* reads the samples again; its read is NULL if that is not possible */
	bool lacks_stacks; /* set if a report needed what the sums do not have; it has to be made of all stacks */
};

static inline size_t profile_sums_slots(const struct profile *p)
{
	return (size_t)p->n_lines + p->n_locs;
}

/* The slot of the first place of a location. */
static inline size_t profile_sums_slot(const struct profile *p, uint32_t loc)
{
	return (size_t)p->loc_line[loc] + loc;
}

#endif
