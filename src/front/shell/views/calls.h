/*
 * calls.h - shared by the files of the Callers view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_CALLS_H
#define FRONT_SHELL_VIEWS_CALLS_H

#include "report/calls.h"
#include "front/shell/state.h"
#include "front/shell/widgets/sheet.h"

#include <stdbool.h>
#include <stdint.h>

/* One function and its rows in the report: callers [first, node), callees (node, end). */
struct calls_group {
	uint32_t first, node, end;
};

/* The model. */
struct calls_rows {
	const struct report *r;
	struct calls_grand grand;
	bool is_net; /* values are differences */
	uint32_t n;
	struct calls_group *group; /* [n] the functions that the expression matched */
};

enum calls_line_kind {
	CALLS_LINE,       /* a caller or callee */
	CALLS_LINE_GRAND, /* one of its callers or callees; the last one may be the part without */
	CALLS_LINE_REST   /* the sum of those that have no line */
};

struct calls_line {
	enum calls_line_kind kind;
	uint32_t row;   /* the caller or callee, a row of the report */
	uint32_t grand; /* row of the grand calls; of a rest the first one without a line */
};

/* The lines of callers or callees, for their sheet. */
struct calls_side {
	const struct calls_rows *all;
	int64_t cum;     /* of the function in the middle */
	uint32_t n_rows; /* number of callers or callees */
	uint32_t n_lines;
	struct calls_line *line; /* [n_lines] owned */
};

enum calls_column { CALLS_SHEET_CUM, CALLS_SHEET_CALLS_PCT, CALLS_SHEET_CUM_PCT, CALLS_SHEET_NAME };

extern const struct sheet_class shell_callers_sheet, shell_callees_sheet;

/* The callers, else the callees, of a function. */
struct calls_span {
	const struct calls_group *group;
	bool is_callees;
};

/* Number of callers or callees. */
uint32_t shell_calls_span_rows(struct calls_span span);

/* Number of lines that show all their own callers or callees. */
uint32_t shell_calls_span_wish(const struct calls_rows *all, struct calls_span span);

/* Set the lines: the callers or callees and, in at most this many further lines, their own callers or callees. */
void shell_calls_side_set(struct calls_side *side, const struct calls_rows *all, struct calls_span span,
			  uint32_t spare);

/* The function of a line; the part without a further one, and a rest, have that of their caller or callee. */
const char *shell_calls_side_function(const struct calls_side *side, uint32_t line);
const char *shell_calls_side_near(const struct calls_side *side, uint32_t line); /* the caller or callee of a line */
const struct row_place *shell_calls_side_place(const struct calls_side *side, uint32_t line);

/* Append a value; a difference has a sign and a colour. */
void shell_calls_add_value(const struct calls_rows *c, int64_t value, struct buf *out, struct style *style);

#endif
