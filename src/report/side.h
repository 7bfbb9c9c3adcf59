/*
 * side.h - what a side of a comparison says about itself
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_SIDE_H
#define REPORT_SIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "profile/profile.h"
#include "report/compare.h"

/* Where profiles came from, in words of the command line. */
struct side_sources {
	const char *const *source; /* [n] */
	size_t n;
};

/*
 * Fill a side from its profile. The host is the one value of a label host, hostname, instance or
 * node, or what a comment "host=..." or "hostname: ..." says.
 *
 * total   in the unit of the report
 * mem     texts that the profile does not hold live there
 */
void side_fill(struct compare_side *s, const struct profile *p, const struct side_sources *from, int64_t total,
	       struct arena *mem);

/*
 * Append a line for what makes two sides hard to compare: the base is newer, periods differ, or
 * durations differ by more than a tenth and nothing is normalised.
 */
void side_warn(const struct profile *base, const struct profile *target, bool normalised, struct buf *notes);

#endif
