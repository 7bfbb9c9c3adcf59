/*
 * tags.h - the tags report: samples by label
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_TAGS_H
#define REPORT_TAGS_H

#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

#include <stddef.h>

enum { TAGS_KEY, TAGS_VALUE, TAGS_CUM, TAGS_CUM_PCT, TAGS_COLS }; /* columns of the table */

/* Label of a row, to build a filter for it. */
struct tag_row {
	bool has_text, has_number; /* both for a string and a number that are printed the same */
	const char *text;          /* n_text bytes, from the profile, untrusted */
	size_t n_text;
	int64_t lo, hi;   /* smallest and largest number, in unit */
	const char *unit; /* untrusted */
};

/*
 * Make the tags report: one row per key and value, sorted by key, then by absolute cum. Numeric values are in the unit
 * of the query; those that are printed the same share a row. A sample that has a label several times counts several
 * times. out->tag has the label of each row.
 *
 * notes   a line is appended for every label key with several units; may be NULL
 * out     released with report_release; untouched on failure
 * Fails   ERR_RANGE if the sum over a key overflows int64_t
 * Like    pprof internal/report printTags
 */
int report_tags_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err);

#endif
