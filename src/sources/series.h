/*
 * series.h - totals of stored profiles over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SERIES_H
#define SOURCES_SERIES_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "report/series.h"

/*
 * Read totals from the directories of a store; profiles are read, step by step, only if the query has filters, functions, or
 * labels of samples.
 *
 * source   a source store:
 * out      released with report_series_release, also after a failure
 * notes    lines for the user are appended
 * Fails    ERR_USAGE; as store_read
 */
int sources_series(const char *source, const struct query *q, struct series *out, struct buf *notes, struct err *err);

#endif
