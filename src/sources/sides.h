/*
 * sides.h - combine two loaded profiles for comparisons
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A comparison has two forms. The joined form is pprof's form for -base: the base is negated and added, so equal
 * samples cancel out, and 100 % is the sum of the magnitudes of the remaining samples. In the separate form the samples
 * of the base have the label BASE_LABEL with the text "true", so they do not cancel out: values above 0 are after,
 * values below 0 are before (engine/boxes.h, report/top.h). pprof uses this form for -diff_base; then view_make uses
 * the total of the base as 100 %.
 *
 * With -base the label is internal and must not be shown. So only flame and top_sides use the separate form; all
 * other reports, in particular tags, use the joined form.
 */
#ifndef SOURCES_SIDES_H
#define SOURCES_SIDES_H

#include "base/comparison.h"
#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"
#include "sources/read.h"

#include <stdbool.h>

struct sides_options {
	bool keep_sides;
	bool intersect_types;             /* value of the option intersect_types */
	const char *normalize;            /* value of -normalize: how to scale the new side; "": do not scale */
	const char *new_name, *base_name; /* for messages */
	struct stop *stop;                /* NULL: cannot be stopped */
};

/*
 * Subtract a base from a new profile. Neither is modified, so other threads may read them.
 *
 * out     owned by the caller; it borrows nothing. Names are looked up and frames dropped only if that was done for
 *         both profiles.
 * Fails   ERR_FORMAT when their types are incompatible or cannot be normalized; ERR_RANGE when a value overflows 64
 *         bits; ERR_LIMIT, ERR_STOPPED
 */
int sides_make(const struct profile *new, const struct profile *base, const struct sides_options *options,
	       struct profile **out, struct err *err);

/*
 * Like sides_make, but both profiles are modified and can only be freed afterwards.
 */
int sides_make_in_place(struct profile *new, struct profile *base, const struct sides_options *options,
			struct profile **out, struct err *err);

/*
 * Convert the separate form into the joined form, with the same rows in the same order.
 *
 * separate  from sides_make, sides_make_in_place or sides_read; must outlive the result, which borrows
 *           unchanged columns. The result does not have the label.
 * out       owned by the caller
 * Fails     ERR_RANGE when a difference overflows 64 bits
 */
int sides_join(const struct profile *separate, struct profile **out, struct err *err);

/* Does the profile have samples of a base, in the separate form? */
bool sides_are_separate(const struct profile *p);

/*
 * The samples of one side of the separate form, as a profile without time and duration that has only the functions of
 * this side. Those of the base get back their sign, but keep the label.
 *
 * separate  as for sides_join; must outlive the result
 */
struct profile *sides_split(const struct profile *separate, enum side side);

/*
 * Read sources and bases in parallel, subtract the bases, look up names, drop frames, add the comment.
 *
 * new       sources; lines about the result are appended to its notes
 * base      bases, n is 0 for none; with q->diff_base their samples are marked by BASE_LABEL
 * out       sealed, values may be below 0; freed with profile_free
 * separate  the profile in which the samples of the base are separate, from which out borrows. NULL: not needed. Set to NULL
 *           if out itself has separate samples, or if there is no base
 * Fails     as sources_set_read for either; ERR_RANGE when a difference overflows 64 bits
 * Like      pprof internal/driver/fetch.go, fetchProfiles. But a scaled sample with a value other than 0
 *           is retained, and the sign is changed exactly.
 */
int sides_read(struct source_set *new, struct source_set *base, struct profile **out, struct profile **separate,
	       struct err *err);

#endif
