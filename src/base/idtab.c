/*
 * idtab.c - hash table from keys of any type to ids
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing, at most three quarters full: the reader of a large recording has half of its memory in
 * such tables.
 */
#include "config.h"

#include "base/idtab.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void idtab_init(struct idtab *t, size_t expect)
{
	size_t slots = 16;

	while (slots < expect * 2)
		slots *= 2;
	t->slot = mem_alloc_large(slots, sizeof(*t->slot)); /* random access to huge pages causes fewer TLB misses */
	memset(t->slot, 0, slots * sizeof(*t->slot));
	t->mask = slots - 1;
	t->n = 0;
}

void idtab_release(struct idtab *t)
{
	free(t->slot);
	t->slot = NULL;
}

static void idtab_insert(struct idtab *t, uint64_t s)
{
	size_t pos = (s >> 32) & t->mask;

	while (t->slot[pos])
		pos = (pos + 1) & t->mask;
	t->slot[pos] = s;
	t->n++;
}

static void idtab_resize(struct idtab *t, size_t expect)
{
	struct idtab bigger;

	idtab_init(&bigger, expect);
	for (size_t i = 0; i <= t->mask; i++)
		if (t->slot[i])
			idtab_insert(&bigger, t->slot[i]);
	assert(bigger.n == t->n && bigger.n < bigger.mask);
	idtab_release(t);
	*t = bigger;
}

void idtab_reserve(struct idtab *t, size_t expect)
{
	if (expect > t->mask / 2 + 1)
		idtab_resize(t, expect);
}

void idtab_put(struct idtab *t, uint64_t hash, uint32_t id)
{
	if (t->n * 4 > t->mask * 3)
		idtab_resize(t, t->mask + 1);
	idtab_insert(t, (uint64_t)(uint32_t)hash << 32 | (id + 1));
}
