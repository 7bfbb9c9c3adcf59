/*
 * parts.h - stacks on their way from one end to the other, parted by their next frame, level by level
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	parts_start(&ps, v, pl, false);
 *	while (ps.n) {
 *		parts_take(&ps);
 *		... set ps.part[i].goes_on where the stacks of a part shall be parted in turn ...
 *		parts_go_on(&ps);
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

/* Stacks that came the same way and have the same next frame. */
struct part {
	uint32_t place;
	uint32_t list; /* set by parts_go_on: their list of the next level */
	bool inlined;  /* the frame is inlined into its caller in all of them */
	bool goes_on;  /* false until the user says else */
	int64_t total[N_SIDES];
};

/* Lists of stacks; each has come one way. Of a level, and all of it the same for any number of threads. */
struct parts {
	size_t n;                 /* lists; at first one of all stacks that have a value */
	size_t *first;            /* [n + 1] list i has the parts first[i] .. first[i + 1]) */
	struct part *part;        /* [first[n]] by list, in order of the first stack */
	int64_t (*self)[N_SIDES]; /* [n] stacks of the list that have no next frame */
	int64_t total[N_SIDES];   /* of all stacks, at least 0; the base is what is below 0 */
	bool has_base;            /* there are values below 0 */
	struct parts_work *work;
};

/*
 * Begin with one list of all stacks.
 *
 * inverted  from the leaf, where an inlined call comes first; else from the root
 */
void parts_start(struct parts *ps, const struct view *v, const struct places *pl, bool inverted);

/* Take the next frame of every stack: fills first, part and self. When v->stop is set, stacks may be lacking;
   only parts_release can come next. */
void parts_take(struct parts *ps);

/* Keep the parts that go on: part k of those is list k of the next level. */
void parts_go_on(struct parts *ps);

void parts_release(struct parts *ps);

/*
 * Add up the rows of each stack on a side. No sum overflows, which view_make has seen to.
 *
 * weight   [side] set to [stacks], to be freed; NULL for a base when nothing is below 0
 */
void parts_weigh(const struct view *v, int64_t *weight[N_SIDES]);

#endif
