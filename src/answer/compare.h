/*
 * compare.h - load sources, subtract bases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_COMPARE_H
#define ANSWER_COMPARE_H

#include "answer/load.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * Read sources and bases in parallel, subtract the bases, look up names, drop frames, add the comment.
 *
 * new  sources; lines about the result are appended to its notes
 * base    bases, n is 0 for none; with q->diff_base their samples are marked by BASE_LABEL
 * out     sealed, values may be below 0; freed with profile_free
 * Fails   as load_profile for either; ERR_RANGE when a difference overflows 64 bits
 * Like    pprof internal/driver/fetch.go, fetchProfiles. But a scaled sample with a value other than 0
 *         is retained, and the sign is changed exactly.
 */
int compare_load(struct load *new, struct load *base, struct profile **out, struct err *err);

/*
 * Like compare_load, but also return the profile in which the samples of the base are separate (answer/sides.h).
 *
 * separate  must outlive out, which borrows from it. NULL: not needed. Set to NULL if out itself has separate
 *           samples, or if there is no base.
 */
int compare_load_sides(struct load *new, struct load *base, struct profile **out, struct profile **separate,
		       struct err *err);

#endif
