/*
 * flame.h - the flame report: boxes with values and names, without position or colour
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_FLAME_H
#define REPORT_FLAME_H

#include "engine/view.h"
#include "report/report.h"
#include "report/side.h"

#include <stdbool.h>
#include <stdint.h>

#define FLAME_NONE UINT32_MAX

enum { FLAME_BOXES_DEFAULT = 250000 }; /* more than a user can inspect, but not too many for a browser */

/* Max bytes of a name and of a path, which many boxes repeat. The middle of longer ones is replaced by an ellipsis. */
enum { FLAME_NAME_MAX = 1000, FLAME_PATH_MAX = 500 };

/*
 * A function (or file, line, address), which may have many boxes. Strings are untrusted; "" if unknown. Functions with
 * the same name are one frame, with the file and module of the first one.
 */
struct flame_frame {
	const char *name;     /* name as in top; "key: value" for a label */
	const char *function; /* name without address, file or line; the file for -files; "" if unknown */
	const char *file, *module;
	int64_t line_lo, line_hi; /* first and last line with samples or calls; 0 if unknown */
	bool is_label;            /* added by tagroot, tagleaf or --by */
};

/* Box 0 is the root. Values are in head.unit, not yet multiplied by the ratio. */
struct flame {
	uint32_t n;
	const uint32_t *parent; /* [n] less than the index of the box; FLAME_NONE for the root */
	const uint32_t *frame;  /* [n] index in frames; FLAME_NONE for the root and for a rest */
	const uint32_t *place;  /* [n] id of the frame, stable for the same query; for flame_options.path */
	const uint32_t *n_rest; /* [n] number of narrow siblings that a rest box represents; 0 for other boxes */
	const bool *inlined;    /* [n] is the box inlined into its caller in every sample? */
	/* [n]; those of the base are NULL without one. self is the value of the stacks that end in a box. In an inverted tree a
	 * stack ends at its root, so the flat value of a function is the total of its box at level 1. */
	const int64_t *self[N_SIDES], *total[N_SIDES];
	const int64_t *width; /* [n] larger side of self, plus the widths of the children */
	uint32_t n_frames;
	const struct flame_frame *frames; /* [n_frames] */
	const uint32_t *frame_place;      /* [n_frames] as place, per frame */
	uint32_t n_pivot;                 /* functions with a value that flame_options.pivot matches */
	/* [n_frames] flat and cum over all stacks, as in top; NULL unless wants_sums is set and boxes were omitted, or
	   there is a path */
	const int64_t *flat[N_SIDES], *cum[N_SIDES];
	bool has_base; /* is it a comparison, or a profile with negative values? */
	bool inverted;
	int64_t sample;    /* value of one sample; 0 if values are not multiples of it, or it is unknown */
	int64_t min;       /* smallest size of a box other than a rest box */
	bool is_picked;    /* nodecount or nodefraction omitted boxes that min_share would not have omitted */
	uint64_t n_cut;    /* number of boxes omitted as too small, too many or too deep, not counting their callees */
	uint64_t n_deep;   /* number of boxes of n_cut that are too deep */
	int64_t cut_width; /* total width of the boxes of n_cut */
	uint64_t n_shrunk; /* number of boxes omitted because they shrank (drop_negative), not counting their callees */
	struct side_sources from[N_SIDES]; /* for the legend; untrusted */
	int64_t side_total[N_SIDES];       /* the value that is 100 % of a side */
};

/* The functions that a search or a pivot names. */
struct flame_match {
	const char *pattern; /* an expression for names as they are shown */
	bool with_files;     /* it may match the file instead, as in pprof's pivot */
	bool omits_files;    /* names are shown without the file after them */
};

enum flame_pivot { FLAME_WHOLE, FLAME_CALLEES, FLAME_CALLERS };

struct flame_options {
	/* boxes below this share of the width are omitted, unless q->trim is off or q->nodefraction is larger */
	double min_share;
	uint32_t max_levels; /* max number of levels; deeper boxes are omitted */
	/* [n_path] places of boxes from the child of the root down: boxes that are neither on this path nor below its
	   end are omitted, and min_share is relative to the last box of the path */
	const uint32_t *path;
	uint32_t n_path;
	bool wants_sums;      /* fill in flat and cum of frames if boxes are omitted */
	bool wants_functions; /* if so, functions that have no box are frames too */
	/* only the stacks with a function that matches; all stacks if none matches, or NULL */
	const struct flame_match *only;
	/* FLAME_CALLEES, FLAME_CALLERS: stacks start at the outermost function that pivot matches. Boxes are this function
	   and those that it calls, or those that call it; the root has all of these stacks */
	enum flame_pivot part;
	const struct flame_match *pivot;
	const struct flame_match *keep;  /* boxes that lead to a function that matches are not omitted; NULL: none */
	const struct side_sources *from; /* [N_SIDES]; NULL: none */
};

/*
 * Make the report; its data is out->flame.
 *
 * q       nodecount is the number of boxes, the widest ones; below 0 it is FLAME_BOXES_DEFAULT, 0 means all.
 *         drop_negative omits boxes that shrank, with their callees
 * Fails   ERR_USAGE, ERR_LIMIT as boxes_make and places_make
 */
int report_flame_make(const struct view *v, const struct query *q, const struct flame_options *options,
		      struct report *out, struct err *err);

/* The sums of a search over all stacks, each >= 0; those of SIDE_BASE are 0 without a base. */
struct flame_sums {
	int64_t flat[N_SIDES]; /* stacks that end in a function that matches */
	int64_t cum[N_SIDES];  /* stacks with such a function, each counted once */
	uint32_t n;            /* functions with a value that match */
	const uint32_t *place; /* [n] their places, as in struct flame */
};

/*
 * Search the functions of a flame graph.
 *
 * mem     owns the result
 * Fails   ERR_USAGE for an invalid expression, ERR_LIMIT for one that takes too long, ERR_STOPPED
 */
int report_flame_search(const struct view *v, const struct query *q, const struct flame_match *match, struct arena *mem,
			struct flame_sums *out, struct err *err);

#endif
