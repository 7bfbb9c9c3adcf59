/*
 * top_sides.h - the report top of a comparison: each place before and after
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TOP_SIDES_H
#define REPORT_TOP_SIDES_H

#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

/* Columns of the table. */
enum {
	TOP_SIDES_FLAT_BEFORE,
	TOP_SIDES_FLAT_AFTER,
	TOP_SIDES_FLAT_DELTA,
	TOP_SIDES_FLAT_DELTA_PCT, /* of before; NAN where that is 0 */
	TOP_SIDES_CUM_BEFORE,
	TOP_SIDES_CUM_AFTER,
	TOP_SIDES_CUM_DELTA,
	TOP_SIDES_CUM_DELTA_PCT,
	TOP_SIDES_NAME,
	TOP_SIDES_INLINED,
	N_TOP_SIDES_COLS
};

/*
 * Answer top of a comparison: the rows that report_top_make has for the joined profile, in its order, which is by
 * the magnitude of the change.
 *
 * v       of a profile whose sides are apart (answer/sides.h): above 0 is after, below 0 before, and
 *         v->side_total are the totals
 * q       as query_for_report left it for top
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE for a mean: averages do not add up; ERR_LIMIT as places_make; ERR_STOPPED
 */
int report_top_sides_make(const struct view *v, const struct query *q, struct report *out, struct err *err);

#endif
