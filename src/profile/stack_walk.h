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

/* The frames that are left: at, at + step ... up to end, which is none of them. */
struct stack_walk {
	const uint32_t *at, *end;
	int step;
};

static inline struct stack_walk stack_walk(const struct profile *p, uint32_t stack, enum stack_order order)
{
	const uint32_t *first, *end;

	assert(stack < p->stacks.n);
	first = p->stacks.item + p->stacks.off[stack];
	end = p->stacks.item + p->stacks.off[stack + 1];
	if (order == STACK_ROOT_FIRST)
		return (struct stack_walk){ end, first, -1 };
	return (struct stack_walk){ first, end, 1 };
}

/* Set loc to the next location. Return false at the end. */
static inline bool stack_walk_next(struct stack_walk *w, uint32_t *loc)
{
	if (w->at == w->end)
		return false;
	*loc = w->step < 0 ? *--w->at : *w->at++;
	return true;
}

#endif
