/*
 * sums.h - replace the stacks of a profile by sums (profile/sums.h)
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A report that only adds up takes less time and memory if samples are added up while they are read, because no stack is kept or
 * compared. This is done for the files of a report of many, whose sums are then merged, and for a single large file. Samples
 * that were read already can be replaced, too.
 *
 * The notes about inlined calls need calls between kept places, which are known at the end. If sums do not settle the question
 * (engine/edges_above.c), a single file is read a second time to count the calls; of many files, samples of some functions keep
 * their stacks. If that does not suffice, the report has to be made again from all stacks.
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
#include "profile/sample_walk.h"

#include <stdbool.h>

struct edge_walk;
struct query_filter;
struct sums_builder;

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
 * Add up samples while they are read.
 *
 * q       of a report without filters; if the sums are merged, sums_can_answer; borrowed
 * whole   for sums that are merged: names of functions, samples with them keep their whole stacks; borrowed. NULL: a single
 *         file, from a size on
 */
struct sums_builder *sums_new(const struct query_filter *q, const struct strtab *whole);
void sums_free(struct sums_builder *s); /* takes NULL */

/*
 * The walk of a reader, for one file; valid as long as s. It refuses a file if the report could differ: a value is below 0, a
 * location that samples have has no name, frames are to be dropped.
 */
struct sample_walk sums_walk(struct sums_builder *s);

/*
 * Replace the rows of a profile that was read without a walk. Its labels are removed.
 *
 * q, whole  as for sums_new
 * Returns   false if the report of the merged profiles could differ: a value is below 0, a location that samples have has no
 *           name, or a sample has BASE_LABEL. Then the profile is unchanged.
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

/*
 * Take cum and the sums of locations with several places from the profile of the view, which has sums. If they are those of other
 * places or another type, lacks_stacks of the profile is set.
 */
void sums_take(const struct view *v, const struct places *pl, struct arena *mem, struct graph *out);

/* sums_calls.c: count the calls of a walk, in its parts, while the samples are read again. Sets lacks_stacks if that fails. */
void sums_count_calls(struct edge_walk *w);

/*
 * Remember which functions have the same name, to check after names were looked up that the same functions still do.
 *
 * Returns a copy of p->func_name; freed by the caller
 */
str_id *sums_names(const struct profile *p);
bool sums_names_are_same(const struct profile *p, const str_id *before);

#endif
