/*
 * top.h - the report top: places by their weight, of a profile or of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TOP_H
#define REPORT_TOP_H

#include "base/err.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "engine/view.h"
#include "report/report.h"

enum { TOP_FLAT, TOP_FLAT_PCT, TOP_SUM_PCT, TOP_CUM, TOP_CUM_PCT, TOP_NAME, TOP_INLINED, N_TOP_COLS };

/*
 * Make the report top.
 *
 * q       after query_apply_defaults
 * out     released with report_release; untouched on failure
 * Fails   ERR_LIMIT as places_make; ERR_STOPPED
 * Like    pprof internal/report TextItems
 */
int report_top_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		    struct err *err);

/* The same without the notes about inlined calls, which take as long as all else: they are "". */
int report_top_make_quick(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			  struct err *err);

/* The note after the name of a row; "" for none. */
const char *report_top_inlined_note(enum inlined inlined);

/* Columns of the top of a comparison. */
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
 * Make the report top of a comparison: the rows of report_top_make for the joined profile, in its order, which is by
 * the magnitude of the change.
 *
 * v       of a profile whose sides are apart (answer/sides.h): above 0 is after, below 0 before, and
 *         v->side_total are the totals
 * q       after query_apply_defaults for top
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE for a mean: averages do not add up; ERR_LIMIT as places_make; ERR_STOPPED
 */
int report_top_sides_make(const struct view *v, const struct query *q, struct report *out, struct err *err);

#endif
