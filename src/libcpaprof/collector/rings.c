/*
 * rings.c - read the samples that the signal handlers wrote
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program may write anything into the segment. So each number is read once and checked, read positions are stored
 * in our own memory, and after an invalid record the rest of the ring is dropped.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/stack_table.h"
#include "libcpaprof/collector/threads.h"

#include <string.h>

/* The increase of a counter. A counter that decreased is invalid and counts as unchanged. */
static uint64_t increase(_Atomic uint64_t *counter, uint64_t *cursor)
{
	uint64_t now = atomic_load_explicit(counter, memory_order_relaxed), before = *cursor;

	*cursor = now;
	return now > before && now - before < (1ULL << 40) ? now - before : 0;
}

static void update_counters(struct process *p, struct segment_ring *r, struct ring_cursor *cursor)
{
	uint64_t lost = increase(&r->lost, &cursor->lost), nested = increase(&r->nested, &cursor->nested);

	for (int i = 0; i < N_CUTS; i++) {
		uint64_t n = increase(&r->cut[i], &cursor->cut[i]);

		p->cut[i] += n;
	}
	p->guessed += increase(&r->guessed, &cursor->guessed);
	p->lost += lost + nested;
	p->nested += nested;
	table_add_pseudo(&p->table, PSEUDO_LOST, 0, lost + nested);
}

/* The generation of a record: the latest one with these low bits. */
static uint32_t generation_of(const struct process *p, uint64_t word)
{
	uint32_t low = (uint32_t)(word >> (48 + RECORD_GENERATION_SHIFT)) % RECORD_GENERATIONS;

	return p->maps.generation - (p->maps.generation - low) % RECORD_GENERATIONS;
}

/* Read a record of at most `max` words. Returns its number of words, 0 if it is invalid. */
static uint32_t rings_read_record(struct process *p, struct ring_cursor *cursor, const uint64_t *at, uint64_t max,
				  uint64_t to_end)
{
	uint64_t word = __atomic_load_n(at, __ATOMIC_RELAXED), who, pc[FRAMES_MAX];
	uint32_t n = word >> 32 & 0xffff, weight = (uint32_t)word;
	uint32_t type = word >> 60 & (RECORD_TIMED - 1), size = RECORD_HEAD + n + (word >> 63 ? RECORD_TAIL : 0);
	uint32_t label, tid;

	if (word >> 60 == RECORD_PAD)
		return to_end <= max ? (uint32_t)to_end : 0;
	if (type < RECORD_CPU || type > RECORD_KERNEL || n > FRAMES_MAX || size > max || size > to_end)
		return 0;
	who = __atomic_load_n(at + 1, __ATOMIC_RELAXED);
	label = (uint32_t)(who >> 32);
	tid = p->dump || p->timed ? namespace_outer_tid(p, (uint32_t)who) : 0;
	memcpy(pc, at + RECORD_HEAD, n * sizeof(*pc));
	if (p->dump && n > 0 && type != RECORD_REPEAT)
		threads_add_answer(p->dump, tid, label, pc, n);
	if (type == RECORD_THREAD)
		return size;
	if (type == RECORD_REPEAT) {
		if (cursor->owner == p->serial)
			table_add_weight(&p->table, cursor->last, weight);
	} else if (type == RECORD_KERNEL) {
		cursor->last = table_add_pseudo(&p->table, PSEUDO_KERNEL, 0, weight);
	} else if (word >> 48 & RECORD_BLOCKED) {
		p->blocked += weight;
		cursor->last = table_add_pseudo(&p->table, PSEUDO_BLOCKED, 1, weight);
	} else {
		p->table.generation = generation_of(p, word);
		cursor->last = table_add(&p->table, pc, n, label, weight);
	}
	cursor->owner = p->serial;
	if (p->timed && size > RECORD_HEAD + n)
		p->timed(p->timed_arg, tid, cursor->last, weight,
			 __atomic_load_n(at + RECORD_HEAD + n, __ATOMIC_RELAXED));
	return size;
}

static void drain_ring(struct process *p, struct segment_ring *r, struct ring_cursor *cursor, const uint64_t *words)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);

	collect_read_modules(p);
	if (head - cursor->tail > RING_WORDS) {
		p->bad++;
		cursor->tail = head;
	}
	while (cursor->tail != head) {
		uint64_t at = cursor->tail % RING_WORDS;
		uint32_t n = rings_read_record(p, cursor, words + at, head - cursor->tail, RING_WORDS - at);

		if (n == 0) {
			p->bad++;
			cursor->tail = head;
			break;
		}
		cursor->tail += n;
	}
	p->table.generation = p->maps.generation;
	atomic_store_explicit(&r->tail, cursor->tail, memory_order_release);
	update_counters(p, r, cursor);
}

void process_time_samples(struct process *p, process_timed_fn *fn, void *arg)
{
	if (p->c &&
	    !p->timed != !fn) { /* signal handlers read the number with each sample, and add times if it is not 0 */
		p->c->n_timed += fn ? 1 : -1U;
		atomic_store_explicit(&p->c->head->times, p->c->n_timed, memory_order_relaxed);
	}
	p->timed = fn;
	p->timed_arg = arg;
}

void collect_read_rings(struct collect *c)
{
	uint32_t n = collect_n_rings(c);
	const uint64_t *words = (const uint64_t *)((const uint8_t *)c->head + c->layout.section[SECTION_WORDS]);

	for (uint32_t i = 0; i < n; i++) {
		struct segment_ring *r = collect_ring(c, i);
		uint32_t state = atomic_load_explicit(&r->state, memory_order_acquire);
		uint32_t slot = *(volatile uint32_t *)&r->proc, serial = *(volatile uint32_t *)&r->serial;
		struct process *p = slot < N_PROCS ? &c->process[slot] : NULL;

		if (state != RING_OWNED && state != RING_RETIRED)
			continue;
		if (p && p->is_used && p->serial == serial) {
			drain_ring(p, r, &c->cursor[i], words + (size_t)i * RING_WORDS);
			if (state == RING_RETIRED || p->has_ended) {
				c->cursor[i].last = UINT32_MAX;
				atomic_store_explicit(&r->state, RING_FREE, memory_order_release);
			}
		} else if (state == RING_RETIRED || !p || (p->is_used && p->serial > serial)) {
			/* the ring belongs to no known process: drop its contents */
			c->cursor[i].tail = atomic_load_explicit(&r->head, memory_order_acquire);
			atomic_store_explicit(&r->tail, c->cursor[i].tail, memory_order_release);
			atomic_store_explicit(&r->state, RING_FREE, memory_order_release);
		}
	}
}
