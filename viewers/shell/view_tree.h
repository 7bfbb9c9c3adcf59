/*
 * view_tree.h - the rows of the view Tree
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_TREE_H
#define VIEWERS_SHELL_VIEW_TREE_H

#include "report/flame.h"
#include "viewers/shell/shell_int.h"

enum { TREE_ROOT = 0 }; /* the box of all stacks */

/* The model: boxes, and what identifies them in the next model. */
struct tree {
	const struct flame *f;
	const struct head *head;
	uint32_t *first; /* [f->n + 1] box i calls the boxes child[first[i] .. first[i + 1]) of the state */
	uint64_t *path;  /* [f->n] hash of the names on the way to a box */
	bool two_sides;  /* before, after and change are shown */
	bool inverted;
};

/* What rows are sorted by, and columns show. */
enum tree_by { TREE_TOTAL, TREE_SELF, TREE_CHANGE, TREE_AFTER, TREE_BEFORE, TREE_SELF_CHANGE, TREE_NAME, N_TREE_BYS };

struct tree_row {
	uint32_t box;
	uint32_t level; /* of indentation: an only child is not indented */
};

struct tree_state {
	struct list list;
	enum tree_by by[2];   /* sorted by: without and with two sides */
	uint32_t n;           /* boxes of the model */
	uint32_t *child;      /* [n - 1] in order; see struct tree */
	uint32_t *at;         /* [n] where in child a box is */
	bool *is_open;        /* [n] */
	uint64_t *path;       /* [n] a copy, to find boxes again in the next model */
	bool was_inverted;    /* the model before */
	struct tree_row *row; /* [list.n] what is shown */
	size_t cap_rows;
	bool *hit;        /* [frames] names that were searched for; NULL without a search */
	uint32_t n_hits;  /* boxes of those */
	uint32_t *opened; /* [n_opened] for the search that is being typed */
	size_t n_opened, cap_opened;
	uint32_t from, found; /* the box selected when it began; the one it went to */
	int names, shift;     /* as drawn: the column where names begin, columns that are left out of what is deep */
};

/* ---- boxes ---- */

int tree_make(const struct ask *a, struct model *m, struct err *err);

/* What a column shows of a box; 0 for TREE_NAME. */
int64_t tree_value(const struct tree *t, uint32_t box, enum tree_by by);

/* The name of a box; "" for a rest. Hostile. */
const char *tree_name(const struct tree *t, uint32_t box);

static inline uint32_t tree_n_children(const struct tree *t, uint32_t box)
{
	return t->first[box + 1] - t->first[box];
}

/* ---- rows ---- */

enum tree_by tree_sorted_by(const struct tree *t, const struct tree_state *s);

/* A new model: what was open is open again, what was selected is selected. */
void tree_follow(const struct tree *t, struct tree_state *s);
void tree_forget(struct tree_state *s);

/* Sort again, keeping the selected box selected. */
void tree_sort(const struct tree *t, struct tree_state *s);

/* The selected box; TREE_ROOT when there is none. */
uint32_t tree_selected(const struct tree_state *s);

/* Is a box the only one that its caller calls? It is then not indented. */
bool tree_is_chain(const struct tree *t, uint32_t box);

/* Make the rows again and select a box, which must not be hidden in a folded one. */
void tree_show(const struct tree *t, struct tree_state *s, uint32_t select);

void tree_fold(const struct tree *t, struct tree_state *s, uint32_t box, bool open);
void tree_fold_all(const struct tree *t, struct tree_state *s);

/* Unfold a box and what it calls until so many rows are added, level by level; false when there is more. */
bool tree_unfold_below(const struct tree *t, struct tree_state *s, uint32_t box, uint32_t most);

/* ---- search ---- */

/* The text of / is being typed. Goes to the first match from where the search began. */
void tree_search(const struct tree *t, struct tree_state *s, const char *text);

/* A new model, or the search has ended: search again, and keep the selection. */
void tree_search_again(const struct tree *t, struct tree_state *s, const char *text);

/* Go to the next match, or the one before, unfolding the way to it. Gives false when there is none. */
bool tree_search_next(const struct tree *t, struct tree_state *s, bool back);

#endif
