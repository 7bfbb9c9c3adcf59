/*
 * neighbours.c - callers and callees of functions that may have been renamed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/neighbours.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define CANDIDATES (UINT64_C(0x7fffffff) << 32)

static uint64_t neighbours_key_of(enum call_direction direction, uint32_t candidate, uint32_t neighbour)
{
	return (uint64_t)direction << 63 | (uint64_t)candidate << 32 | neighbour;
}

static enum call_direction direction_of(uint64_t word)
{
	return word >> 63 ? CALL_CALLEES : CALL_CALLERS;
}

static uint32_t candidate_of(uint64_t word)
{
	return (uint32_t)((word & CANDIDATES) >> 32);
}

void neighbours_init(struct neighbours *a, uint32_t n)
{
	*a = (struct neighbours){ .n = n };
	a->sum = mem_zalloc(n, sizeof(*a->sum));
	keys_init(&a->calls, 1, 0);
}

void neighbours_release(struct neighbours *a)
{
	keys_release(&a->calls);
	free(a->weight);
	free(a->seen);
	free(a->sum);
}

void neighbours_add(struct neighbours *a, enum call_direction direction, uint32_t candidate, uint32_t neighbour,
		    uint32_t stack, double v)
{
	uint64_t word = neighbours_key_of(direction, candidate, neighbour);
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
	a->sum[candidate][direction] += v;
}

void neighbours_drop(struct neighbours *a, bool (*is_useful)(const void *arg, uint32_t neighbour), const void *arg)
{
	for (uint32_t i = 0; i < a->calls.n; i++) {
		uint64_t word = a->calls.word[i];

		if (is_useful(arg, (uint32_t)word))
			continue;
		a->sum[candidate_of(word)][direction_of(word)] -= a->weight[i];
		a->weight[i] = 0;
	}
}

static double part_of(const struct neighbours *a, uint64_t word)
{
	uint32_t id;

	if (!keys_find(&a->calls, &word, 1, keys_hash(&word, 1), &id) || !(a->weight[id] > 0))
		return 0;
	assert(id < a->calls.n);
	return a->weight[id] / a->sum[candidate_of(word)][direction_of(word)];
}

double neighbours_share(const struct neighbours *a, enum call_direction direction, uint32_t candidate,
			uint32_t neighbour)
{
	assert(candidate < a->n && direction < N_CALL_DIRECTIONS);
	return part_of(a, neighbours_key_of(direction, candidate, neighbour));
}

static void add_likeness(struct neighbours_likeness *likeness, enum call_direction direction, double p, double q)
{
	double mean = (p + q) / 2;

	likeness->same[direction] += fmin(p, q);
	likeness->spread[direction] += sqrt(mean * fmax(0, 1 - mean));
}

struct neighbours_likeness *neighbours_compare(const struct neighbours *removed, const struct neighbours *added)
{
	struct neighbours_likeness *likeness = mem_zalloc((size_t)removed->n * added->n, sizeof(*likeness));

	for (uint32_t i = 0; i < removed->calls.n; i++) {
		uint64_t word = removed->calls.word[i], g = candidate_of(word);
		double p = removed->weight[i] > 0 ? removed->weight[i] / removed->sum[g][direction_of(word)] : 0;

		for (uint64_t c = 0; p > 0 && c < added->n; c++)
			add_likeness(&likeness[g * added->n + c], direction_of(word), p,
				     part_of(added, (word & ~CANDIDATES) | c << 32));
	}
	for (uint32_t i = 0; i < added->calls.n; i++) {
		uint64_t word = added->calls.word[i], c = candidate_of(word);
		double q = added->weight[i] > 0 ? added->weight[i] / added->sum[c][direction_of(word)] : 0;

		for (uint64_t g = 0; q > 0 && g < removed->n; g++)
			if (!(part_of(removed, (word & ~CANDIDATES) | g << 32) > 0))
				add_likeness(&likeness[g * added->n + c], direction_of(word), 0, q);
	}
	return likeness;
}
