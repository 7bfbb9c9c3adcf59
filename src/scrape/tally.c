/*
 * tally.c - counters by key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/tally.h"

#include "base/hash.h"
#include "base/mem.h"

#define XXH_INLINE_ALL
#include <stdlib.h>
#include <xxhash.h>

enum { SLOTS_MIN = 64 };

uint64_t scrape_tally_key(uint64_t seed, const char *text, size_t n)
{
	/* not hash_bytes, in which some short texts collide; nothing is compared after the hash */
	return XXH3_64bits_withSeed(text, n, seed ^ hash_secret[0]);
}

static void tally_grow(struct scrape_tally *t)
{
	struct scrape_tally bigger = { .n = t->n, .mask = t->key ? 2 * t->mask + 1 : SLOTS_MIN - 1 };

	bigger.key = mem_zalloc(bigger.mask + 1, sizeof(*bigger.key));
	bigger.count = mem_zalloc(bigger.mask + 1, sizeof(*bigger.count));
	for (size_t i = 0; t->key && i <= t->mask; i++) {
		size_t at = t->key[i] & bigger.mask;

		if (!t->key[i])
			continue;
		while (bigger.key[at])
			at = (at + 1) & bigger.mask;
		bigger.key[at] = t->key[i];
		bigger.count[at] = t->count[i];
	}
	scrape_tally_release(t);
	*t = bigger;
}

uint32_t *scrape_tally_get(struct scrape_tally *t, uint64_t key, bool add)
{
	size_t at;

	key += key == 0;
	if (add && (!t->key || t->n >= t->mask / 2))
		tally_grow(t);
	if (!t->key)
		return NULL;
	for (at = key & t->mask; t->key[at]; at = (at + 1) & t->mask)
		if (t->key[at] == key)
			return &t->count[at];
	if (!add)
		return NULL;
	t->key[at] = key;
	t->n++;
	return &t->count[at];
}

void scrape_tally_release(struct scrape_tally *t)
{
	free(t->key);
	free(t->count);
	*t = (struct scrape_tally){ 0 };
}
