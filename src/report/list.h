/*
 * list.h - the report list: source lines with their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

/* Columns of the table. */
enum {
	LIST_FUNCTION, /* of ROW_INLINED: the one that was inlined */
	LIST_FILE,     /* where that is; "" when the profile does not say */
	LIST_LINE,
	LIST_FLAT,
	LIST_FLAT_PCT,
	LIST_CUM,
	LIST_CUM_PCT,
	LIST_SOURCE, /* text of the line */
	LIST_PATH,   /* of the file that was read, "" when there is none */
	LIST_ERROR,  /* why there are no lines; "" when there are */
	N_LIST_COLS
};

/*
 * Answer list: for each function that matches and each of its files a row ROW_ROUTINE, then its lines
 * from the first to the last that has weight, with some around them, each followed by the calls in it
 * that were inlined if the question wants them. A function without a file is one row ROW_ROUTINE, and
 * so is one whose file was not found, unless the question has bare_lines.
 *
 * notes   a line is appended for files that were not found, with the best places tried
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE when the pattern does not parse or matches nothing; ERR_LIMIT when there are too
 *         many lines
 * Like    pprof internal/report printSource, but that a mean is one
 */
int report_list_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err);

#endif
