/*
 * boxes.h - fold stacks into a tree of boxes, without those too small to be drawn
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sign of a value gives its side in a comparison: values above 0 belong to the new side, values below 0 to
 * the base (before), as session/compare makes them.
 *
 * The width of a box is the sum of the widths of its children and of the larger side of its own values. So children
 * never exceed their parent, and functions that grew, shrank, are new or are gone all have room. Without a base the
 * width is the total. The size of a box, by which boxes are chosen, is the larger side of its total; no box is larger
 * than its parent. No sum overflows, because view_make has checked that the sum of the magnitudes of all values does
 * not.
 */
#ifndef ENGINE_BOXES_H
#define ENGINE_BOXES_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/parts.h"
#include "engine/places.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stdint.h>

#define BOXES_NONE UINT32_MAX /* parent of the root; place of the root and of rest boxes */

enum { BOXES_MAX = 1 << 22 }; /* max boxes, not counting the root and rest boxes */

struct boxes_options {
	bool wants_base; /* fill in the base side even when no value is below 0 */
	/* the part of each stack to fold, and its end to start from; boxes that lead to a frame of parts.keep are retained, however
	   small, as long as they are not more than half of max_boxes */
	struct parts_options parts;
	bool drop_negative; /* omit boxes that got smaller, with their children */
	double min_share;   /* omit boxes smaller than this share of the root */
	/* If n_path > 0, make only the boxes of a path and those below its end. */
	const uint32_t *path; /* [n_path] places of the path, starting with the child of the root */
	uint32_t n_path;
	double path_share;   /* omit boxes below the path smaller than this share of its last box */
	uint32_t max_levels; /* omit deeper boxes; the root has level 0. A rest box can be one level deeper */
	uint32_t max_boxes;  /* keep only the largest boxes, not counting root and rest boxes; 0: no limit */
};

struct boxes {
	const struct places *places;
	uint32_t n;               /* number of boxes; box 0 is the root, with all stacks */
	uint32_t *parent, *place; /* [n] a parent has a lower number than its children */
	uint32_t *n_rest;         /* [n] number of omitted siblings that a rest box replaces; 0 for other boxes */
	bool *inlined;            /* [n] is the box inlined into its caller in every sample? */
	int64_t *self[N_SIDES];   /* [n] value of the stacks that end here, >= 0; the base is NULL unless has_base */
	int64_t *total[N_SIDES];  /* [n] value of all stacks through here: self, children and omitted boxes */
	int64_t *width;           /* [n] self, children and omitted boxes, except those that got smaller */
	bool has_base;            /* there are values below 0, or wants_base is set */
	int64_t min;       /* smallest size of a box other than a rest box or one that leads to a frame to keep */
	bool is_full;      /* max_boxes was reached, and smaller boxes were omitted */
	uint64_t n_cut;    /* number of boxes omitted as too small or too deep, not counting their children */
	uint64_t n_deep;   /* number of boxes omitted as too deep */
	int64_t cut_width; /* sum of the sizes of omitted boxes */
	uint64_t n_shrunk; /* number of boxes omitted because they got smaller, not counting their children */
};

/*
 * Fold the stacks that have a value. The children of a box are in order of first appearance. The last child can be a
 * rest box, which replaces the children that are too small, if their sum is large enough.
 *
 * mem     owns the result
 * Fails   ERR_USAGE for a mean: averages cannot be added; ERR_LIMIT past BOXES_MAX boxes; ERR_STOPPED
 */
int boxes_make(const struct view *v, const struct places *pl, const struct boxes_options *options, struct arena *mem,
	       struct boxes *out, struct err *err);

#endif
