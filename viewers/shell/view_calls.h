/*
 * view_calls.h - Callers and callees inside: what its files share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_CALLS_H
#define VIEWERS_SHELL_VIEW_CALLS_H

#include "viewers/shell/sheet.h"

enum { CALLS_CRUMBS = 16 };

/* One function with its rows in the report: callers [first, node), callees (node, end). */
struct calls_group {
	uint32_t first, node, end;
};

/* What the view shows: the model's own. */
struct calls_rows {
	const struct report *r;
	bool is_net; /* values are differences */
	uint32_t n;
	struct calls_group *group; /* [n] what the expression matched */
};

/* Of one side, for its sheet. */
struct calls_side {
	const struct calls_rows *all;
	uint32_t first;
};

enum calls_part { PART_CALLERS, PART_NODE, PART_CALLEES };

struct calls_state {
	struct sheet callers, callees;
	struct calls_side above, below;
	bool is_made;                  /* the sheets are */
	uint32_t which;                /* the group in the middle */
	enum calls_part part;          /* where the selected row is */
	char *node, *name;             /* names of the one in the middle and of the selected one, to find them again */
	struct find *last;             /* what n and N look for */
	int middle_y, callees_y;       /* lines of the view where these begin */
	int crumb_x[CALLS_CRUMBS + 1]; /* [n_crumbs + 1] where crumbs begin */
	int n_crumbs;                  /* the last one is this pane */
};

enum calls_column { CALLS_SHEET_WEIGHT, CALLS_SHEET_SHARE, CALLS_SHEET_TOTAL, CALLS_SHEET_NAME };
extern const struct sheet_class shell_calls_callers, shell_calls_callees;

/* The row of the report in the middle. */
uint32_t shell_calls_node(const struct pane *p);

void shell_calls_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

#endif
