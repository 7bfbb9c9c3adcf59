/*
 * gen_world.c - make a synthetic program and random stacks of it
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions are on levels. Threads start in the first level, and every function has a list of call sites on the levels
 * before its own, most often exactly one. A stack is a walk from a leaf to a root. Leaves follow Zipf's law, and the
 * popular ones have many callers, like malloc. One stack in ten starts at the next location in order, so that all of
 * them occur. There are few functions near the root, so stacks share their outer frames, like stacks of a server. A
 * function mostly keeps its last caller, so neighbours in the file share long runs; without that, the file would
 * compress far worse than real ones. An existing stack is drawn again, since pprof merges equal ones, except in 4 of
 * 100 cases. Only integers are used, so that a kind is the same profile on every machine.
 */
#include "config.h"

#include "gen_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DICE = 4, /* a level is N_ENTRY_LEVELS plus the sum of this many dice */
	N_ENTRY_LEVELS = 4,
	N_TRIES = 8, /* attempts to draw a new stack */
};

/* clang-format off */
const struct mapping mappings[N_MAPPINGS] = {
	{ 0x400000, 80, "/srv/shop/bin/shop",
	  "5d1c0de2f7a94e6b8b3a6a5f0b0e9a4c7d21f3e8" },
	{ 0x7f2a10000000, 12, "/usr/lib/librocksdb.so.7.8.3",
	  "b7a2c41fd0e3956a1c8842a9ef5d60771b3c9e24" },
	{ 0x7f2a40000000, 8, "/usr/lib/libstdc++.so.6.0.30",
	  "93ac61ec5a8eb1396f9fbd350e3169a558528a40" },
};
/* clang-format on */

void *must_alloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p) {
		fprintf(stderr, "gen: out of memory\n");
		exit(2);
	}
	return p;
}

/* splitmix64 */
static uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

bool rng_percent(struct rng *r, uint32_t percent)
{
	return rng_below(r, 100) < percent;
}

uint32_t rng_zipf(struct rng *r, uint32_t n)
{
	uint32_t n_bits = 32 - (uint32_t)__builtin_clz(n);

	for (;;) {
		uint32_t low = UINT32_C(1) << rng_below(r, n_bits);
		uint32_t rank = low + rng_below(r, low) - 1;

		if (rank < n)
			return rank;
	}
}

static void make_levels(struct world *w, const struct profile_kind *k, struct rng *r)
{
	uint32_t n_at[MAX_LEVELS] = { 2, 3, 5, 9 }, n_placed = 2 + 3 + 5 + 9;

	w->n_levels = N_ENTRY_LEVELS + DICE * (k->die - 1) + 1;
	for (uint32_t l = N_ENTRY_LEVELS; l < w->n_levels; l++, n_placed++)
		n_at[l] = 1;
	for (; n_placed < w->n_physical; n_placed++) {
		uint32_t l = N_ENTRY_LEVELS;

		for (int i = 0; i < DICE; i++)
			l += rng_below(r, k->die);
		n_at[l]++;
	}
	for (uint32_t l = 0; l < w->n_levels; l++)
		w->level_first[l + 1] = w->level_first[l] + n_at[l];
}

static void make_packages(struct world *w, struct rng *r)
{
	w->package = must_alloc(w->n_funcs, sizeof(*w->package));
	w->place = must_alloc(w->n_funcs, sizeof(*w->place));
	w->package_first = must_alloc(w->n_packages + 1, sizeof(*w->package_first));
	for (uint32_t f = 0; f < w->n_funcs; f++) {
		/* the minimum of two random numbers, so that packages differ in size */
		uint32_t a = rng_below(r, w->n_packages), b = rng_below(r, w->n_packages);

		w->package[f] = a < b ? a : b;
		w->place[f] = w->package_first[w->package[f] + 1]++;
	}
	for (uint32_t p = 0; p < w->n_packages; p++)
		w->package_first[p + 1] += w->package_first[p];
}

static void make_locations(struct world *w, const struct profile_kind *k, struct rng *r)
{
	w->loc_first = must_alloc(w->n_physical + 1, sizeof(*w->loc_first));
	for (uint32_t f = 0; f < w->n_physical; f++) {
		uint32_t n = 1;

		while (n < 40 && rng_percent(r, k->more_locs))
			n++;
		w->loc_first[f + 1] = w->loc_first[f] + n;
	}
	w->n_locs = w->loc_first[w->n_physical];
	w->func = must_alloc(w->n_locs, sizeof(*w->func));
	for (uint32_t f = 0; f < w->n_physical; f++)
		for (uint32_t loc = w->loc_first[f]; loc < w->loc_first[f + 1]; loc++)
			w->func[loc] = f;
}

/* About 15 % of locations have one or two inlined functions, some functions far more often. */
static void make_inlining(struct world *w, struct rng *r)
{
	uint32_t n_inline = w->n_funcs - w->n_physical, next = 0;

	for (int i = 0; i < 2; i++)
		w->inlined[i] = must_alloc(w->n_locs, sizeof(*w->inlined[i]));
	for (uint32_t loc = 0; loc < w->n_locs; loc++) {
		if (!rng_percent(r, 15))
			continue;
		/* every inlined function once, then random ones by popularity */
		w->inlined[0][loc] = w->n_physical + (next < n_inline ? next++ : rng_zipf(r, n_inline));
		if (rng_percent(r, 30))
			w->inlined[1][loc] = w->n_physical + rng_zipf(r, n_inline);
	}
}

static void make_ranks(struct world *w, struct rng *r)
{
	w->by_rank = must_alloc(w->n_locs, sizeof(*w->by_rank));
	for (uint32_t i = 0; i < w->n_locs; i++) {
		uint32_t j = rng_below(r, i + 1);

		w->by_rank[i] = w->by_rank[j];
		w->by_rank[j] = i;
	}
}

/* A random location on a level before level; closer levels are more frequent. */
static uint32_t pick_caller(const struct world *w, struct rng *r, uint32_t level)
{
	uint32_t from = level - 1, n, f;

	while (from > 0 && rng_percent(r, 12))
		from--;
	n = w->level_first[from + 1] - w->level_first[from];
	f = w->level_first[from] + rng_below(r, rng_below(r, n) + 1);
	return w->loc_first[f] + rng_below(r, w->loc_first[f + 1] - w->loc_first[f]);
}

static uint32_t pick_n_callers(struct rng *r, bool popular)
{
	uint32_t n = 1;

	if (popular)
		return 8 + rng_below(r, 100);
	while (n < 12 && rng_percent(r, 45))
		n++;
	return n;
}

static void make_callers(struct world *w, struct rng *r)
{
	bool *popular = must_alloc(w->n_physical, sizeof(*popular));
	uint32_t n = 0, level = 0;

	for (uint32_t i = 0; i < w->n_locs / 50; i++)
		popular[w->func[w->by_rank[i]]] = true;
	w->recursive = must_alloc(w->n_physical, sizeof(*w->recursive));
	w->caller_now = must_alloc(w->n_physical, sizeof(*w->caller_now));
	w->caller_off = must_alloc(w->n_physical + 1, sizeof(*w->caller_off));
	w->caller = must_alloc((size_t)w->n_physical * 108, sizeof(*w->caller));
	for (uint32_t f = 0; f < w->n_physical; f++) {
		while (f >= w->level_first[level + 1])
			level++;
		w->recursive[f] = level > N_ENTRY_LEVELS && rng_percent(r, 3);
		for (uint32_t i = level ? pick_n_callers(r, popular[f]) : 0; i; i--)
			w->caller[n++] = pick_caller(w, r, level);
		w->caller_off[f + 1] = n;
	}
	free(popular);
}

void world_make(struct world *w, const struct profile_kind *k, struct rng *r)
{
	*w = (struct world){ .n_funcs = k->n_funcs, .n_packages = k->n_packages };
	w->n_physical = k->n_funcs - k->n_funcs / 10;
	make_levels(w, k, r);
	make_packages(w, r);
	make_locations(w, k, r);
	make_inlining(w, r);
	make_ranks(w, r);
	make_callers(w, r);
}

void world_release(struct world *w)
{
	free(w->package);
	free(w->place);
	free(w->loc_first);
	free(w->recursive);
	free(w->caller_now);
	free(w->caller_off);
	free(w->caller);
	free(w->func);
	free(w->inlined[0]);
	free(w->inlined[1]);
	free(w->by_rank);
	free(w->package_first);
}

static uint32_t walk(struct world *w, struct rng *r, uint32_t leaf, uint32_t *stack)
{
	uint32_t n = 0, loc = leaf;

	for (;;) {
		uint32_t f = w->func[loc], n_callers = w->caller_off[f + 1] - w->caller_off[f];

		stack[n++] = loc;
		while (w->recursive[f] && n < MAX_FRAMES && rng_percent(r, 45))
			stack[n++] = w->loc_first[f];
		if (!n_callers || n >= MAX_FRAMES)
			return n;
		if (rng_percent(r, 8))
			w->caller_now[f] = rng_zipf(r, n_callers);
		loc = w->caller[w->caller_off[f] + w->caller_now[f]];
	}
}

static uint32_t draw(const struct world *w, struct rng *r, uint32_t n, uint32_t *stack)
{
	for (uint32_t i = 0; i < n; i++)
		stack[i] = rng_below(r, w->n_locs);
	return n;
}

static uint64_t hash_stack(const uint32_t *loc, uint32_t n)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < n; i++)
		hash = rng_next(&(struct rng){ hash + loc[i] });
	return hash;
}

/* Record the hash of a stack. Returns true if it is new. */
static bool seen_add(struct stacks *s, uint64_t hash)
{
	uint32_t slot = (uint32_t)hash & (s->n_slots - 1);

	for (; s->seen[slot]; slot = (slot + 1) & (s->n_slots - 1))
		if (s->seen[slot] == hash)
			return false;
	s->seen[slot] = hash;
	return true;
}

void stacks_add(struct stacks *s, struct world *w, const struct profile_kind *k, struct rng *r)
{
	uint32_t *to = s->loc + s->off[s->n], i = s->n, n, tries = 0;

	if (i && rng_percent(r, 4)) {
		uint32_t from = rng_below(r, i);

		n = (uint32_t)(s->off[from + 1] - s->off[from]);
		memcpy(to, s->loc + s->off[from], n * sizeof(*to));
		s->hash[i] = s->hash[from];
	} else {
		do {
			uint32_t in_turn = i / k->turn % w->n_locs;
			uint32_t rank = tries || i % k->turn ? rng_zipf(r, w->n_locs) : in_turn;

			n = k->random ? draw(w, r, k->random, to) : walk(w, r, w->by_rank[rank], to);
			s->hash[i] = hash_stack(to, n);
		} while (!seen_add(s, s->hash[i]) && ++tries < N_TRIES);
	}
	s->off[++s->n] = s->off[i] + n;
}

struct stacks stacks_make(uint32_t n)
{
	struct stacks s = { .n_slots = 1 };

	while (s.n_slots < 2 * n)
		s.n_slots *= 2;
	s.off = must_alloc((size_t)n + 1, sizeof(*s.off));
	s.loc = must_alloc((size_t)n * MAX_FRAMES, sizeof(*s.loc));
	s.hash = must_alloc(n, sizeof(*s.hash));
	s.label_hash = must_alloc(n, sizeof(*s.label_hash));
	s.seen = must_alloc(s.n_slots, sizeof(*s.seen));
	return s;
}

void stacks_release(struct stacks *s)
{
	free(s->off);
	free(s->loc);
	free(s->hash);
	free(s->label_hash);
	free(s->seen);
}

uint32_t world_mapping(const struct world *w, uint32_t package)
{
	uint32_t percent = (uint32_t)((uint64_t)package * 100 / w->n_packages), m = 0;

	while (percent >= mappings[m].share)
		percent -= mappings[m++].share;
	return m;
}

uint32_t world_place(const struct world *w, uint32_t f)
{
	return w->package_first[w->package[f]] + w->place[f];
}

uint32_t world_start_line(const struct world *w, uint32_t f)
{
	return 20 + w->place[f] % FILE_FUNCS * 60 + w->place[f] % 7;
}
