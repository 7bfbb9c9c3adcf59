/*
 * calls.h - the reports about calls: tree, peek, and the head of drawings
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_CALLS_H
#define REPORT_CALLS_H

#include "base/err.h"
#include "engine/net.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	CALLS_FLAT,
	CALLS_FLAT_PCT,
	CALLS_SUM_PCT,
	CALLS_CUM,
	CALLS_CUM_PCT,
	CALLS_WEIGHT,
	CALLS_WEIGHT_PCT,
	CALLS_NAME,
	CALLS_INLINED,
	N_CALLS_COLS
};

/*
 * Make the tree report, or the peek report if the query has a pattern: for each node a row per caller, one for the node
 * itself (ROW_NODE), and one per callee.
 *
 * out     released with report_release; untouched on failure
 * Fails   ERR_USAGE if the pattern does not parse or matches nothing
 * Like    pprof internal/report printTree
 */
int report_calls_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		      struct err *err);

/* Like report_calls_make, with the calls beyond the callers and callees (calls_grand_fill). */
struct calls_grand;
int report_calls_make_grand(const struct view *v, const struct query *q, struct report *out, struct calls_grand *grand,
			    struct err *err);

/*
 * Fill in the head of a report on a call graph.
 *
 * values will be printed as whole numbers
 */
void report_calls_head(const struct net *net, const struct query *q, const struct view *v, bool whole,
		       struct report *r);

/* The callers of the callers, and the callees of the callees, of the rows of a report of calls. */
struct calls_grand {
	uint32_t *off; /* [rows of the report + 1] the rows beyond row i of the report are off[i] .. off[i + 1] */
	/* With the columns of the report. A row has the part of the call of row i that continues with its function, and
	   the role of row i. The heaviest are first. The last one can be the part that ends with row i: its role is
	   ROW_PLAIN, its name CALLS_NO_CALLER or CALLS_NO_CALLEE, its place that of row i. */
	struct table table;
};

#define CALLS_NO_CALLER "(no caller)"
#define CALLS_NO_CALLEE "(itself)"

enum { CALLS_GRAND_MAX = 100 }; /* max functions in a report with grand calls */

/*
 * Make the rows of grand calls. Their values add up to that of the row they belong to. There are none for a mean, for
 * a call tree, for more than CALLS_GRAND_MAX functions, and for a row where all stacks end.
 *
 * net    with its calls
 * match  [nodes] the functions of the report; NULL for all
 * r      the report of calls, filled in; its arena owns the result
 * Fails  ERR_LIMIT
 */
int calls_grand_fill(struct net *net, const bool *match, struct report *r, struct calls_grand *out, struct err *err);

#endif
