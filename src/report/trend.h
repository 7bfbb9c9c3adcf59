/*
 * trend.h - the report trend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include "engine/query.h"
#include "engine/trend.h"
#include "report/report.h"
#include "report/side.h"

/*
 * Tell which functions grew in every step between profiles that were taken in, the steepest first;
 * with --all the others too.
 *
 * first, last  sides of the first and the last profile, filled but for their totals; their texts
 *              must outlive the report, as must t
 * q            nodefraction holds against the last total, nodecount as it is
 * out          released with report_release
 * notes        lines for the user are appended
 */
void report_trend(const struct trend *t, const struct compare_side *first, const struct compare_side *last,
		  const struct query *q, struct report *out, struct buf *notes);

#endif
