/*
 * sides.h - two loaded profiles as one, for comparisons
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A comparison has two forms. Joined is what pprof's commands see with -base: the base is negated and added, so
 * that what is the same cancels out, and 100 % is the sum of the magnitudes that are left. Apart is the
 * same, but samples of the base keep apart by BASE_LABEL with the text "true": nothing cancels, above 0 is after
 * and below 0 before (engine/boxes.h, report/top.h). With -diff_base pprof's commands see it apart, too:
 * view_make then takes the base's total for 100 %.
 *
 * With -base the label is our own doing, and nobody shall see it: ask flame and top_sides of the profile whose
 * sides are apart, and everything else, tags above all, of the joined one.
 */
#ifndef ANSWER_SIDES_H
#define ANSWER_SIDES_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/profile.h"

#include <stdbool.h>

struct sides_how {
	bool apart;
	bool intersect_types;                /* as the option */
	const char *normalize;               /* as the option: scales the target to the base; "" for not at all */
	const char *target_name, *base_name; /* for messages */
	struct stop *stop;                   /* NULL: never */
};

/*
 * Take a base off a target. Neither is changed, so threads may be reading them.
 *
 * out     the caller's; it borrows nothing. Names have not been looked up for it, nor frames dropped, where
 *         that was not done to the two
 * Fails   ERR_FORMAT when their types do not fit, or cannot be normalized; ERR_RANGE when a value leaves 64 bits;
 *         ERR_LIMIT, ERR_STOPPED
 */
int sides_make(const struct profile *target, const struct profile *base, const struct sides_how *how,
	       struct profile **out, struct err *err);

/*
 * The same for what is used up: both are written to, and only good for profile_free.
 */
int sides_take(struct profile *target, struct profile *base, const struct sides_how *how, struct profile **out,
	       struct err *err);

/*
 * Join what is apart: the rows that the other form has, in its order.
 *
 * apart   from sides_make, sides_take or compare_load; must live longer than the result, which borrows what did
 *         not change. The label is gone from the result.
 * out     the caller's
 * Fails   ERR_RANGE when a difference leaves 64 bits
 */
int sides_join(const struct profile *apart, struct profile **out, struct err *err);

#endif
