/*
 * sums.h - replace the stacks of a profile by sums (profile/sums.h)
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A report of many profiles that only adds up takes less time and memory if each is reduced to its sums before they are
 * merged: then no stacks are compared.
 */
#ifndef ENGINE_SUMS_H
#define ENGINE_SUMS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strtab.h"
#include "engine/graph.h"
#include "engine/places.h"
#include "engine/view.h"
#include "profile/profile.h"

#include <stdbool.h>

struct query_filter;

/* Could the sums of profiles answer this query? Filters and labels need samples, addresses need the merged mappings. */
bool sums_can_answer(const struct query_filter *q);

/*
 * Find the functions that may need whole stacks for the notes about inlined calls, in a sample of the profiles. As the sums
 * of all profiles differ from those of some, these are more than the sample needs.
 *
 * v       of a profile with sums
 * q       after query_apply_defaults
 * names   their names are added
 * share   set to the share of the total that samples with them have at most
 * Fails   as places_make
 */
int sums_find_whole(const struct view *v, const struct query_filter *q, struct strtab *names, double *share,
		    struct err *err);

/*
 * Replace the rows of a profile. Its labels are removed.
 *
 * q       sums_can_answer
 * whole   names of functions; samples with them keep their whole stacks
 * Returns false if the report of the merged profiles could differ: a value is below 0, a location that samples have has no
 *         name, or a sample has BASE_LABEL. Then the profile is unchanged.
 */
bool sums_make(struct profile *p, const struct query_filter *q, const struct strtab *whole);

/*
 * The same for a single profile whose places are known: no location needs a name, and labels of a base are ignored. The sums
 * are made with all threads.
 *
 * v, pl   of p; only for these places are the sums right
 * Returns false if a value is below 0; then the profile is unchanged
 */
bool sums_make_of(struct profile *p, const struct view *v, const struct places *pl);

/* Take cum and the sums of locations with several places from the profile of the view, which has sums. */
void sums_take(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out);

/*
 * Remember which functions have the same name, to check after names were looked up that the same functions still do.
 *
 * Returns a copy of p->func_name; freed by the caller
 */
str_id *sums_names(const struct profile *p);
bool sums_names_are_same(const struct profile *p, const str_id *before);

#endif
