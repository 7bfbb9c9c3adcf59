/*
 * top.h - the report top: places by their weight
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
 * Answer top.
 *
 * q       as query_for_report left it
 * out     released with report_release; untouched on failure
 * Fails   ERR_LIMIT as places_make; ERR_STOPPED
 * Like    pprof internal/report TextItems
 */
int report_top_make(const struct view *v, const struct query *q, struct report *out, struct err *err);

/* The same but for what was inlined, which is as much work as all the rest: the notes behind names are "". */
int report_top_make_quick(const struct view *v, const struct query *q, struct report *out, struct err *err);

/* What stands behind the name of a row; "" for nothing. */
const char *report_top_inlined_note(enum inlined inlined);

#endif
