/*
 * trend.h - the report of what grew from each of many profiles to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_TREND_H
#define ANSWER_TREND_H

#include "answer/loaded.h"
#include "answer/make.h"
#include "answer/reports.h"

#include <stdbool.h>

/*
 * Read profiles one after the other, few at a time, and make and draw the report of them. A profile that cannot be
 * read is reported to the events and left out.
 *
 * t         a report of INPUT_SERIES
 * s         the sources, in the order of their time
 * remote    what was fetched of them (answer_fetch); NULL for nothing
 * n_failed  set to how many were left out
 * out       zero-initialised; released with answer_release, also after a failure
 * Fails     ERR_USAGE when fewer than two could be read; when one does not fit to the others, naming it
 */
int answer_trend(const struct report_type *t, const struct sources *s, struct remote *remote, const struct query *q,
		 bool color, const struct load_events *events, size_t *n_failed, struct answer *out, struct err *err);

#endif
