/*
 * stack_table.c - the distinct stacks of a process, and their weights
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/stack_table.h"

#include "libcpaprof/target/segment.h"

#include <string.h>
#include <sys/random.h>

#define NO_STACK UINT32_MAX

enum { LOCS_MAX = 1 << 24, STACKS_MAX = 1 << 24, ALL_FRAMES_MAX = 1 << 28, FIRST_SLOTS = 4096 };

const char *const pseudo_frame_name[N_PSEUDO_FRAMES] = {
	[PSEUDO_LOST] = "[cpa: lost]",
	[PSEUDO_BLOCKED] = "[cpa: signal blocked]",
	[PSEUDO_FULL] = "[cpa: stack table full]",
	[PSEUDO_RUNNING] = "[running]",
	[PSEUDO_UNSAMPLED] = "[cpa: not sampled]",
	[PSEUDO_READY] = "[ready: no CPU]",
	[PSEUDO_KERNEL] = "[cpa: kernel]",
	[PSEUDO_NO_ANSWER] = "[no answer: signal blocked]",
};

static uint64_t stack_table_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ 0x9e3779b97f4a7c15ULL) * (b | 1);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static void use_bytes(struct stack_table *t, size_t bytes)
{
	if (t->n_bytes_remaining)
		*t->n_bytes_remaining = *t->n_bytes_remaining > bytes ? *t->n_bytes_remaining - bytes : 0;
}

/* Like vec_reserve, but with the memory limit of all tables: growing doubles the size of a vec. */
static void *stack_table_reserve(struct stack_table *t, struct vec *v, size_t more, size_t size, size_t max)
{
	size_t cap = v->cap;
	void *p;

	if (t->n_bytes_remaining && v->n + more > cap && *t->n_bytes_remaining < (cap + more) * size)
		return NULL;
	p = vec_reserve(v, more, size, max);
	use_bytes(t, (v->cap - cap) * size);
	return p;
}

/* Double a hash table that is half full. hash_at returns the hash of an index. Returns false if there is no room. */
static bool stack_table_grow(struct stack_table *t, uint32_t **slots, uint32_t *n_slots, size_t n,
			     uint64_t (*hash_at)(const struct stack_table *t, uint32_t i))
{
	uint32_t want = *n_slots ? *n_slots * 2 : FIRST_SLOTS, *to;

	if (n < *n_slots / 2)
		return true;
	to = t->n_bytes_remaining && *t->n_bytes_remaining < want * sizeof(*to)
		     ? NULL
		     : memory_map((size_t)want * sizeof(*to));
	if (!to)
		return n < *n_slots / 8 * 7; /* a table that cannot grow still works, but slower */
	use_bytes(t, (want - *n_slots) * sizeof(*to));
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
	return stack_table_mix(((const struct table_loc *)t->loc.data)[i].addr, t->seed);
}

static uint64_t stack_hash(const struct stack_table *t, uint32_t i)
{
	return ((const struct table_stack *)t->stack.data)[i].hash;
}

/* Find or add the location of an address, with its mapping in the generation. Returns false if there is no room. */
static bool find_loc(struct stack_table *t, uint64_t addr, uint32_t *out)
{
	uint32_t map = t->maps ? maps_find_contested(t->maps, addr, t->generation) : 0, at;
	struct table_loc *loc;

	if (!stack_table_grow(t, &t->loc_slot, &t->n_loc_slots, t->loc.n, loc_hash))
		return false;
	loc = t->loc.data;
	for (at = (uint32_t)stack_table_mix(addr, t->seed); t->loc_slot[at & (t->n_loc_slots - 1)]; at++) {
		*out = t->loc_slot[at & (t->n_loc_slots - 1)] - 1;
		if (loc[*out].addr == addr && loc[*out].contested == map)
			return true;
	}
	loc = stack_table_reserve(t, &t->loc, 1, sizeof(*loc), LOCS_MAX);
	if (!loc)
		return false;
	*loc = (struct table_loc){ .addr = addr, .map = map, .contested = map };
	*out = (uint32_t)t->loc.n++;
	t->loc_slot[at & (t->n_loc_slots - 1)] = *out + 1;
	return true;
}

/* Add samples to the stack whose n locations follow the last used entry of frames. */
static uint32_t stack_table_add(struct stack_table *t, uint32_t n, uint32_t label, uint64_t n_samples, uint64_t weight)
{
	const uint32_t *frames = t->frames.data, *mine = frames + t->frames.n;
	uint64_t h = stack_table_mix(label, t->seed);
	struct table_stack *s;
	uint32_t at;

	if (!stack_table_grow(t, &t->stack_slot, &t->n_stack_slots, t->stack.n, stack_hash))
		return NO_STACK;
	for (uint32_t i = 0; i < n; i++)
		h = stack_table_mix(h, mine[i] + t->seed);
	for (at = (uint32_t)h; t->stack_slot[at & (t->n_stack_slots - 1)]; at++) {
		s = (struct table_stack *)t->stack.data + t->stack_slot[at & (t->n_stack_slots - 1)] - 1;
		if (s->hash == (uint32_t)h && s->label == label && s->n == n &&
		    memcmp(frames + s->at, mine, n * sizeof(*mine)) == 0) {
			s->n_samples += n_samples;
			s->weight += weight;
			return (uint32_t)(s - (struct table_stack *)t->stack.data);
		}
	}
	s = stack_table_reserve(t, &t->stack, 1, sizeof(*s), STACKS_MAX);
	if (!s)
		return NO_STACK;
	*s = (struct table_stack){ .n_samples = n_samples,
				   .weight = weight,
				   .at = (uint32_t)t->frames.n,
				   .n = n,
				   .label = label,
				   .hash = (uint32_t)h };
	t->frames.n += n;
	t->stack_slot[at & (t->n_stack_slots - 1)] = (uint32_t)++t->stack.n;
	return (uint32_t)t->stack.n - 1;
}

/* Add the pseudo frames as the first locations and stacks, so there is always room for PSEUDO_FULL. */
static bool init_pseudo_frames(struct stack_table *t)
{
	uint32_t *frame;

	if (t->stack.n)
		return true;
	/* without the seed, a program could choose addresses that collide */
	if (getrandom(&t->seed, sizeof(t->seed), GRND_NONBLOCK) < 0)
		t->seed = (uintptr_t)t;
	frame = stack_table_reserve(t, &t->frames, N_PSEUDO_FRAMES, sizeof(*frame), ALL_FRAMES_MAX);
	if (!frame || !stack_table_reserve(t, &t->loc, N_PSEUDO_FRAMES, sizeof(struct table_loc), LOCS_MAX) ||
	    !stack_table_reserve(t, &t->stack, N_PSEUDO_FRAMES, sizeof(struct table_stack), STACKS_MAX) ||
	    !stack_table_grow(t, &t->stack_slot, &t->n_stack_slots, 0, stack_hash))
		return false;
	t->loc.n = N_PSEUDO_FRAMES;
	for (uint32_t i = 0; i < N_PSEUDO_FRAMES; i++) {
		frame[i] = i;
		stack_table_add(t, 1, 0, 0, 0);
	}
	return true;
}

/* Store the locations of n addresses after the last used entry of frames. */
static bool find_locs(struct stack_table *t, const uint64_t *pc, uint32_t n)
{
	uint32_t *to;

	if (!init_pseudo_frames(t))
		return false;
	to = stack_table_reserve(t, &t->frames, n, sizeof(*to), ALL_FRAMES_MAX);
	if (!to)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!find_loc(t, pc[i], &to[i]))
			return false;
	return true;
}

bool table_add_frames(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t *at)
{
	if (!find_locs(t, pc, n))
		return false;
	*at = (uint32_t)t->frames.n;
	t->frames.n += n;
	return true;
}

bool table_add_pseudo_frame(struct stack_table *t, enum pseudo_frame pseudo, uint32_t *at)
{
	return table_intern_pseudo(t, pseudo, at) != 0;
}

uint32_t table_add(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint64_t weight)
{
	uint32_t stack = find_locs(t, pc, n) ? stack_table_add(t, n, label, 1, weight) : NO_STACK;

	if (stack == NO_STACK)
		return table_add_pseudo(t, PSEUDO_FULL, 1, weight);
	t->weight += weight;
	t->n_samples++;
	return stack;
}

uint32_t table_add_pseudo(struct stack_table *t, enum pseudo_frame pseudo, uint64_t n_samples, uint64_t weight)
{
	struct table_stack *s;

	if (!weight || !init_pseudo_frames(t))
		return NO_STACK;
	s = (struct table_stack *)t->stack.data + pseudo;
	s->n_samples += n_samples;
	s->weight += weight;
	t->n_samples += n_samples;
	t->weight += weight;
	return pseudo;
}

void table_add_weight(struct stack_table *t, uint32_t stack, uint64_t weight)
{
	if (stack >= t->stack.n)
		return;
	((struct table_stack *)t->stack.data)[stack].weight += weight;
	t->weight += weight;
}

uint32_t table_relabel(struct stack_table *t, uint32_t stack, uint32_t label)
{
	struct table_stack *s = (struct table_stack *)t->stack.data + stack;
	uint32_t new, *to;

	if (stack >= t->stack.n || s->n_samples == 0)
		return stack;
	to = stack_table_reserve(t, &t->frames, s->n, sizeof(*to), ALL_FRAMES_MAX);
	if (!to)
		return stack;
	memcpy(to, (const uint32_t *)t->frames.data + s->at, s->n * sizeof(*to));
	new = stack_table_add(t, s->n, label, 1, 0);
	if (new == NO_STACK)
		return stack;
	((struct table_stack *)t->stack.data)[stack].n_samples--;
	return new;
}

static uint32_t frames_of(const struct stack_table *t, uint32_t stack, uint32_t *at)
{
	const struct table_stack *s = (const struct table_stack *)t->stack.data + stack;

	*at = stack == NO_STACK ? 0 : s->at;
	return stack == NO_STACK ? 0 : s->n;
}

bool table_intern(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint32_t *at)
{
	uint32_t stack = find_locs(t, pc, n) ? stack_table_add(t, n, label, 0, 0) : NO_STACK;

	frames_of(t, stack, at);
	return stack != NO_STACK;
}

uint32_t table_intern_pseudo(struct stack_table *t, enum pseudo_frame pseudo, uint32_t *at)
{
	return frames_of(t, init_pseudo_frames(t) ? pseudo : NO_STACK, at);
}

void table_release(struct stack_table *t)
{
	if (t->n_bytes_remaining)
		*t->n_bytes_remaining += t->loc.cap * sizeof(struct table_loc) +
					 t->stack.cap * sizeof(struct table_stack) + t->frames.cap * sizeof(uint32_t) +
					 ((size_t)t->n_loc_slots + t->n_stack_slots) * sizeof(uint32_t);
	memory_unmap(t->loc_slot, (size_t)t->n_loc_slots * sizeof(*t->loc_slot));
	memory_unmap(t->stack_slot, (size_t)t->n_stack_slots * sizeof(*t->stack_slot));
	vec_release(&t->loc, sizeof(struct table_loc));
	vec_release(&t->stack, sizeof(struct table_stack));
	vec_release(&t->frames, sizeof(uint32_t));
	*t = (struct stack_table){ 0 };
}
