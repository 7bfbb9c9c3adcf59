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

void gate_lists_make(const struct gate_picks *p, struct gate_lists *out)
{
	const struct gate_paths *paths = &p->s->paths;
	uint32_t *seen = mem_zalloc((size_t)p->n + 1, sizeof(*seen));
	uint64_t n = 0;

	*out = (struct gate_lists){ .n = paths->n, .off = mem_alloc((size_t)paths->n + 1, sizeof(*out->off)) };
	out->pick = mem_alloc_large((size_t)(paths->n ? paths->off[paths->n] : 0) + paths->n + 1, sizeof(*out->pick));
	for (uint32_t i = 0; i < paths->n; i++) {
		uint32_t lo = paths->off[i], hi = paths->off[i + 1];

		out->off[i] = n;
		if (lo < hi && p->flat[paths->func[lo]] != GATE_NO_FUNC)
			out->pick[n++] = p->flat[paths->func[lo]];
		for (uint32_t k = lo; k < hi; k++) {
			uint32_t pick = p->cum[paths->func[k]];

			if (pick == GATE_NO_FUNC || seen[pick] == i + 1)
				continue;
			seen[pick] = i + 1;
			out->pick[n++] = pick;
		}
	}
	out->off[paths->n] = n;
	free(seen);
}

void gate_lists_release(struct gate_lists *l)
{
	free(l->off);
	free(l->pick);
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

/* Keys are made ready some stacks before they are looked for, as that is mostly waiting for memory. */
enum { AHEAD = 16 };

struct pending {
	uint64_t *word, hash;
	size_t n;
};

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

static int compare_ids(const void *a, const void *b)
{
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;

	return (l > r) - (l < r);
}

static void sort_ids(uint32_t *id, uint32_t n)
{
	enum { FEW = 32 };

	if (n > FEW) {
		qsort(id, n, sizeof(*id), compare_ids);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		uint32_t one = id[i], at = i;

		for (; at > 0 && id[at - 1] > one; at--)
			id[at] = id[at - 1];
		id[at] = one;
	}
}

/* The key of stack i; list has room for all picks. */
static size_t key_of(const struct gate_picks *p, const struct gate_lists *l, const uint32_t *row_of, uint32_t i,
		     uint32_t *list, uint64_t *word)
{
	const struct gate_paths *paths = &p->s->paths;
	bool has_leaf = paths->off[i] < paths->off[i + 1];
	uint32_t n = 0;

	for (uint64_t k = l->off[i]; k < l->off[i + 1]; k++)
		if (row_of[l->pick[k]] != GATE_NO_FUNC)
			list[n++] = row_of[l->pick[k]];
	sort_ids(list, n);
	return pack(word, has_leaf ? p->cell[paths->func[paths->off[i]]] : 0, list, n);
}

static void add_key(struct gate_classes *c, const struct gate_paths *paths, uint32_t i, const struct pending *key)
{
	uint32_t known = c->ids.n, id;

	if (keys_add(&c->ids, key->word, key->n, key->hash, &id, NULL) < 0)
		return;
	if (id == known)
		grow(c, id);
	for (int side = 0; side < N_STATS_SIDES; side++) {
		c->value[side][id] += paths->value[side][i];
		c->var[side][id] += paths->var[side][i];
	}
}

void gate_classes_make(const struct gate_picks *p, const struct gate_lists *l, const uint32_t *row_of,
		       struct gate_classes *out)
{
	uint32_t *list = mem_alloc((size_t)p->n + 1, sizeof(*list));
	struct pending ring[AHEAD];

	*out = (struct gate_classes){ .cap = 0 };
	keys_init(&out->ids, 0, 1024);
	for (int i = 0; i < AHEAD; i++)
		ring[i].word = mem_alloc((size_t)p->n / 2 + 1, sizeof(*ring->word));
	for (uint32_t i = 0; i < l->n + AHEAD; i++) {
		struct pending *key = &ring[i % AHEAD];

		if (i >= AHEAD)
			add_key(out, &p->s->paths, i - AHEAD, key);
		if (i < l->n) {
			key->n = key_of(p, l, row_of, i, list, key->word);
			key->hash = keys_hash(key->word, key->n);
			idtab_prefetch(&out->ids.ids, key->hash);
		}
		if (i >= AHEAD / 2 && i - AHEAD / 2 < l->n)
			keys_prefetch(&out->ids, ring[(i - AHEAD / 2) % AHEAD].hash);
	}
	for (int i = 0; i < AHEAD; i++)
		free(ring[i].word);
	free(list);
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
