/*
 * sums.h - sums by place instead of stacks, for a report that only adds up many profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Samples of a profile with sums are added up by their leaf location, and have no other frames. What the other frames cost is
 * in the sums: they were added up for the places of one query, so only its report can be made. Samples with some locations
 * have their whole stacks, for what cannot be known from sums. No value is below 0.
 */
#ifndef PROFILE_SUMS_H
#define PROFILE_SUMS_H

#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A location has a slot for each line, and one more. Slot k of a location is for its place number k, as in
 * engine/places.h. The cum of a place is the sum of the slots of all locations that have the place.
 */
struct profile_sums {
	uint32_t type;   /* the sample type of the sums */
	uint32_t n_locs; /* locations of samples whose values are not all 0 */
	uint32_t *loc;   /* [n_locs] in the order of their first use by samples */
	int64_t *cum;    /* [profile_sums_slots] */
	int64_t *
		several; /* [n_locs of the profile] sum of the samples with a location of several places; 0 for others */
	bool *is_whole;  /* [n_locs of the profile] have all samples with the location their whole stacks? */
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
