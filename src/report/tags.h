/*
 * tags.h - the report tags: labels of samples by their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TAGS_H
#define REPORT_TAGS_H

#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

enum { TAGS_KEY, TAGS_VALUE, TAGS_WEIGHT, TAGS_PERCENT, TAGS_COLS }; /* columns of the table */

/*
 * Answer tags: a row per key and value, in order of keys, then of magnitude. Numbers are values in
 * the unit of the question, and those that read the same are one. A sample counts for a value as
 * often as it has it.
 *
 * notes   a line is appended for every label key with several units; may be NULL
 * out     released with report_release; untouched on failure
 * Fails   ERR_RANGE when the weights of a key do not add up within int64_t
 * Like    pprof internal/report printTags
 */
int tag_table_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes, struct err *err);

#endif
