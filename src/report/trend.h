/*
 * trend.h - the trend report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TREND_H
#define REPORT_TREND_H

#include "engine/trend.h"
#include "report/report.h"
#include "report/side.h"

/*
 * List the functions that grew and fell in no step between the profiles, largest slope first; with --all list all functions.
 *
 * first, last  sides of the first and the last profile, without totals; their strings and t must outlive the report
 * q            nodefraction applies to the total of the last profile
 * out          released with report_release
 * notes        lines for the user are appended
 */
void report_trend(const struct trend *t, const struct compare_side *first, const struct compare_side *last,
		  const struct query *q, struct report *out, struct buf *notes);

#endif
