/*
 * parts.h - split stacks by their next frame, level by level
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	parts_start(&ps, v, pl, false);
 *	while (ps.n) {
 *		parts_split(&ps);
 *		... set ps.part[i].is_selected for the parts to split further ...
 *		parts_next_level(&ps);
 *	}
 *	parts_release(&ps);
 */
#ifndef ENGINE_PARTS_H
#define ENGINE_PARTS_H

#include "engine/places.h"
#include "engine/view.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stacks with the same path so far and the same next frame. */
struct part {
	uint32_t place;
	uint32_t list;    /* set by parts_next_level: their list in the next level */
	bool inlined;     /* the frame is inlined into its caller in all these stacks */
	bool is_selected; /* set by the caller: split it in the next level */
	bool has_kept;    /* some of these stacks have a frame to keep, here or further on */
	int64_t total[N_SIDES];
};

/* A level: lists of stacks, one list per path. The result is the same for any number of threads. */
struct parts {
	size_t n;                 /* lists; initially one, of all stacks that have a value */
	size_t *first;            /* [n + 1] list i has the parts [first[i], first[i + 1]) */
	struct part *part;        /* [first[n]] parts by list, in order of their first stack */
	int64_t (*self)[N_SIDES]; /* [n] sums of the stacks that end here */
	int64_t total[N_SIDES];   /* sums over all stacks, >= 0; values below 0 belong to the base */
	bool has_base;            /* there are values below 0 */
	struct parts_work *work;
};

/* The part of each stack that is split. */
enum parts_of {
	PARTS_OF_STACK,   /* all of it */
	PARTS_OF_CALLEES, /* the outermost frame of a pivot and the frames below it */
	PARTS_OF_CALLERS, /* the frames above the outermost frame of a pivot */
};

struct parts_options {
	bool inverted; /* from the leaf, innermost inlined call first; else from the root. Callers need it. */
	enum parts_of of;
	const bool *pivot; /* [places] stacks without such a frame are left out; NULL for whole stacks */
	const bool *keep;  /* [places] frames to keep; NULL for none */
};

/* Start with one list of all stacks. */
void parts_start(struct parts *ps, const struct view *v, const struct places *pl, const struct parts_options *options);

/* Split every list by the next frame of its stacks: fills in first, part and self. When v->stop is set, stacks may be
   missing, and only parts_release may be called. */
void parts_split(struct parts *ps);

/* Move to the next level: the k-th selected part becomes list k. */
void parts_next_level(struct parts *ps);

void parts_release(struct parts *ps);

/*
 * Add up the rows of each stack per side. No sum overflows, as view_make has checked.
 *
 * weight   [side] set to [stacks], freed by the caller; NULL for the base if no value is below 0
 */
void parts_sum_stacks(const struct view *v, int64_t *weight[N_SIDES]);

#endif
