/*
 * tree.h - the rows of the Tree view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_TREE_H
#define FRONT_SHELL_VIEWS_TREE_H

#include "report/flame.h"
#include "front/shell/state.h"

enum { TREE_ROOT = 0 }; /* the box of all stacks */

/* The model: boxes, and their identity in the next model. */
struct tree {
	const struct flame *f;
	const struct head *head;
	uint32_t *first; /* [f->n + 1] box i has the callees child[first[i] .. first[i + 1]) of the state */
	uint64_t *path;  /* [f->n] hash of the names on the path to a box */
	int value_width; /* columns of the widest value, without a sign */
	bool two_sides;  /* before, after and change are shown */
	bool inverted;
};

/* The values that columns show and rows are sorted by. */
enum tree_by { TREE_CUM, TREE_FLAT, TREE_CHANGE, TREE_AFTER, TREE_BEFORE, TREE_FLAT_CHANGE, TREE_NAME, N_TREE_BYS };

struct tree_row {
	uint32_t box;
	uint32_t level; /* level of indentation; an only child has the level of its caller */
};

struct tree_state {
	struct list list;
	enum tree_by sort_by[2]; /* sort order: without and with two sides */
	uint32_t n;              /* number of boxes in the model */
	uint32_t *child;         /* [n - 1] sorted; see struct tree */
	uint32_t *index;         /* [n] index of a box in child */
	bool *is_open;           /* [n] */
	uint64_t *path;          /* [n] copy of tree.path, to find boxes again in the next model */
	bool was_inverted;       /* was the previous model inverted? */
	struct tree_row *row;    /* [list.n] the rows shown */
	size_t cap_rows;
	bool *hit;        /* [frames] true for names that match; NULL without a search */
	uint32_t n_hits;  /* number of matching boxes */
	uint32_t *opened; /* [n_opened] boxes unfolded for the text being typed */
	size_t n_opened, cap_opened;
	uint32_t search_start, search_found; /* the box selected when the search began; the box it found */
	uint32_t deepest;                    /* the level of the deepest row */
	int names_x, level_width;            /* as drawn: the column at which names start, and columns per level */
	int shift;                           /* columns cut off at the left of deep rows */
};

/* ---- boxes ---- */

int tree_make(const struct model_request *a, struct model *m, struct err *err);

/* The value of a box in a column; 0 for TREE_NAME. */
int64_t tree_value(const struct tree *t, uint32_t box, enum tree_by by);

/* The name of a box; "" for a rest. The name is untrusted. */
const char *tree_name(const struct tree *t, uint32_t box);

static inline uint32_t tree_n_children(const struct tree *t, uint32_t box)
{
	return t->first[box + 1] - t->first[box];
}

/* ---- rows ---- */

enum tree_by tree_sorted_by(const struct tree *t, const struct tree_state *s);

/* Update the state for a new model; open boxes and the selection are restored. */
void tree_set_model(const struct tree *t, struct tree_state *s);
void tree_release(struct tree_state *s);

/* Sort again, keeping the selected box. */
void tree_sort(const struct tree *t, struct tree_state *s);

/* The selected box; TREE_ROOT when there is none. */
uint32_t tree_selected(const struct tree_state *s);

/* Is a box the only callee of its caller? It is then not indented. */
bool tree_is_chain(const struct tree *t, uint32_t box);

/* Make the rows again and select a box, which must not be inside a folded box. */
void tree_show(const struct tree *t, struct tree_state *s, uint32_t select);

void tree_fold(const struct tree *t, struct tree_state *s, uint32_t box, bool open);
void tree_fold_all(const struct tree *t, struct tree_state *s);

/* Unfold a box and its callees level by level, until max rows are added; false when there are more. */
bool tree_unfold_below(const struct tree *t, struct tree_state *s, uint32_t box, uint32_t max);

/* ---- search ---- */

/* Update a search while it is typed: select the first match from where the search began. */
void tree_search(const struct tree *t, struct tree_state *s, const char *text);

/* Search again for a new model, or after typing. The selection stays. */
void tree_update_search(const struct tree *t, struct tree_state *s, const char *text);

/* Select the next or previous match, unfolding the path to it. Return false when there is none. */
bool tree_search_next(const struct tree *t, struct tree_state *s, bool back);

#endif
