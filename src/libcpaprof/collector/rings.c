/*
 * rings.c - take what the handlers wrote
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program may write anything into the segment. So every number is read once and checked, how far
 * a ring was read is remembered here, and what makes no sense costs the ring what it holds.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/stack_table.h"
#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/trace_int.h"

#include <string.h>

/* How much a counter went up. One that went down is odd, and counts as nothing. */
static uint64_t step(_Atomic uint64_t *counter, uint64_t *seen)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed), before = *seen;

	*seen = now;
	return now > before && now - before < (1ULL << 40) ? now - before : 0;
}

static void count(struct process *p, struct segment_ring *r, struct ring_seen *seen)
{
	uint64_t lost = step(&r->lost, &seen->lost), nested = step(&r->nested, &seen->nested);

	for (int i = 0; i < N_CUTS; i++) {
		uint64_t n = step(&r->cut[i], &seen->cut[i]);

		p->cut[i] += n;
	}
	p->lost += lost + nested;
	p->nested += nested;
	table_add_place(&p->table, PLACE_LOST, lost + nested);
}

/* The generation of a record: the last one with these low bits. */
static uint32_t generation_of(const struct process *p, uint64_t word)
{
	uint32_t low = (uint32_t)(word >> (48 + RECORD_GENERATION_SHIFT)) % RECORD_GENERATIONS;

	return p->maps.now - (p->maps.now - low) % RECORD_GENERATIONS;
}

/* One record of at most most words. Gives how many it has, 0 when it is none. */
static uint32_t take(struct process *p, struct ring_seen *seen, const uint64_t *at, uint64_t most, uint64_t to_end)
{
	uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED), who, pc[FRAMES_MAX];
	uint32_t n = word >> 32 & 0xffff, weight = (uint32_t)word;
	uint32_t type = word >> 60 & (RECORD_TIMED - 1), size = RECORD_HEAD + n + (word >> 63 ? RECORD_TAIL : 0);
	uint32_t label;

	if (word >> 60 == RECORD_PAD)
		return to_end <= most ? (uint32_t)to_end : 0;
	if ((type != RECORD_CPU && type != RECORD_AGAIN && type != RECORD_THREAD) || n > FRAMES_MAX || size > most ||
	    size > to_end)
		return 0;
	who = __atomic_load_n(at + 1, __ATOMIC_RELAXED);
	label = (uint32_t)(who >> 32);
	memcpy(pc, at + RECORD_HEAD, n * sizeof(*pc));
	if (p->dump && n > 0 && type != RECORD_AGAIN)
		threads_answer(p->dump, (uint32_t)who, label, pc, n);
	if (type == RECORD_THREAD)
		return size;
	if (type == RECORD_AGAIN) {
		if (seen->owner == p->serial)
			table_add_again(&p->table, seen->last, weight);
	} else if (word >> 48 & RECORD_BLOCKED) {
		p->blocked += weight;
		seen->last = table_add_place(&p->table, PLACE_BLOCKED, weight);
	} else {
		p->table.generation = generation_of(p, word);
		seen->last = table_add(&p->table, pc, n, label, weight);
	}
	seen->owner = p->serial;
	if (p->trace && size > RECORD_HEAD + n)
		trace_sample(p->trace, (uint32_t)who, seen->last, weight,
			     __atomic_load_n(at + RECORD_HEAD + n, __ATOMIC_RELAXED));
	return size;
}

static void drain(struct process *p, struct segment_ring *r, struct ring_seen *seen, const uint64_t *words)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	collect_modules(p);
	if (head - seen->tail > RING_WORDS) {
		p->bad++;
		seen->tail = head;
	}
	while (seen->tail != head) {
		uint64_t at = seen->tail % RING_WORDS;
		uint32_t n = take(p, seen, words + at, head - seen->tail, RING_WORDS - at);

		if (n == 0) {
			p->bad++;
			seen->tail = head;
			break;
		}
		seen->tail += n;
	}
	p->table.generation = p->maps.now;
	atomic_store_explicit(&r->tail, seen->tail, memory_order_release);
	count(p, r, seen);
}

void collect_rings(struct collect *c)
{
	const uint64_t *words = (const uint64_t *)((const uint8_t *)c->head + c->at.section[SECTION_WORDS]);

	for (uint32_t i = 0; i < c->at.n_rings; i++) {
		struct segment_ring *r = collect_ring(c, i);
		uint32_t state = atomic_load_explicit(&r->state, memory_order_acquire);
		uint32_t slot = *(volatile uint32_t *)&r->proc, serial = *(volatile uint32_t *)&r->serial;
		struct process *p = slot < N_PROCS ? &c->process[slot] : NULL;

		if (state != RING_OWNED && state != RING_RETIRED)
			continue;
		if (p && p->used && p->serial == serial) {
			drain(p, r, &c->seen[i], words + (size_t)i * RING_WORDS);
			if (state == RING_RETIRED || p->ended) {
				c->seen[i].last = UINT32_MAX;
				atomic_store_explicit(&r->state, RING_FREE, memory_order_release);
			}
		} else if (state == RING_RETIRED || !p || (p->used && p->serial > serial)) {
			/* nobody we know: what it holds is dropped */
			c->seen[i].tail = atomic_load_explicit(&r->head, memory_order_acquire);
			atomic_store_explicit(&r->tail, c->seen[i].tail, memory_order_release);
			atomic_store_explicit(&r->state, RING_FREE, memory_order_release);
		}
	}
}
