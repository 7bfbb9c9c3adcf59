/*
 * graph_walk.h - add the value of a stack to each of its places
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * It cannot be predicted which locations have several places. So in a first step, each frame adds to one sum, and locations with
 * others are remembered. In a second step these are added, for many stacks at a time. A sum must receive its stacks in order,
 * so each belongs to one of the steps: places that are inlined in any location to the second.
 */
#ifndef ENGINE_GRAPH_WALK_H
#define ENGINE_GRAPH_WALK_H

#include "engine/places.h"
#include "profile/stack_lists.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	WALK_LOT = 256,                  /* frames between checks for space */
	WALK_PENDING_MAX = 4 * WALK_LOT, /* locations */
};

/* The sums that each location adds to: those of places, then of locations with several places, then one of nothing. */
struct walk_targets {
	uint32_t n;       /* sums without that of nothing, whose number this is */
	bool has_others;  /* does any location add to more than one sum? */
	uint32_t *first;  /* [n_locs] sum of the first step, with PLACES_MANY if there are others */
	uint32_t *others; /* [n_locs] index into list; undefined if there are no others */
	uint32_t *list;   /* a count, then the sums; fewer than PLACES_PADDED are padded with the last one */
};

struct walk_targets walk_targets_new(const struct places *pl);
void walk_targets_release(struct walk_targets *to);

/* The sums of a thread. */
struct walk_sums {
	const struct walk_targets *to; /* borrowed */
	int64_t *cum;   /* [to->n + 1] of places, then of locations with several; complete after walk_finish */
	uint32_t *seen; /* [to->n + 1] last stack added, + 1 */
	/* [n_pending] locations whose other sums have to be added, and their stacks */
	uint32_t n_pending, pending_loc[WALK_PENDING_MAX], pending_stack[WALK_PENDING_MAX];
};

void walk_sums_init(struct walk_sums *s, const struct walk_targets *to);
void walk_sums_release(struct walk_sums *s);

/* The values of stacks first, first + 1 and so on. */
struct walk_values {
	const int64_t *value;
	uint32_t first;
};

/* Add what is pending. To be called after the last stack of these values. */
void walk_finish(struct walk_sums *s, const struct walk_values *values);

/*
 * Branchless, because the branch predictor cannot predict which places recur on a stack. As stacks ascend, seen is never larger
 * than stack + 1. "Less" takes fewer instructions than "not equal": the borrow of the subtraction is the mask.
 */
static inline void walk_add(int64_t *cum, uint32_t *seen, uint32_t stack, int64_t v)
{
	*cum += v & -(int64_t)(*seen < stack + 1);
	*seen = stack + 1;
}

/*
 * Add the value of a stack, whose locations are at to end. Stacks of a thread are passed in ascending order.
 *
 * flags    [n_locs] bits of locations; NULL: none
 * Returns  all bits of the locations of the stack
 */
static inline uint8_t walk_stack(struct walk_sums *s, const struct walk_values *values, uint32_t stack,
				 const uint8_t *at, const uint8_t *end, uint32_t width, const uint8_t *flags)
{
	const uint32_t *first = s->to->first;
	int64_t *cum = s->cum, v = values->value[stack - values->first];
	uint32_t *seen = s->seen;
	uint8_t all = 0;

	for (; !flags && !s->to->has_others && at < end; at += width) {
		uint32_t target = first[stack_load(at, width)];

		walk_add(&cum[target], &seen[target], stack, v);
	}
	while (at < end) {
		const uint8_t *pause = (size_t)(end - at) < WALK_LOT * width ? end : at + WALK_LOT * width;
		size_t n_pending = s->n_pending;

		for (; at < pause; at += width) {
			uint32_t loc = stack_load(at, width), target = first[loc];

			if (flags)
				all |= flags[loc];
			s->pending_loc[n_pending] = loc;
			s->pending_stack[n_pending] = stack;
			n_pending += target / PLACES_MANY;
			target %= PLACES_MANY;
			walk_add(&cum[target], &seen[target], stack, v);
		}
		s->n_pending = (uint32_t)n_pending;
		if (n_pending > WALK_PENDING_MAX - WALK_LOT)
			walk_finish(s, values);
	}
	return all;
}

#endif
