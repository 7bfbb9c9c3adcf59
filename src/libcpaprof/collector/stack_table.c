/*
 * stack_table.c - the distinct stacks of a process, and what they weigh
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/stack_table.h"

#include "libcpaprof/target/segment.h"

#include <string.h>
#include <sys/random.h>

#define NO_STACK UINT32_MAX

enum { LOCS_MAX = 1 << 24, STACKS_MAX = 1 << 24, FRAMES_ALL = 1 << 28, FIRST_SLOTS = 4096 };

const char *const table_place_name[N_PLACES] = {
	[PLACE_LOST] = "[cpa: lost]",
	[PLACE_BLOCKED] = "[cpa: signal blocked]",
	[PLACE_FULL] = "[cpa: stack table full]",
	[PLACE_RUNNING] = "[running]",
	[PLACE_UNSAMPLED] = "[cpa: not sampled]",
	[PLACE_NO_ANSWER] = "[no answer: signal blocked]",
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ 0x9e3779b97f4a7c15ULL) * (b | 1);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static void pay(struct stack_table *t, size_t bytes)
{
	if (t->left)
		*t->left = *t->left > bytes ? *t->left - bytes : 0;
}

/* As vec_room, but all tables together take no more than they may: a vec that grows takes as much again. */
static void *room(struct stack_table *t, struct vec *v, size_t more, size_t size, size_t most)
{
	size_t cap = v->cap;
	void *p;

	if (t->left && v->n + more > cap && *t->left < (cap + more) * size)
		return NULL;
	p = vec_room(v, more, size, most);
	pay(t, (v->cap - cap) * size);
	return p;
}

/* Make a hash table twice as large when it is half full. hash_at gives the hash of an index. */
static bool grow(struct stack_table *t, uint32_t **slots, uint32_t *n_slots, size_t n,
		 uint64_t (*hash_at)(const struct stack_table *t, uint32_t i))
{
	uint32_t want = *n_slots ? *n_slots * 2 : FIRST_SLOTS, *to;

	if (n < *n_slots / 2)
		return true;
	to = t->left && *t->left < want * sizeof(*to) ? NULL : memory_map((size_t)want * sizeof(*to));
	if (!to)
		return n < *n_slots / 8 * 7; /* it still works, but slower */
	pay(t, (want - *n_slots) * sizeof(*to));
	for (uint32_t i = 0; i < *n_slots; i++) {
		uint32_t id = (*slots)[i], at;

		if (!id)
			continue;
		at = (uint32_t)hash_at(t, id - 1) & (want - 1);
		while (to[at])
			at = (at + 1) & (want - 1);
		to[at] = id;
	}
	memory_unmap(*slots, (size_t)*n_slots * sizeof(**slots));
	*slots = to;
	*n_slots = want;
	return true;
}

static uint64_t loc_hash(const struct stack_table *t, uint32_t i)
{
	return mix(((const struct table_loc *)t->loc.data)[i].addr, t->seed);
}

static uint64_t stack_hash(const struct stack_table *t, uint32_t i)
{
	return ((const struct table_stack *)t->stack.data)[i].hash;
}

/* The id of an address, of the mapping that was there in the generation. False when there is no room. */
static bool find_loc(struct stack_table *t, uint64_t addr, uint32_t *out)
{
	uint32_t map = t->maps ? maps_find_contested(t->maps, addr, t->generation) : 0, at;
	struct table_loc *loc;

	if (!grow(t, &t->loc_slot, &t->n_loc_slots, t->loc.n, loc_hash))
		return false;
	loc = t->loc.data;
	for (at = (uint32_t)mix(addr, t->seed); t->loc_slot[at & (t->n_loc_slots - 1)]; at++) {
		*out = t->loc_slot[at & (t->n_loc_slots - 1)] - 1;
		if (loc[*out].addr == addr && loc[*out].contested == map)
			return true;
	}
	loc = room(t, &t->loc, 1, sizeof(*loc), LOCS_MAX);
	if (!loc)
		return false;
	*loc = (struct table_loc){ .addr = addr, .map = map, .contested = map };
	*out = (uint32_t)t->loc.n++;
	t->loc_slot[at & (t->n_loc_slots - 1)] = *out + 1;
	return true;
}

/* Add weight to the stack whose n locations are behind the last one in frames. */
static uint32_t add(struct stack_table *t, uint32_t n, uint32_t label, uint64_t weight)
{
	const uint32_t *frames = t->frames.data, *mine = frames + t->frames.n;
	uint64_t h = mix(label, t->seed);
	struct table_stack *s;
	uint32_t at;

	if (!grow(t, &t->stack_slot, &t->n_stack_slots, t->stack.n, stack_hash))
		return NO_STACK;
	for (uint32_t i = 0; i < n; i++)
		h = mix(h, mine[i] + t->seed);
	for (at = (uint32_t)h; t->stack_slot[at & (t->n_stack_slots - 1)]; at++) {
		s = (struct table_stack *)t->stack.data + t->stack_slot[at & (t->n_stack_slots - 1)] - 1;
		if (s->hash == (uint32_t)h && s->label == label && s->n == n &&
		    memcmp(frames + s->at, mine, n * sizeof(*mine)) == 0) {
			s->weight += weight;
			return (uint32_t)(s - (struct table_stack *)t->stack.data);
		}
	}
	s = room(t, &t->stack, 1, sizeof(*s), STACKS_MAX);
	if (!s)
		return NO_STACK;
	*s = (struct table_stack){
		.weight = weight, .at = (uint32_t)t->frames.n, .n = n, .label = label, .hash = (uint32_t)h
	};
	t->frames.n += n;
	t->stack_slot[at & (t->n_stack_slots - 1)] = (uint32_t)++t->stack.n;
	return (uint32_t)t->stack.n - 1;
}

/* The first locations and stacks are the places: what finds no room for its own has theirs. */
static bool begin(struct stack_table *t)
{
	uint32_t *frame;

	if (t->stack.n)
		return true;
	/* a program may choose its addresses so that they collide, but not know the seed */
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) < 0)
		t->seed = (uintptr_t)t;
	frame = room(t, &t->frames, N_PLACES, sizeof(*frame), FRAMES_ALL);
	if (!frame || !room(t, &t->loc, N_PLACES, sizeof(struct table_loc), LOCS_MAX) ||
	    !room(t, &t->stack, N_PLACES, sizeof(struct table_stack), STACKS_MAX) ||
	    !grow(t, &t->stack_slot, &t->n_stack_slots, 0, stack_hash))
		return false;
	t->loc.n = N_PLACES;
	for (uint32_t i = 0; i < N_PLACES; i++) {
		frame[i] = i;
		add(t, 1, 0, 0);
	}
	return true;
}

/* Put the locations of n addresses behind the last one in frames. */
static bool find_locs(struct stack_table *t, const uint64_t *pc, uint32_t n)
{
	uint32_t *to;

	if (!begin(t))
		return false;
	to = room(t, &t->frames, n, sizeof(*to), FRAMES_ALL);
	if (!to)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!find_loc(t, pc[i], &to[i]))
			return false;
	return true;
}

bool table_frames(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t *at)
{
	if (!find_locs(t, pc, n))
		return false;
	*at = (uint32_t)t->frames.n;
	t->frames.n += n;
	return true;
}

bool table_place_frame(struct stack_table *t, enum table_place place, uint32_t *at)
{
	return table_intern_place(t, place, at) != 0;
}

uint32_t table_add(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint64_t weight)
{
	uint32_t stack = find_locs(t, pc, n) ? add(t, n, label, weight) : NO_STACK;

	if (stack == NO_STACK)
		return table_add_place(t, PLACE_FULL, weight);
	t->weight += weight;
	t->n_samples++;
	return stack;
}

uint32_t table_add_place(struct stack_table *t, enum table_place place, uint64_t weight)
{
	if (!weight || !begin(t))
		return NO_STACK;
	((struct table_stack *)t->stack.data)[place].weight += weight;
	t->weight += weight;
	return place;
}

void table_add_again(struct stack_table *t, uint32_t stack, uint64_t weight)
{
	if (stack >= t->stack.n)
		return;
	((struct table_stack *)t->stack.data)[stack].weight += weight;
	t->weight += weight;
}

static uint32_t frames_of(const struct stack_table *t, uint32_t stack, uint32_t *at)
{
	const struct table_stack *s = (const struct table_stack *)t->stack.data + stack;

	*at = stack == NO_STACK ? 0 : s->at;
	return stack == NO_STACK ? 0 : s->n;
}

bool table_intern(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint32_t *at)
{
	uint32_t stack = find_locs(t, pc, n) ? add(t, n, label, 0) : NO_STACK;

	frames_of(t, stack, at);
	return stack != NO_STACK;
}

uint32_t table_intern_place(struct stack_table *t, enum table_place place, uint32_t *at)
{
	return frames_of(t, begin(t) ? place : NO_STACK, at);
}

void table_release(struct stack_table *t)
{
	if (t->left)
		*t->left += t->loc.cap * sizeof(struct table_loc) + t->stack.cap * sizeof(struct table_stack) +
			    t->frames.cap * sizeof(uint32_t) +
			    ((size_t)t->n_loc_slots + t->n_stack_slots) * sizeof(uint32_t);
	memory_unmap(t->loc_slot, (size_t)t->n_loc_slots * sizeof(*t->loc_slot));
	memory_unmap(t->stack_slot, (size_t)t->n_stack_slots * sizeof(*t->stack_slot));
	vec_release(&t->loc, sizeof(struct table_loc));
	vec_release(&t->stack, sizeof(struct table_stack));
	vec_release(&t->frames, sizeof(uint32_t));
	*t = (struct stack_table){ 0 };
}
