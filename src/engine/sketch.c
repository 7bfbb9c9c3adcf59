/*
 * sketch.c - upper bounds of many sums, in an array of counters
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sketch.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

void sketch_init(struct sketch *k, uint64_t limit, size_t n)
{
	assert(limit > 0 && limit <= UINT64_C(1) << 63 && n > 0 && (n & (n - 1)) == 0);
	*k = (struct sketch){ .limit = limit, .mask = n - 1, .counter = mem_zalloc(n, sizeof(*k->counter)) };
}

void sketch_release(struct sketch *k)
{
	free(k->counter);
	free(k->reach);
}

void sketch_merge(struct sketch *k, const struct sketch *from)
{
	assert(k->limit == from->limit && k->mask == from->mask);
	for (size_t i = 0; i <= k->mask; i++)
		sketch_add_to(k, &k->counter[i], from->counter[i]);
}

void sketch_close(struct sketch *k)
{
	k->reach = mem_alloc(k->mask + 1, sizeof(*k->reach));
	for (size_t i = 0; i <= k->mask; i++)
		k->reach[i] = k->counter[i] >= k->limit ? REACH_ALL : REACH_NONE;
}

bool sketch_accept(struct sketch *k, uint64_t hash)
{
	uint16_t *reach = &k->reach[hash & k->mask], tag = sketch_tag(hash);

	if (k->counter[hash & k->mask] < k->limit)
		return false;
	*reach = *reach == REACH_NONE || *reach == tag ? tag : REACH_ALL;
	return true;
}
