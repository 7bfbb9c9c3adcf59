/*
 * keys.c - table of keys that are lists of words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/keys.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 0xfffffff0 };

void keys_init(struct keys *k, uint32_t width, size_t expect)
{
	*k = (struct keys){ .width = width };
	idtab_init(&k->ids, expect);
	if (width == 0) {
		k->off = mem_grow(NULL, &k->cap_off, 1, sizeof(*k->off));
		k->off[0] = 0;
	}
}

void keys_release(struct keys *k)
{
	free(k->word);
	free(k->off);
	idtab_release(&k->ids);
}

static size_t keys_start(const struct keys *k, uint32_t id)
{
	return k->width ? (size_t)id * k->width : k->off[id];
}

static bool keys_equal(const struct keys *k, uint32_t id, const uint64_t *word, size_t n)
{
	size_t start = keys_start(k, id);
	const uint64_t *stored = k->word + start;

	if (k->width == 0 && keys_start(k, id + 1) - start != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (stored[i] != word[i])
			return false;
	return true;
}

void keys_prefetch(const struct keys *k, uint64_t hash)
{
	size_t pos = idtab_start(&k->ids, hash);
	uint32_t id;

	if (idtab_next(&k->ids, hash, &pos, &id))
		__builtin_prefetch(k->word + keys_start(k, id));
}

bool keys_find(const struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id)
{
	uint32_t i;

	for (size_t pos = idtab_start(&k->ids, hash); idtab_next(&k->ids, hash, &pos, &i);)
		if (keys_equal(k, i, word, n)) {
			*id = i;
			return true;
		}
	return false;
}

int keys_add(struct keys *k, const uint64_t *word, size_t n, uint64_t hash, uint32_t *id, struct err *err)
{
	size_t end = keys_start(k, k->n);

	assert(n > 0 && (k->width == 0 || n == k->width));
	if (keys_find(k, word, n, hash, id))
		return 0;
	if (k->n >= KEYS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u entries in a table", (unsigned)KEYS_MAX);
	k->word = mem_grow(k->word, &k->cap_words, end + n, sizeof(*k->word));
	memcpy(k->word + end, word, n * sizeof(*word));
	if (k->width == 0) {
		k->off = mem_grow(k->off, &k->cap_off, (size_t)k->n + 2, sizeof(*k->off));
		k->off[k->n + 1] = end + n;
	}
	idtab_put(&k->ids, hash, k->n);
	*id = k->n++;
	return 0;
}
