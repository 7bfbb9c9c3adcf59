/*
 * list.h - the list report: source lines with flat and cum
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_LIST_H
#define REPORT_LIST_H

#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

/* Columns of the table. */
enum {
	LIST_FUNCTION, /* name of the inlined function, for ROW_INLINED */
	LIST_FILE,     /* file of the inlined function; "" if unknown */
	LIST_LINE,
	LIST_FLAT,
	LIST_FLAT_PCT,
	LIST_CUM,
	LIST_CUM_PCT,
	LIST_SOURCE, /* text of the line */
	LIST_PATH,   /* path of the file that was read; "" for none */
	LIST_ERROR,  /* reason why there are no lines; "" if there are */
	N_LIST_COLS
};

/*
 * Make the list report: for each matching function and each of its files a row ROW_ROUTINE, then its lines from the
 * first to the last one with samples, with a margin of lines, each followed by the calls inlined into it if the query
 * wants them. A function without a file has only its row ROW_ROUTINE. So does a function whose file was not found,
 * unless the query has bare_lines.
 *
 * notes   a line is appended for files that were not found, with the paths that were tried
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE if the pattern does not parse or matches nothing; ERR_LIMIT if there are too many lines
 * Like    pprof internal/report printSource, except that -mean divides
 */
int report_list_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		     struct err *err);

#endif
