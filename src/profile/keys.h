/*
 * keys.h - lists of words, each given an id when it is first met
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * What merging compares functions, locations, rows and so on by. Words are written out in full,
 * so two keys are one exactly when all their words are.
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
	uint32_t n;     /* keys so far; ids are below */
	uint32_t width; /* words of every key; 0 when each has its own length */
	uint64_t *word;
	size_t cap_words;
	size_t *off; /* [n + 1] when width is 0; key i is word[off[i] .. off[i + 1]) */
	size_t cap_off;
	struct idtab ids;
};

/* Empty, with room for about expect keys. */
void keys_init(struct keys *k, uint32_t width, size_t expect);
void keys_release(struct keys *k);

static inline uint64_t keys_hash(const uint64_t *word, size_t n)
{
	return n == 1 ? hash_u64(*word) : hash_bytes(word, n * sizeof(*word));
}

/* Have the key with this hash ready soon, a while after its slot was asked for with idtab_prefetch. */
void keys_prefetch(const struct keys *k, uint64_t hash);

/* Is there this key, of n words and with this keys_hash? Then id is set. */
bool keys_find(const struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id);

/*
 * The id of a key, which is stored when it is new.
 *
 * id     equal to the k->n of before exactly when the key is new
 * Fails  ERR_LIMIT when the ids are used up
 */
int keys_add(struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id, struct err *err);

#endif
