/*
 * stacks.c - stacks of places, for the formats that write whole stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/stacks.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

size_t export_stacks_depth(const struct places *pl, uint32_t stack)
{
	const struct csr *stacks = &pl->p->stacks;
	size_t depth = 0;
	uint32_t n;

	assert(stack < pl->p->stacks.n);
	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++) {
		places_of(pl, stacks->item[i], &n);
		depth += n;
	}
	return depth;
}

static uint32_t *copy_inverted(const struct places *pl, uint32_t stack, uint32_t *at)
{
	const struct csr *stacks = &pl->p->stacks;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++) {
		uint32_t n;
		const uint32_t *place = places_of(pl, stacks->item[i], &n);

		memcpy(at, place, n * sizeof(*at));
		at += n;
	}
	return at;
}

uint32_t *export_stacks_copy(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at)
{
	const struct csr *stacks = &pl->p->stacks;

	assert(stack < pl->p->stacks.n);
	if (inverted)
		return copy_inverted(pl, stack, at);
	for (uint32_t i = stacks->off[stack + 1]; i-- > stacks->off[stack];) {
		uint32_t n;
		const uint32_t *place = places_of(pl, stacks->item[i], &n);

		while (n > 0)
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
