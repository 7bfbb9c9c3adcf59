/*
 * around.c - who calls the candidates of a renaming, and whom they call
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/around.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES (UINT64_C(0x7fffffff) << 32)

static uint64_t word_of(enum around_way way, uint32_t candidate, uint32_t neighbour)
{
	return (uint64_t)way << 63 | (uint64_t)candidate << 32 | neighbour;
}

static enum around_way way_of(uint64_t word)
{
	return word >> 63 ? AROUND_CALLEES : AROUND_CALLERS;
}

static uint32_t candidate_of(uint64_t word)
{
	return (uint32_t)((word & CANDIDATES) >> 32);
}

void around_init(struct around *a, uint32_t n)
{
	*a = (struct around){ .n = n };
	a->sum = mem_zalloc(n, sizeof(*a->sum));
	keys_init(&a->calls, 1, 0);
}

void around_release(struct around *a)
{
	keys_release(&a->calls);
	free(a->weight);
	free(a->seen);
	free(a->sum);
}

void around_add(struct around *a, enum around_way way, uint32_t candidate, uint32_t neighbour, uint32_t stack, double v)
{
	uint64_t word = word_of(way, candidate, neighbour);
	uint32_t known = a->calls.n, id;

	assert(candidate < a->n);
	if (keys_add(&a->calls, &word, 1, keys_hash(&word, 1), &id, NULL) < 0)
		return;
	if (id == known) {
		a->weight = mem_grow(a->weight, &a->cap_weight, (size_t)id + 1, sizeof(*a->weight));
		a->seen = mem_grow(a->seen, &a->cap_seen, (size_t)id + 1, sizeof(*a->seen));
		a->weight[id] = 0;
		a->seen[id] = 0;
	}
	if (a->seen[id] == stack + 1)
		return;
	a->seen[id] = stack + 1;
	a->weight[id] += v;
	a->sum[candidate][way] += v;
}

void around_drop(struct around *a, bool (*tells)(const void *arg, uint32_t neighbour), const void *arg)
{
	for (uint32_t i = 0; i < a->calls.n; i++) {
		uint64_t word = a->calls.word[i];

		if (tells(arg, (uint32_t)word))
			continue;
		a->sum[candidate_of(word)][way_of(word)] -= a->weight[i];
		a->weight[i] = 0;
	}
}

static double part_of(const struct around *a, uint64_t word)
{
	uint32_t id;

	if (!keys_find(&a->calls, &word, 1, keys_hash(&word, 1), &id) || !(a->weight[id] > 0))
		return 0;
	assert(id < a->calls.n);
	return a->weight[id] / a->sum[candidate_of(word)][way_of(word)];
}

double around_part(const struct around *a, enum around_way way, uint32_t candidate, uint32_t neighbour)
{
	assert(candidate < a->n && way < N_AROUND_WAYS);
	return part_of(a, word_of(way, candidate, neighbour));
}

static void add_like(struct around_like *like, enum around_way way, double p, double q)
{
	double mean = (p + q) / 2;

	like->same[way] += fmin(p, q);
	like->spread[way] += sqrt(mean * fmax(0, 1 - mean));
}

struct around_like *around_compare(const struct around *gone, const struct around *come)
{
	struct around_like *like = mem_zalloc((size_t)gone->n * come->n, sizeof(*like));

	for (uint32_t i = 0; i < gone->calls.n; i++) {
		uint64_t word = gone->calls.word[i], g = candidate_of(word);
		double p = gone->weight[i] > 0 ? gone->weight[i] / gone->sum[g][way_of(word)] : 0;

		for (uint64_t c = 0; p > 0 && c < come->n; c++)
			add_like(&like[g * come->n + c], way_of(word), p,
				 part_of(come, (word & ~CANDIDATES) | c << 32));
	}
	for (uint32_t i = 0; i < come->calls.n; i++) {
		uint64_t word = come->calls.word[i], c = candidate_of(word);
		double q = come->weight[i] > 0 ? come->weight[i] / come->sum[c][way_of(word)] : 0;

		for (uint64_t g = 0; q > 0 && g < gone->n; g++)
			if (!(part_of(gone, (word & ~CANDIDATES) | g << 32) > 0))
				add_like(&like[g * come->n + c], way_of(word), 0, q);
	}
	return like;
}
