/*
 * live.c - which sampled objects live, in the tables of this process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads hold a shard for some dozen instructions. They never sleep with it but by the scheduler's
 * will, so waiting is spinning, then giving way, then sleeping; and it has an end, for the holder may be
 * the very thread that waits, in a signal handler, or may never run again.
 */
#include "config.h"

#include "libcpaprof/target/live.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"

enum { SPINS = 100, YIELDS = 100, SLEEPS = 2000, SLEEP_NS = 100000 };

static struct live_head *head_of(struct segment_tables *t)
{
	return (struct live_head *)((uint8_t *)t + TABLES_LIVE_AT);
}

static struct live_object *object(struct segment_tables *t, uint32_t name)
{
	return (struct live_object *)((uint8_t *)t + TABLES_LIVE_AT + LIVE_OBJECTS_AT) + (name - 1);
}

static uint64_t hash_of(uint64_t at)
{
	uint64_t h = (at >> 4) * 0x9e3779b97f4a7c15ULL;

	return h ^ h >> 32;
}

static uint32_t shard_of(uint64_t hash)
{
	return hash % LIVE_SHARDS;
}

static void wait_some(unsigned round)
{
	struct timespec some = { .tv_nsec = SLEEP_NS };

	if (round < SPINS)
		__asm__ volatile("" ::: "memory");
	else if (round < SPINS + YIELDS)
		sys_call(SYS_sched_yield, 0, 0, 0, 0);
	else
		sys_call(SYS_nanosleep, (long)&some, 0, 0, 0);
}

/* False when this thread holds it already, or nobody lets it go. */
static bool hold(struct live_head *l, struct live_shard *s)
{
	uint64_t me = (uintptr_t)&cpi_local, is = 0;

	for (unsigned round = 0; round < SPINS + YIELDS + SLEEPS; round++) {
		if (atomic_compare_exchange_weak_explicit(&s->owner, &is, me, memory_order_acquire,
							  memory_order_relaxed))
			return true;
		if (is == me)
			break;
		is = 0;
		wait_some(round);
	}
	atomic_fetch_add_explicit(&l->n_held, 1, memory_order_relaxed);
	return false;
}

static void let_go(struct live_shard *s)
{
	atomic_store_explicit(&s->owner, 0, memory_order_release);
}

/* The chain of a hash, in the shard that it says, which has n heads. */
static uint32_t *head_at(struct segment_tables *t, uint32_t n, uint64_t hash)
{
	uint32_t *heads = (uint32_t *)((uint8_t *)head_of(t) + LIVE_HEADS_AT);

	return &heads[(LIVE_SHARDS + shard_of(hash)) * n + hash / LIVE_SHARDS % n];
}

/* Twice the heads, which are zeros that nobody used before, for the same objects. */
static void grow(struct segment_tables *t, struct live_shard *s, uint64_t hash)
{
	uint32_t before = s->n_heads;

	s->n_heads *= 2;
	for (uint64_t i = 0; i < before; i++) {
		uint32_t name = *head_at(t, before, i * LIVE_SHARDS + shard_of(hash));

		while (name) {
			struct live_object *o = object(t, name);
			uint32_t next = o->next, *to = head_at(t, s->n_heads, hash_of(o->at));

			o->next = *to;
			*to = name;
			name = next;
		}
	}
}

/* An entry for one more object; 0 when there is no room. */
static uint32_t entry_sig(struct segment_tables *t, struct live_shard *s)
{
	struct live_head *l = head_of(t);
	uint32_t name = s->free, n = atomic_load_explicit(&l->n_objects, memory_order_relaxed);

	if (name) {
		s->free = object(t, name)->next;
		return name;
	}
	do {
		if (n >= LIVE_OBJECTS)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(&l->n_objects, &n, n + 1, memory_order_relaxed,
							memory_order_relaxed));
	return n + 1;
}

/* The place that names the object at this address, or the end of its chain. */
static uint32_t *look(struct segment_tables *t, const struct live_shard *s, uint64_t hash, uint64_t at)
{
	uint32_t *place = head_at(t, s->n_heads, hash);

	while (*place && object(t, *place)->at != at)
		place = &object(t, *place)->next;
	return place;
}

static enum live_put put(struct segment_tables *t, struct live_shard *s, const struct live_object *new,
			 struct live_object *before)
{
	uint64_t hash = hash_of(new->at);
	uint32_t *place, name;

	if (s->n_heads == 0)
		s->n_heads = LIVE_HEADS_FIRST;
	place = look(t, s, hash, new->at);
	if (*place) {
		struct live_object *o = object(t, *place);

		*before = *o;
		o->size = new->size;
		o->weight = new->weight;
		o->stack = new->stack;
		return LIVE_REPLACED;
	}
	name = entry_sig(t, s);
	if (!name)
		return LIVE_NO_ROOM;
	*object(t, name) = *new;
	object(t, name)->next = 0;
	*place = name;
	if (++s->n > s->n_heads && s->n_heads < LIVE_HEADS_MOST)
		grow(t, s, hash);
	return LIVE_KEPT;
}

enum live_put cpi_live_put(struct segment_tables *t, const struct live_object *o, struct live_object *before)
{
	struct live_head *l = head_of(t);
	struct live_shard *s = &l->shard[shard_of(hash_of(o->at))];
	enum live_put did;

	if (!hold(l, s))
		return LIVE_NO_ROOM;
	did = put(t, s, o, before);
	let_go(s);
	if (did == LIVE_NO_ROOM)
		atomic_fetch_add_explicit(&l->n_full, 1, memory_order_relaxed);
	return did;
}

bool cpi_live_take(struct segment_tables *t, uint64_t at, struct live_object *out)
{
	struct live_head *l = head_of(t);
	uint64_t hash = hash_of(at);
	struct live_shard *s = &l->shard[shard_of(hash)];
	uint32_t *place, name;

	if (!hold(l, s))
		return false;
	name = s->n_heads ? *(place = look(t, s, hash, at)) : 0;
	if (name) {
		struct live_object *o = object(t, name);

		*out = *o;
		*place = o->next;
		o->at = 0;
		o->next = s->free;
		s->free = name;
		s->n--;
	}
	let_go(s);
	return name != 0;
}
