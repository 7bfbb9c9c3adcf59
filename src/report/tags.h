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

#include <stddef.h>

enum { TAGS_KEY, TAGS_VALUE, TAGS_WEIGHT, TAGS_PERCENT, TAGS_COLS }; /* columns of the table */

/* What a row stands for, so that one can ask for just that. */
struct tag_row {
	bool has_text, has_number; /* both when they read the same */
	const char *text;          /* n_text bytes of the profile, hostile */
	size_t n_text;
	int64_t lo, hi;   /* the least and the largest of the numbers, in unit */
	const char *unit; /* hostile */
};

/*
 * Answer tags: a row per key and value, in order of keys, then of magnitude. Numbers are values in
 * the unit of the question, and those that read the same are one. A sample counts for a value as
 * often as it has it. out->tag says what rows stand for.
 *
 * notes   a line is appended for every label key with several units; may be NULL
 * out     released with report_release; untouched on failure
 * Fails   ERR_RANGE when the weights of a key do not add up within int64_t
 * Like    pprof internal/report printTags
 */
int report_tags_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err);

#endif
