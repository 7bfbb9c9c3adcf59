/*
 * sides_read.h - load sources, subtract bases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SIDES_READ_H
#define SOURCES_SIDES_READ_H

#include "sources/read.h"
#include "base/err.h"
#include "profile/profile.h"

/*
 * Read sources and bases in parallel, subtract the bases, look up names, drop frames, add the comment.
 *
 * target  sources; lines about the result are appended to its notes
 * base    bases, n is 0 for none; with q->diff_base their samples are marked by BASE_LABEL
 * out     sealed, values may be below 0; freed with profile_free
 * Fails   as source_set_read for either; ERR_RANGE when a difference overflows 64 bits
 * Like    pprof internal/driver/fetch.go, fetchProfiles. But a scaled sample with a value other than 0
 *         is retained, and the sign is changed exactly.
 */
int sides_read(struct source_set *target, struct source_set *base, struct profile **out, struct err *err);

/*
 * Like sides_read, but also return the profile in which the samples of the base are separate (answer/sides.h).
 *
 * separate  must outlive out, which borrows from it. NULL: not needed. Set to NULL if out itself has separate
 *           samples, or if there is no base.
 */
int sides_read_both(struct source_set *target, struct source_set *base, struct profile **out, struct profile **separate,
		    struct err *err);

#endif
