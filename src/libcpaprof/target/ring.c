/*
 * ring.c - ring buffers that hold a thread's samples for the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/ring.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"

/* Let the collector read the rings before index n. */
static void use_rings_sig(uint32_t n)
{
	uint32_t before = atomic_load_explicit(&cpi.head->n_rings_used, memory_order_relaxed);

	while (before < n && !atomic_compare_exchange_weak(&cpi.head->n_rings_used, &before, n))
		;
}

/* Claim the first free ring, because the memory of the first rings is allocated already. */
bool cpi_ring_claim_sig(struct thread *t, uint32_t tid)
{
	for (uint32_t i = 0; i < cpi.n_rings; i++) {
		struct segment_ring *r = &cpi.ring[i];
		uint32_t expected = RING_FREE;

		if (atomic_load_explicit(&r->state, memory_order_relaxed) != RING_FREE)
			continue;
		use_rings_sig(i + 1);
		/* the collector reads rings that are owned or retired, so the state is set last */
		if (!atomic_compare_exchange_strong(&r->state, &expected, segment_claim(cpi.pid)))
			continue;
		r->proc = cpi.slot;
		r->serial = cpi.serial;
		atomic_store_explicit(&r->tid, tid, memory_order_relaxed);
		atomic_store_explicit(&r->state, RING_OWNED, memory_order_release);
		t->words = cpi.words + (size_t)i * RING_WORDS;
		t->memory = cpi_sample_memory_sig(i);
		t->ring = r;
		return true;
	}
	return false;
}

void cpi_ring_retire(struct thread *t)
{
	struct segment_ring *r = t->ring;

	t->ring = NULL;
	if (r)
		atomic_store_explicit(&r->state, RING_RETIRED, memory_order_release);
}

uint64_t *cpi_ring_reserve_sig(struct thread *t)
{
	struct segment_ring *r = t->ring;
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	uint64_t need = RECORD_HEAD + cpi.max_depth + RECORD_TAIL, at = head % RING_WORDS, to_end = RING_WORDS - at;
	uint64_t pad = to_end < need ? to_end : 0;

	if (head - tail > RING_WORDS || RING_WORDS - (head - tail) < need + pad)
		return NULL;
	if (pad) {
		t->words[at] = record_word(RECORD_PAD, 0, 0, 0);
		atomic_store_explicit(&r->head, head + pad, memory_order_release);
		at = 0;
	}
	return t->words + at;
}

void cpi_ring_push_sig(struct thread *t, uint32_t n)
{
	uint64_t head = atomic_load_explicit(&t->ring->head, memory_order_relaxed);

	atomic_store_explicit(&t->ring->head, head + n, memory_order_release);
}

uint64_t *cpi_ring_scratch_sig(const struct thread *t, const uint64_t *at, uint32_t n)
{
	uint64_t head = atomic_load_explicit(&t->ring->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&t->ring->tail, memory_order_acquire);
	uint64_t max = RECORD_HEAD + cpi.max_depth + RECORD_TAIL, from = (uint64_t)(at - t->words) + max;

	/* the words must be free up to the first unread word, and up to the end of the ring */
	if (RING_WORDS - (head - tail) < max + n || RING_WORDS - from < n)
		return (uint64_t)(at - t->words) >= n && head == tail ? t->words : NULL;
	return t->words + from;
}
