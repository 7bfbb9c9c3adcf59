/*
 * trend.h - report what grew over a series of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_TREND_H
#define ANSWER_TREND_H

#include "answer/answer.h"
#include "answer/loaded.h"
#include "answer/reports.h"

#include <stdbool.h>

/*
 * Read profiles in order, a few at a time, and make and draw the report. A profile that cannot be read is reported to
 * the events and skipped.
 *
 * t         a report of INPUT_SERIES
 * s         the sources, oldest first
 * remote    fetched sources (answer_fetch); NULL: none
 * n_failed  set to the number of skipped profiles
 * out       zero-initialised; released with answer_release, also after a failure
 * Fails     ERR_USAGE when fewer than two profiles could be read; when a profile is incompatible with the others
 */
int answer_trend(const struct report_type *t, const struct sources *s, struct remote *remote, const struct query *q,
		 bool color, const struct load_events *events, size_t *n_failed, struct answer *out, struct err *err);

#endif
