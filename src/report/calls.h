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

#endif
