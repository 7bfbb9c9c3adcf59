/*
 * stacks.c - stacks and their counters, in the tables of this process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/stacks.h"

#include "libcpaprof/target/target.h"

static struct segment_tables *_Atomic tables;
static _Atomic uint32_t claiming, refused, generation;

static struct segment_tables *target_stacks_claim_sig(void)
{
	for (uint32_t i = 0; i < cpi.n_tables; i++) {
		struct segment_tables *t = (struct segment_tables *)(cpi.tables + (uint64_t)i * TABLES_SIZE);
		uint32_t expected = TABLES_FREE;

		if (atomic_load(&t->state) != TABLES_FREE ||
		    !atomic_compare_exchange_strong(&t->state, &expected, segment_claim(cpi.pid)))
			continue;
		t->proc = cpi.slot;
		t->serial = cpi.serial;
		atomic_store_explicit(&t->state, TABLES_LIVE, memory_order_release);
		return t;
	}
	return NULL;
}

struct segment_tables *cpi_tables_sig(void)
{
	struct segment_tables *t = atomic_load_explicit(&tables, memory_order_acquire);

	if (t || !cpi.head)
		return t;
	/* only one thread tries, and only once: if no tables are free now, the process never gets any */
	if ((!atomic_load(&cpi.proc) && !cpi_process_claim_sig()) || atomic_exchange(&claiming, 1))
		return NULL;
	t = target_stacks_claim_sig();
	atomic_store(&refused, !t);
	atomic_store_explicit(&tables, t, memory_order_release);
	return t;
}

bool cpi_tables_refused(void)
{
	return atomic_load(&refused);
}

void cpi_tables_forget(void)
{
	atomic_store(&tables, NULL);
	atomic_store(&claiming, 0);
	atomic_store(&refused, 0);
	atomic_fetch_add(&generation, 1);
}

uint32_t cpi_tables_generation(void)
{
	return atomic_load_explicit(&generation, memory_order_relaxed);
}

static uint32_t target_stacks_hash_of(enum stack_kind kind, uint64_t extra, uint32_t label, const uint64_t *pc,
				      uint32_t n)
{
	uint64_t h = (extra ^ (uint64_t)kind << 56 ^ label) * 0x9e3779b97f4a7c15ULL;

	for (uint32_t i = 0; i < n; i++) {
		__uint128_t m = (__uint128_t)(h ^ pc[i]) * 0xd6e8feb86659fd93ULL;

		h = (uint64_t)m ^ (uint64_t)(m >> 64);
	}
	return (uint32_t)(h ^ h >> 32);
}

static struct segment_stack *target_stacks_at_sig(struct segment_tables *t, uint32_t id)
{
	return (struct segment_stack *)((uint8_t *)t + TABLES_STACKS_AT + (uint64_t)(id - 1) * 8);
}

/*
 * ThreadSanitizer sees calls of memcpy and memcmp, but not our atomics, and would report a race. So frames are copied
 * and compared one by one.
 */
static void copy_frames_sig(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		__atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
}

static bool has_frames_sig(const uint64_t *s, const uint64_t *pc, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && __atomic_load_n(&s[i], __ATOMIC_RELAXED) == pc[i])
		i++;
	return i == n;
}

/* Find the stack of the key in the chain from first up to end, exclusive. Returns 0 if it is not there. */
static uint32_t target_stacks_find_in_chain_sig(struct segment_tables *t, uint32_t first, uint32_t end,
						const struct segment_stack *key, const uint64_t *pc)
{
	for (uint32_t at = first; at != end && at;) {
		struct segment_stack *s = target_stacks_at_sig(t, at);

		if (s->hash == key->hash && s->kind == key->kind && s->n == key->n && s->label == key->label &&
		    s->extra == key->extra && has_frames_sig(s->pc, pc, key->n))
			return at;
		at = atomic_load_explicit(&s->next, memory_order_acquire);
	}
	return 0;
}

/* Allocate a stack of n frames. Returns its id, or 0. */
static uint32_t reserve_sig(struct segment_tables *t, uint32_t n)
{
	uint32_t words = (uint32_t)sizeof(struct segment_stack) / 8 + n;
	uint32_t at = segment_count_up_sig(&t->n_words, words, STACK_WORDS_MAX);

	return at < STACK_WORDS_MAX ? at + 1 : 0;
}

/*
 * Insert a new stack at the head of its chain, unless another thread has added the same one meanwhile. Returns the
 * id of the stack that is in the chain.
 */
static uint32_t link_sig(struct segment_tables *t, _Atomic uint32_t *bucket, uint32_t first, uint32_t id)
{
	struct segment_stack *s = target_stacks_at_sig(t, id);

	for (;;) {
		uint32_t seen = first, found;

		atomic_store_explicit(&s->next, first, memory_order_relaxed);
		if (atomic_compare_exchange_strong_explicit(bucket, &first, id, memory_order_release,
							    memory_order_acquire))
			return id;
		found = target_stacks_find_in_chain_sig(t, first, seen, s, s->pc);
		if (found)
			return found;
	}
}

uint32_t cpi_stack_find_sig(enum stack_kind kind, uint64_t extra, uint32_t label, const uint64_t *pc, uint32_t n)
{
	struct segment_stack key = { .hash = target_stacks_hash_of(kind, extra, label, pc, n),
				     .kind = (uint16_t)kind,
				     .n = (uint16_t)n,
				     .label = label,
				     .extra = extra };
	struct segment_tables *t = cpi_tables_sig();
	_Atomic uint32_t *bucket;
	struct segment_stack *s;
	uint32_t first, id;

	if (!t)
		return 0;
	bucket = (_Atomic uint32_t *)((uint8_t *)t + TABLES_BUCKETS_AT) + key.hash % STACK_BUCKETS;
	first = atomic_load_explicit(bucket, memory_order_acquire);
	id = target_stacks_find_in_chain_sig(t, first, 0, &key, pc);
	if (id)
		return id;
	id = reserve_sig(t, n);
	if (!id)
		return 0;
	s = target_stacks_at_sig(t, id);
	s->hash = key.hash;
	s->kind = key.kind;
	s->n = key.n;
	s->label = label;
	s->extra = extra;
	copy_frames_sig(s->pc, pc, n);
	return link_sig(t, bucket, first, id);
}

void cpi_stack_add_sig(enum stack_kind kind, uint32_t id, unsigned value, uint64_t n)
{
	struct segment_tables *t = cpi_tables_sig();

	if (t)
		atomic_fetch_add_explicit(id ? &target_stacks_at_sig(t, id)->value[value] : &t->overflow[kind][value],
					  n, memory_order_relaxed);
}

void cpi_stack_set_creator_sig(uint32_t tid, uint32_t id)
{
	struct segment_tables *t = cpi_tables_sig();

	if (t)
		atomic_store_explicit((_Atomic uint64_t *)((uint8_t *)t + TABLES_CREATED_AT) + tid % CREATED_SLOTS,
				      (uint64_t)tid << 32 | id, memory_order_release);
}
