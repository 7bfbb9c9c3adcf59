/*
 * rows_classes.c - stacks that count for the same rows are one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 64 };

void gate_classes_init(struct gate_classes *c)
{
	*c = (struct gate_classes){ .cap = 0 };
	keys_init(&c->ids, 0, 1024);
}

void gate_classes_release(struct gate_classes *c)
{
	keys_release(&c->ids);
	for (int side = 0; side < N_STATS_SIDES; side++) {
		free(c->value[side]);
		free(c->var[side]);
	}
}

/* Two numbers in a word: the cell first, then the list, none behind an even one. */
static size_t pack(uint64_t *word, uint32_t cell, const uint32_t *list, uint32_t n)
{
	size_t n_words = 0;
	uint32_t high = cell;

	for (uint32_t i = 0; i < n; i += 2) {
		word[n_words++] = (uint64_t)high << 32 | list[i];
		high = i + 1 < n ? list[i + 1] : GATE_NO_FUNC;
	}
	if (n % 2 == 0)
		word[n_words++] = (uint64_t)high << 32 | GATE_NO_FUNC;
	return n_words;
}

static void grow(struct gate_classes *c, uint32_t id)
{
	size_t cap = c->cap;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		cap = c->cap;
		c->value[side] = mem_grow(c->value[side], &cap, (size_t)id + 1, sizeof(**c->value));
		cap = c->cap;
		c->var[side] = mem_grow(c->var[side], &cap, (size_t)id + 1, sizeof(**c->var));
		c->value[side][id] = c->var[side][id] = 0;
	}
	c->cap = cap;
}

void gate_classes_add(struct gate_classes *c, uint32_t cell, const uint32_t *list, uint32_t n,
		      const double value[N_STATS_SIDES], const double var[N_STATS_SIDES])
{
	uint64_t room[SHORT], *word = n / 2 + 1 <= SHORT ? room : mem_alloc(n / 2 + 1, sizeof(*word));
	size_t n_words = pack(word, cell, list, n);
	uint32_t known = c->ids.n, id;

	if (keys_add(&c->ids, word, n_words, keys_hash(word, n_words), &id, NULL) == 0) {
		if (id == known)
			grow(c, id);
		for (int side = 0; side < N_STATS_SIDES; side++) {
			c->value[side][id] += value[side];
			c->var[side][id] += var[side];
		}
	}
	if (word != room)
		free(word);
}

uint32_t gate_classes_get(const struct gate_classes *c, uint32_t id, uint32_t *cell, uint32_t *room)
{
	const uint64_t *word = c->ids.word + c->ids.off[id];
	size_t n_words = c->ids.off[id + 1] - c->ids.off[id];
	uint32_t n = 0;

	*cell = (uint32_t)(word[0] >> 32);
	for (size_t i = 0; i < n_words; i++) {
		if (i > 0)
			room[n++] = (uint32_t)(word[i] >> 32);
		if ((uint32_t)word[i] != GATE_NO_FUNC)
			room[n++] = (uint32_t)word[i];
	}
	return n;
}
