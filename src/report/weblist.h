/*
 * weblist.h - the report weblist: source lines, and the instructions under them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_WEBLIST_H
#define REPORT_WEBLIST_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

/* All texts are hostile; "" where unknown. Lists of a level are [lo, hi) of the level below. */

/* A call that was inlined, on the way to an instruction. */
struct weblist_call {
	uint32_t depth;     /* how many are around it */
	const char *source; /* of the line that calls, without blanks around */
	const char *file;
	int64_t line;
};

struct weblist_inst {
	bool new_block; /* does not follow the one before */
	bool is_code;   /* false when there is nothing to say but through which calls it came */
	uint32_t depth; /* inlined calls around it */
	uint64_t addr;  /* object address */
	const char *text;
	const char *file;
	int64_t line;
	int64_t flat, cum;
	uint32_t lo, hi; /* calls that the one before was not in */
};

enum weblist_kind { LINE_NO_CODE, LINE_DEAD, LINE_LIVE }; /* nothing there; nothing to unfold; something */

struct weblist_line {
	enum weblist_kind kind;
	int64_t no;
	const char *source;
	int64_t flat, cum;
	uint32_t lo, hi; /* instructions; none unless LINE_LIVE */
};

/* A part of a file that belongs to one function. */
struct weblist_func {
	const char *name, *file;
	int64_t flat, cum;
	uint32_t lo, hi; /* lines */
};

struct weblist {
	uint32_t n;
	struct weblist_func *func; /* [n] by file, then by line */
	struct weblist_line *line;
	struct weblist_inst *inst;
	struct weblist_call *call;
};

/*
 * Find the source and the instructions of the functions that q->pattern is about.
 *
 * out     in the report's arena; the report has only a head; released with report_release
 * notes   a line for each binary that could not be looked into
 * Fails   ERR_USAGE when nothing matches, ERR_LIMIT when it is too much for a page
 * Like    pprof internal/report MakeWebList
 */
int report_weblist_make(const struct view *v, const struct query *q, struct report *r, struct weblist *out,
			struct buf *notes, struct err *err);

#endif
