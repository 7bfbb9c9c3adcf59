/*
 * view_labels_int.h - what the files of the view labels share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_LABELS_INT_H
#define VIEWERS_SHELL_VIEW_LABELS_INT_H

#include "base/texts.h"
#include "report/tags.h"
#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

#define LABELS_NONE UINT32_MAX

/* A key and its rows in the table of the report. */
struct label_group {
	const char *key;
	uint32_t lo, hi;
	int64_t sum;
	bool is_number;             /* all its values are */
	uint32_t at_least, at_most; /* of a number the rows with the least and the largest */
};

/* The model. */
struct labels {
	const struct report *r;
	uint32_t n;
	struct label_group *group; /* [n] */
	uint32_t *by_value;        /* [rows] rows of each key by what their values are */
};

struct label_row {
	uint32_t group;
	uint32_t row; /* in the table; LABELS_NONE: the key itself */
};

struct labels_state {
	struct list list;
	struct label_row *shown; /* [list.n] */
	size_t cap_shown;
	bool *is_folded;     /* [groups] */
	uint32_t n;          /* groups of the model */
	struct texts folded; /* keys of the model before that are */
	bool by_value;       /* sorted by value */
	struct find *find;
	uint32_t n_found;  /* values that match */
	char *key, *value; /* of the selected row, to find it in the next model; value NULL: the key itself */
};

/* ---- view_labels_rows.c ---- */

int labels_make(const struct ask *a, struct model *m, struct err *err);

const char *labels_value(const struct labels *m, uint32_t row);
int64_t labels_weight(const struct labels *m, uint32_t row);

/* The selected row; NULL when there is none. */
const struct label_row *labels_selected(const struct labels_state *s);

/* Remember what is selected. */
void labels_remember(const struct labels *m, struct labels_state *s);

/* Find the rows anew, keeping what was remembered selected. */
void labels_show(const struct labels *m, struct labels_state *s);

void labels_fold(const struct labels *m, struct labels_state *s, uint32_t group, bool fold);
void labels_fold_all(const struct labels *m, struct labels_state *s, bool fold);

/* A new model. */
void labels_follow(const struct labels *m, struct labels_state *s, const char *text);
void labels_filter(const struct labels *m, struct labels_state *s, const char *text);
void labels_forget(struct labels_state *s);

/* ---- view_labels_draw.c ---- */

void labels_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* Lines above the rows. */
int labels_above(int height);

#endif
