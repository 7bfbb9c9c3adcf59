/*
 * comments.h - the report comments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_COMMENTS_H
#define REPORT_COMMENTS_H

#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

/*
 * Answer comments: a row for each, also for those that other reports leave out.
 *
 * out     released with report_release
 * Like    pprof internal/report printComments
 */
void report_comments_make(const struct view *v, const struct query *q, struct report *out);

#endif
