/*
 * boxes.h - stacks folded into a tree of boxes, down to those that are wide enough to be seen
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sides of a comparison are told apart by the sign of values: what is above 0 is of the target
 * (after), what is below 0 of the base (before), which is how session/compare leaves them.
 *
 * The width of a box is the sum of the widths of what it calls and of the larger side of what it has
 * itself, so children always fill their parent, and what grew, shrank, came or went all have a place.
 * Without a base it is the total. The size of a box, by which boxes are chosen, is the larger side of
 * its total; no box is larger than its parent. No sum overflows, since view_make has seen to it that
 * the magnitudes of all values together do not.
 */
#ifndef ENGINE_BOXES_H
#define ENGINE_BOXES_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/places.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stdint.h>

#define BOXES_NONE UINT32_MAX /* no parent: the root; no place: the root or a rest */

enum { BOXES_MAX = 1 << 22 }; /* without the root and rests */

struct boxes_ask {
	bool two_sides;      /* give the base side even when nothing is below 0 */
	bool inverted;       /* from the leaf of each stack to its callers */
	bool drop_negative;  /* leave out what got smaller, with all it calls */
	double min_share;    /* leave out boxes whose size is below this share of the root's */
	const uint32_t *way; /* [n_way] places from the root's child down: nothing but this way and what lies */
	uint32_t n_way;      /* below its end, where way_share of the size of its last box counts too */
	double way_share;
	uint32_t max_levels; /* and what lies deeper than this; the root is level 0. A rest may be one deeper */
	uint32_t max_boxes;  /* the largest so many, without the root and rests; of equal ones those nearest to the
	                        root, then the first; 0 for all */
};

struct boxes {
	const struct places *places;
	uint32_t n;               /* box 0 is the root, which holds all stacks */
	uint32_t *parent, *place; /* [n] parents have lower numbers than children */
	uint32_t *n_rest;         /* [n] siblings left out that this box stands for; 0 for a real box */
	bool *inlined;            /* [n] inlined into its caller in every sample */
	int64_t *self[N_SIDES];   /* [n] of stacks that end here, at least 0; base NULL unless has_base */
	int64_t *total[N_SIDES];  /* [n] of all stacks through here: self, children and what was left out */
	int64_t *width;           /* [n] self, children and what was left out, but for what got smaller */
	bool has_base;            /* there are values below 0, or ask said so */
	int64_t min;              /* no real box is smaller */
	bool is_full;             /* there are max_boxes, and smaller ones were left out for that */
	uint64_t n_cut;           /* boxes left out because they are too small or too deep, without what they call */
	uint64_t n_deep;          /* of these, the boxes that are too deep */
	int64_t cut_width;        /* sum of the sizes of those */
	uint64_t n_lost;          /* boxes left out because they got smaller, without what they call */
};

/*
 * Fold the stacks that have a value. Children of a box are in the order in which stacks first come to
 * them. A rest, which stands for the children that are too small, comes last and is there when these
 * together are large enough.
 *
 * mem     the result lives there
 * Fails   ERR_USAGE for a mean: averages do not add up; ERR_LIMIT past BOXES_MAX boxes; ERR_STOPPED
 */
int boxes_make(const struct view *v, const struct places *pl, const struct boxes_ask *ask, struct arena *mem,
	       struct boxes *out, struct err *err);

/* Sums per place; [places] each, not negative. */
struct boxes_sums {
	int64_t *self[N_SIDES], *total[N_SIDES];
};

/* Add up what places have at the leaf of stacks and on all stacks, counted once a stack. The result lives in mem;
   when v->stop is set, stacks may be lacking. */
void boxes_sum(const struct view *v, const struct places *pl, struct arena *mem, struct boxes_sums *out);

#endif
