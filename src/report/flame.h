/*
 * flame.h - the report flame: boxes with numbers and names, not yet placed or coloured
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NONE UINT32_MAX

enum { FLAME_BOXES = 250000 }; /* more than a reader can look at, less than a browser chokes on */

/* How many bytes names and paths have at most. What is longer has a … for its middle: many boxes repeat it. */
enum { FLAME_NAME_MAX = 1000, FLAME_PATH_MAX = 500 };

/*
 * A function (or file, line, address), however many boxes it has. Texts are hostile; "" when unknown.
 * Functions of one name are one frame, whose file and module are those of the first.
 */
struct flame_frame {
	const char *name;     /* as in top; of a label "key: value" */
	const char *function; /* its plain name, without address, file or line; the file of files; "" when unknown */
	const char *file, *module;
	int64_t line_lo, line_hi; /* first and last line in file that samples were in or called from; 0 when unknown */
	bool is_label;            /* put there by tagroot, tagleaf or --by */
};

enum flame_side { FLAME_AFTER, FLAME_BEFORE, FLAME_SIDES };

/* One side of a comparison, for the legend. */
struct flame_source {
	const char *const *source; /* [n] as named on the command line; hostile */
	size_t n;
	int64_t total; /* what 100 % of this side is */
};

/* Box 0 is the root. Values are in head.unit, before the ratio. */
struct flame {
	uint32_t n;
	const uint32_t *parent; /* [n] lower than the box's own number; FLAME_NONE for the root */
	const uint32_t *frame;  /* [n] into frames; FLAME_NONE for the root and for a rest */
	const uint32_t *place;  /* [n] the same for the same frame whenever the same is asked; for flame_ask.way */
	const uint32_t *n_rest; /* [n] how many siblings too narrow to be seen a box stands for; 0 for a real box */
	const bool *inlined;    /* [n] inlined into its caller in every sample */
	/* [n]; before NULL without a base. self is of stacks that end in a box: in an inverted tree at their
	   root, so there the flat value of a function is the total of its box at level 1 */
	const int64_t *self[FLAME_SIDES], *total[FLAME_SIDES];
	const int64_t *width; /* [n] children fill their parent but for its own self: see engine/boxes.h */
	uint32_t n_frames;
	const struct flame_frame *frames; /* [n_frames] */
	/* [n_frames] flat and cum over all stacks, as in top; NULL unless asked and boxes are left out */
	const int64_t *flat[FLAME_SIDES], *cum[FLAME_SIDES];
	bool has_base; /* a comparison, or a profile that holds differences */
	bool inverted;
	int64_t sample;    /* what one sample counts for; 0 when values are no multiples of samples, or it is unknown */
	int64_t min;       /* no box, but for a rest, has a larger side below this */
	bool is_picked;    /* nodecount or nodefraction left out boxes that are wide enough for min_share */
	uint64_t n_cut;    /* boxes left out because they are smaller, too many or too deep, without what they call */
	uint64_t n_deep;   /* of these, the ones that are too deep */
	int64_t cut_width; /* how wide they are together */
	uint64_t n_lost;   /* boxes left out because they got smaller (drop_negative), without what they call */
	struct flame_source side[FLAME_SIDES];
};

struct flame_ask {
	double min_share;                      /* boxes below this share of the width are left out, unless
	                                          q->trim is off; a larger q->nodefraction counts instead */
	uint32_t max_levels;                   /* and what lies deeper */
	const uint32_t *way;                   /* [n_way] places of boxes from the root's child down: leave out all that
	                                          is not on this way or below its end, */
	uint32_t n_way;                        /* where min_share is of the size of its last box */
	bool sums;                             /* give flat and cum of frames when boxes are left out */
	struct flame_source side[FLAME_SIDES]; /* names; the totals are filled in */
};

/*
 * Make the report; its body is out->flame.
 *
 * q       nodecount: at most so many boxes, the widest; FLAME_BOXES when below 0, all when 0;
 *         drop_negative: without what got smaller and all it calls
 * Fails   ERR_USAGE, ERR_LIMIT as boxes_make and places_make
 */
int report_flame_make(const struct view *v, const struct query *q, const struct flame_ask *ask, struct report *out,
		      struct err *err);

#endif
