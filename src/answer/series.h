/*
 * series.h - totals of stored profiles over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SERIES_H
#define ANSWER_SERIES_H

#include "answer/answer.h"
#include "answer/reports.h"

#include <stdbool.h>

/*
 * Make and draw the report. Totals come from the directories of the store; profiles are read, step by step, only if the
 * query has filters, functions, or labels of samples.
 *
 * t        a report of INPUT_STORED
 * source   a source store:
 * color    add terminal colour codes
 * out      zero-initialised; released with answer_release, also after a failure
 * Fails    ERR_USAGE; as store_read
 */
int answer_series(const struct report_type *t, const char *source, const struct query *q, bool color,
		  struct answer *out, struct err *err);

#endif
