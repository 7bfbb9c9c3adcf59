/*
 * diff.h - the diff report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "base/err.h"
#include "engine/diff.h"
#include "report/report.h"
#include "report/side.h"

/*
 * Compare two profiles: one row per function with a value on either side, sorted by the absolute change of flat, or of
 * cum with -cum.
 *
 * p       [N_SIDES] borrowed, like the sources; must outlive the report
 * q       nodefraction applies to the total of either side; drop_negative drops rows that did not grow
 * out     released with report_release; untouched on failure
 * notes   lines for the user are appended
 * Fails   as diff_make; ERR_UNKNOWN if renamed functions have to be found, and a side has sums instead of samples
 */
int report_diff(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES], const struct query *q,
		struct report *out, struct buf *notes, struct err *err);

/* (after - before) / |before| in percent; NAN if before is 0. */
double report_diff_percent(int64_t before, int64_t after);

/* part / |total| in percent; 0 if total is 0. */
double report_diff_share(int64_t part, int64_t total);

#endif
