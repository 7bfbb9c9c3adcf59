/*
 * idtab.h - hash table from keys of any type to ids
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A slot contains 32 bits of the hash and an id; the keys stay in the caller's arrays:
 *
 *	uint32_t id;
 *
 *	for (size_t pos = idtab_start(t, h); idtab_next(t, h, &pos, &id);)
 *		if (key[id] == wanted)
 *			return id;
 *	idtab_put(t, h, n);
 */
#ifndef BASE_IDTAB_H
#define BASE_IDTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idtab {
	uint64_t *slot; /* [mask + 1] low 32 bits of the hash << 32 | id + 1; 0 is empty */
	size_t mask, n;
};

/* An empty table with room for expect ids. */
void idtab_init(struct idtab *t, size_t expect);
void idtab_release(struct idtab *t);

/* Make room for expect ids in all. */
void idtab_reserve(struct idtab *t, size_t expect);

/* Store id (below UINT32_MAX) under a hash, without checking for duplicates. */
void idtab_put(struct idtab *t, uint64_t hash, uint32_t id);

static inline size_t idtab_start(const struct idtab *t, uint64_t hash)
{
	return (uint32_t)hash & t->mask;
}

/* The next id stored under this hash; false when there are no more. */
static inline bool idtab_next(const struct idtab *t, uint64_t hash, size_t *pos, uint32_t *id)
{
	for (;;) {
		uint64_t s = t->slot[*pos];

		if (!s)
			return false;
		*pos = (*pos + 1) & t->mask;
		if (s >> 32 == (uint32_t)hash) {
			*id = (uint32_t)s - 1;
			return true;
		}
	}
}

/* Prefetch the slot into the CPU cache. */
static inline void idtab_prefetch(const struct idtab *t, uint64_t hash)
{
	__builtin_prefetch(&t->slot[idtab_start(t, hash)]);
}

#endif
