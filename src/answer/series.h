/*
 * series.h - draw totals over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SERIES_H
#define ANSWER_SERIES_H

#include "answer/answer.h"
#include "answer/reports.h"
#include "report/series.h"

#include <stdbool.h>

/* Check the options, before anything is read. Fails with ERR_USAGE. */
int answer_series_check(const struct query *q, struct err *err);

/*
 * Make and draw the report.
 *
 * t        a report of INPUT_STORED
 * s        the report takes over its memory
 * color    add terminal colour codes
 * out      released with answer_release, also after a failure
 * Fails    ERR_IO when a library is missing
 */
int answer_series(const struct report_type *t, struct series *s, const struct query *q, bool color, struct answer *out,
		  struct err *err);

#endif
