/*
 * live.c - sampled objects that are allocated, in the tables of this process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread locks a shard for a few dozen instructions and does not sleep meanwhile, but the scheduler may interrupt it.
 * So waiting means spinning, then yielding, then sleeping. The wait is bounded, because the holder may be this very
 * thread, interrupted by a signal handler, or may never run again.
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

static struct live_object *object(struct segment_tables *t, uint32_t id)
{
	return (struct live_object *)((uint8_t *)t + TABLES_LIVE_AT + LIVE_OBJECTS_AT) + (id - 1);
}

static uint64_t live_hash_of(uint64_t at)
{
	uint64_t h = (at >> 4) * 0x9e3779b97f4a7c15ULL;

	return h ^ h >> 32;
}

static uint32_t shard_of(uint64_t hash)
{
	return hash % LIVE_SHARDS;
}

static void wait_round(unsigned round)
{
	struct timespec nap = { .tv_nsec = SLEEP_NS };

	if (round < SPINS)
		__asm__ volatile("" ::: "memory");
	else if (round < SPINS + YIELDS)
		sys_call(SYS_sched_yield, 0, 0, 0, 0);
	else
		sys_call(SYS_nanosleep, (long)&nap, 0, 0, 0);
}

/* Lock a shard. Returns false if this thread holds the lock already, or if the lock is not released in time. */
static bool lock_shard(struct live_head *l, struct live_shard *s)
{
	uint64_t me = (uintptr_t)&cpi_local, expected = 0;

	for (unsigned round = 0; round < SPINS + YIELDS + SLEEPS; round++) {
		if (atomic_compare_exchange_weak_explicit(&s->owner, &expected, me, memory_order_acquire,
							  memory_order_relaxed))
			return true;
		if (expected == me)
			break;
		expected = 0;
		wait_round(round);
	}
	atomic_fetch_add_explicit(&l->n_missed, 1, memory_order_relaxed);
	return false;
}

static void unlock_shard(struct live_shard *s)
{
	atomic_store_explicit(&s->owner, 0, memory_order_release);
}

/* The hash bucket for a hash, in a shard with n buckets: the first object of its chain. */
static uint32_t *head_at(struct segment_tables *t, uint32_t n, uint64_t hash)
{
	uint32_t *heads = (uint32_t *)((uint8_t *)head_of(t) + LIVE_HEADS_AT);

	return &heads[(LIVE_SHARDS + shard_of(hash)) * n + hash / LIVE_SHARDS % n];
}

/* Double the number of hash buckets, and move objects to the new buckets, which are still zeros. */
static void live_grow(struct segment_tables *t, struct live_shard *s, uint64_t hash)
{
	uint32_t before = s->n_heads;

	s->n_heads *= 2;
	for (uint64_t i = 0; i < before; i++) {
		uint32_t id = *head_at(t, before, i * LIVE_SHARDS + shard_of(hash));

		while (id) {
			struct live_object *o = object(t, id);
			uint32_t next = o->next, *to = head_at(t, s->n_heads, live_hash_of(o->at));

			o->next = *to;
			*to = id;
			id = next;
		}
	}
}

/* Allocate an entry for an object; 0 if there is no room. */
static uint32_t claim_entry_sig(struct segment_tables *t, struct live_shard *s)
{
	uint32_t id = s->free;

	if (id) {
		s->free = object(t, id)->next;
		return id;
	}
	id = segment_count_up_sig(&head_of(t)->n_objects, 1, LIVE_OBJECTS);
	return id < LIVE_OBJECTS ? id + 1 : 0;
}

/* The link that leads to the object at this address; the end of the chain if there is none. */
static uint32_t *find_link(struct segment_tables *t, const struct live_shard *s, uint64_t hash, uint64_t at)
{
	uint32_t *link = head_at(t, s->n_heads, hash);

	while (*link && object(t, *link)->at != at)
		link = &object(t, *link)->next;
	return link;
}

static bool live_put(struct segment_tables *t, struct live_shard *s, const struct live_object *new)
{
	uint64_t hash = live_hash_of(new->at);
	uint32_t *head, id = claim_entry_sig(t, s);

	if (!id)
		return false;
	if (s->n_heads == 0)
		s->n_heads = LIVE_HEADS_INITIAL;
	head = head_at(t, s->n_heads, hash);
	*object(t, id) = *new;
	object(t, id)->next = *head;
	*head = id;
	if (++s->n > s->n_heads && s->n_heads < LIVE_HEADS_MAX)
		live_grow(t, s, hash);
	return true;
}

bool cpi_live_put(struct segment_tables *t, const struct live_object *o)
{
	struct live_head *l = head_of(t);
	struct live_shard *s = &l->shard[shard_of(live_hash_of(o->at))];
	bool is_added;

	if (!lock_shard(l, s))
		return false;
	is_added = live_put(t, s, o);
	unlock_shard(s);
	if (!is_added)
		atomic_fetch_add_explicit(&l->n_full, 1, memory_order_relaxed);
	return is_added;
}

bool cpi_live_remove(struct segment_tables *t, uint64_t at, struct live_object *out)
{
	struct live_head *l = head_of(t);
	uint64_t hash = live_hash_of(at);
	struct live_shard *s = &l->shard[shard_of(hash)];
	uint32_t *link, id;

	if (!lock_shard(l, s))
		return false;
	id = s->n_heads ? *(link = find_link(t, s, hash, at)) : 0;
	if (id) {
		struct live_object *o = object(t, id);

		*out = *o;
		*link = o->next;
		o->at = 0;
		o->next = s->free;
		s->free = id;
		s->n--;
	}
	unlock_shard(s);
	return id != 0;
}
