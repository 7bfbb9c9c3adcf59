/*
 * stacks.c - stacks of places, for the formats that write whole stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "profile/stack_walk.h"

#include <inttypes.h>
#include <string.h>

size_t export_stacks_depth(const struct places *pl, uint32_t stack)
{
	size_t depth = 0;
	uint32_t loc, n;

	for (struct stack_walk w = stack_walk(pl->p, stack, STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		places_of(pl, loc, &n);
		depth += n;
	}
	return depth;
}

uint32_t *export_stacks_copy(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at)
{
	struct stack_walk w = stack_walk(pl->p, stack, inverted ? STACK_LEAF_FIRST : STACK_ROOT_FIRST);
	uint32_t loc, n;

	while (stack_walk_next(&w, &loc)) {
		const uint32_t *place = places_of(pl, loc, &n);

		if (inverted) {
			memcpy(at, place, n * sizeof(*at));
			at += n;
		}
		while (!inverted && n > 0)
			*at++ = place[--n];
	}
	return at;
}

int export_stacks_check_bytes(uint64_t bytes, struct err *err)
{
	uint64_t max = 2 * mem_quarter_of_ram();

	if (bytes <= max && buf_check_limit(bytes))
		return 0;
	if (bytes <= max)
		return err_set(err, ERR_LIMIT, "the stacks would take %" PRIu64 " bytes; select fewer samples", bytes);
	return err_set(err, ERR_LIMIT,
		       "the stacks would take %" PRIu64 " bytes, more than half of the memory of this machine", bytes);
}
