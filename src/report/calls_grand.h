/*
 * calls_grand.h - the calls beyond the callers and callees of a report of calls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_CALLS_GRAND_H
#define REPORT_CALLS_GRAND_H

#include "base/err.h"
#include "engine/net.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

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
