/*
 * top.h - the top report: functions by flat or cum, of a profile or of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TOP_H
#define REPORT_TOP_H

#include "base/err.h"
#include "engine/trim.h"
#include "engine/view.h"
#include "report/report.h"

enum { TOP_FLAT, TOP_FLAT_PCT, TOP_SUM_PCT, TOP_CUM, TOP_CUM_PCT, TOP_NAME, TOP_INLINED, N_TOP_COLS };

/*
 * Make the top report.
 *
 * q       after query_apply_defaults
 * out     released with report_release; untouched on failure
 * Fails   ERR_LIMIT as places_make; ERR_STOPPED; ERR_UNKNOWN if the profile has sums that do not suffice
 *         (profile/sums.h)
 * Like    pprof internal/report TextItems
 */
int report_top_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		    struct err *err);

/* Make the top report with empty notes about inlined calls, since these notes take half of the time. */
int report_top_make_quick(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			  struct err *err);

/* Columns of the top of a comparison. */
enum {
	TOP_SIDES_FLAT_BEFORE,
	TOP_SIDES_FLAT_AFTER,
	TOP_SIDES_FLAT_DELTA,
	TOP_SIDES_FLAT_DELTA_PCT, /* change in percent of before; NAN if before is 0 */
	TOP_SIDES_CUM_BEFORE,
	TOP_SIDES_CUM_AFTER,
	TOP_SIDES_CUM_DELTA,
	TOP_SIDES_CUM_DELTA_PCT,
	TOP_SIDES_NAME,
	TOP_SIDES_INLINED,
	N_TOP_SIDES_COLS
};

/*
 * Make the top report of a comparison: the rows of report_top_make for the joined profile, in the same order, by the
 * absolute change.
 *
 * v       of a profile that keeps its sides separate (sources/sides.h): values above 0 are after, below 0 before;
 *         v->side_total has the totals
 * q       after query_apply_defaults for top
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE for a mean, since means cannot be added; ERR_LIMIT as places_make; ERR_STOPPED
 */
int report_top_sides_make(const struct view *v, const struct query *q, struct report *out, struct err *err);

#endif
