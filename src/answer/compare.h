/*
 * compare.h - from sources and bases to the profile that a report is about
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_COMPARE_H
#define ANSWER_COMPARE_H

#include "answer/load.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * Read sources and bases side by side, take the bases off, look up names, drop frames, add the comment.
 *
 * target  sources; its notes get the lines about the result too
 * base    bases, n 0 for none; with q->diff_base their samples keep apart by BASE_LABEL
 * out     sealed, values may be below 0; freed with profile_free
 * Fails   as load_profile for either; ERR_RANGE when a difference leaves 64 bits
 * Like    pprof internal/driver/fetch.go, fetchProfiles, but for a scaled sample with one value other
 *         than 0, which stays, and for the sign, which is changed exactly
 */
int compare_load(struct load *target, struct load *base, struct profile **out, struct err *err);

/*
 * The same, and beside it the profile in which the samples of the base keep apart (answer/sides.h).
 *
 * apart   must live longer than out, which borrows from it; NULL when nobody wants it; set to NULL when out itself
 *         is so, or there is no base
 */
int compare_load_apart(struct load *target, struct load *base, struct profile **out, struct profile **apart,
		       struct err *err);

#endif
