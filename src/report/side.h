/*
 * side.h - metadata of a side of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_SIDE_H
#define REPORT_SIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"
#include "report/compare.h"

/* Sources of profiles, as on the command line. */
struct side_sources {
	const char *const *source; /* [n] */
	size_t n;
	const struct side_traffic *traffic; /* NULL: not stored */
};

/* Find the builds of the program of a profile: the build ids of the mappings of its file. */
void side_find_builds(const struct profile *p, struct arena *mem, struct side_builds *out);

/*
 * Fill in a side from its profile. The host is the value of a label host, hostname, instance or node, if there is only
 * one value, or from a comment "host=..." or "hostname: ...".
 *
 * total   in the unit of the report
 * mem     owns strings that are not in the profile
 */
void side_fill(struct compare_side *s, const struct profile *p, const struct side_sources *from, int64_t total,
	       struct arena *mem);

/*
 * Append a line for each reason that makes two sides hard to compare: the base is newer, periods differ, or durations
 * differ by more than a tenth without normalization.
 */
void side_warn(const struct profile *base, const struct profile *new, bool normalized, struct buf *notes);

#endif
