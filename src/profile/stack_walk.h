/*
 * stack_walk.h - the frames of a stack in the order that a format writes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writers of whole stacks use this walk, so that the order of frames is decided in one place. It is inline, because a
 * profile has millions of frames:
 *
 *	for (struct stack_walk w = stack_walk(p, stack, STACK_ROOT_FIRST); stack_walk_next(&w, &loc);)
 */
#ifndef PROFILE_STACK_WALK_H
#define PROFILE_STACK_WALK_H

#include "profile/profile.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* profile.proto, perf and JFR write the leaf first; folded stacks and speedscope the root. */
enum stack_order { STACK_LEAF_FIRST, STACK_ROOT_FIRST };

/* The frames that are left are between at and end. */
struct stack_walk {
	const uint8_t *at, *end;
	uint32_t width;
	enum stack_order order;
};

static inline struct stack_walk stack_walk(const struct profile *p, uint32_t stack, enum stack_order order)
{
	const uint8_t *first, *end;

	assert(stack < p->stacks.n);
	first = stack_address(&p->stacks, p->stacks.off[stack]);
	end = stack_address(&p->stacks, p->stacks.off[stack + 1]);
	if (order == STACK_ROOT_FIRST)
		return (struct stack_walk){ end, first, p->stacks.width, order };
	return (struct stack_walk){ first, end, p->stacks.width, order };
}

/* Set loc to the next location. Return false at the end. */
static inline bool stack_walk_next(struct stack_walk *w, uint32_t *loc)
{
	if (w->at == w->end)
		return false;
	if (w->order == STACK_ROOT_FIRST)
		w->at -= w->width;
	*loc = stack_load(w->at, w->width);
	if (w->order == STACK_LEAF_FIRST)
		w->at += w->width;
	return true;
}

#endif
