/*
 * keys.h - table of keys that are lists of words; each key gets an id when first added
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Merging uses these keys to compare functions, locations, rows and so on. A table stores all words of
 * its keys, so keys are equal only if all their words are.
 */
#ifndef PROFILE_KEYS_H
#define PROFILE_KEYS_H

#include "base/err.h"
#include "base/hash.h"
#include "base/idtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys {
	uint32_t n;     /* number of keys; all ids are below it */
	uint32_t width; /* words per key; 0 when the length varies */
	uint64_t *word;
	size_t cap_words;
	size_t *off; /* [n + 1] when width is 0; key i is word[off[i] .. off[i + 1]) */
	size_t cap_off;
	struct idtab ids;
};

/* An empty table with room for about expect keys. */
void keys_init(struct keys *k, uint32_t width, size_t expect);
void keys_release(struct keys *k);

static inline uint64_t keys_hash(const uint64_t *word, size_t n)
{
	return n == 1 ? hash_u64(*word) : hash_bytes(word, n * sizeof(*word));
}

/* Prefetch the key with this hash; call it some time after idtab_prefetch. */
void keys_prefetch(const struct keys *k, uint64_t hash);

/* Find the id of a key of n words with this keys_hash; false when it is not in the table. */
bool keys_find(const struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id);

/*
 * The id of a key, which is added if it is new.
 *
 * id     equal to the previous k->n if and only if the key is new
 * Fails  ERR_LIMIT when there are no more ids
 */
int keys_add(struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id, struct err *err);

#endif
