/*
 * weblist.h - the weblist report: source lines and their instructions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_WEBLIST_H
#define REPORT_WEBLIST_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

/* All strings are untrusted; "" if unknown. Lists of a level are [lo, hi) of the level below. */

/* An inlined call that contains an instruction. */
struct weblist_call {
	uint32_t depth;     /* number of inlined calls that enclose it */
	const char *source; /* text of the calling line, trimmed */
	const char *file;
	int64_t line;
};

struct weblist_inst {
	bool new_block; /* is it not directly after the preceding instruction? */
	bool is_code;   /* is there an instruction? A row may have only calls */
	uint32_t depth; /* number of inlined calls around it */
	uint64_t addr;  /* object address */
	const char *text;
	const char *file;
	int64_t line;
	int64_t flat, cum;
	uint32_t lo, hi;   /* inlined calls that the preceding instruction does not share */
	uint32_t n_hidden; /* calls around them that are not listed */
};

enum weblist_kind {
	LINE_NO_CODE,
	LINE_DEAD,
	LINE_LIVE
}; /* no code; code without listed instructions; listed instructions */

struct weblist_line {
	enum weblist_kind kind;
	int64_t no;
	const char *source;
	int64_t flat, cum;
	uint32_t lo, hi; /* instructions; empty unless LINE_LIVE */
};

/* A part of a file that belongs to one function. */
struct weblist_func {
	const char *name, *file;
	const char *path;  /* path of the source; "" if it was not found */
	const char *error; /* reason why it was not found; "" if it was */
	const char *tried; /* the most likely of the paths tried, one per line */
	int64_t flat, cum;
	uint32_t lo, hi; /* lines */
};

struct weblist {
	uint32_t n;
	uint32_t n_files, n_all_files; /* number of files shown; with those that q->max_groups omits */
	struct weblist_func *func;     /* [n] sorted by file, then by line; files by flat with q->max_groups */
	struct weblist_line *line;
	struct weblist_inst *inst;
	struct weblist_call *call;
};

/*
 * Find the source and the instructions of the functions that match q->pattern.
 *
 * out     in the report's arena; the report has only a head; released with report_release
 * notes   a line for each binary that could not be read, and for what is omitted because the page would be too large
 * Fails   ERR_USAGE if nothing matches, ERR_LIMIT
 * Like    pprof internal/report MakeWebList
 */
int report_weblist_make(const struct view *v, const struct query *q, struct report *r, struct weblist *out,
			struct buf *notes, struct err *err);

#endif
