/*
 * make_tables.h - a segment with this process and its stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MAKE_TABLES_H
#define MAKE_TABLES_H

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/target/labels.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct made {
	struct collect *c;
	struct process *p;
	struct segment_tables *t;
	uint32_t n_done; /* number of processes that ended */
};

static inline void made_done(void *arg, struct process *p)
{
	(void)p;
	((struct made *)arg)->n_done++;
}

/* Open a segment with this process in slot 0, and with tables. */
static inline void made_open(struct made *m)
{
	struct collector_options options = { .hz = 100, .n_tables = 2, .heap_rate = 512 << 10 };
	struct segment_proc *slot;

	*m = (struct made){ 0 };
	assert_int_equal(collect_open(&options, made_done, m, &m->c), 0);
	slot = collect_slot(m->c, 0);
	slot->pid = (uint32_t)getpid();
	slot->serial = 7;
	slot->state = PROC_LIVE;
	collect_set_main(m->c, getpid());
	m->t = (struct segment_tables *)((uint8_t *)m->c->head + m->c->layout.section[SECTION_TABLES]);
	m->t->proc = 0;
	m->t->serial = 7;
	m->t->state = TABLES_LIVE;
	collect_drain(m->c);
	m->p = &m->c->process[0];
	assert_true(m->p->is_used);
}

/* End the process, and close the segment. */
static inline void made_close(struct made *m)
{
	collect_close(m->c);
}

static inline struct segment_stack *made_stack(const struct made *m, uint32_t id)
{
	return (struct segment_stack *)((uint8_t *)m->t + TABLES_STACKS_AT + (size_t)(id - 1) * 8);
}

/* Add a stack to the bucket of hash. Returns its id. */
static inline uint32_t made_add(const struct made *m, enum stack_kind kind, uint64_t extra, uint32_t hash, uint16_t n,
				const uint64_t *pc)
{
	_Atomic uint32_t *bucket = (_Atomic uint32_t *)((uint8_t *)m->t + TABLES_BUCKETS_AT) + hash % STACK_BUCKETS;
	uint32_t id = m->t->n_words + 1;
	struct segment_stack *s = made_stack(m, id);

	m->t->n_words += (uint32_t)sizeof(*s) / 8 + n;
	s->hash = hash;
	s->kind = (uint16_t)kind;
	s->n = n;
	s->extra = extra;
	memcpy(s->pc, pc, n * sizeof(*pc));
	s->next = *bucket;
	*bucket = id;
	return id;
}

/* Make a set of two labels with id LABELS_FIRST. The keys must be sorted. */
static inline uint32_t made_labels(const struct made *m, const char *const kv[4])
{
	uint8_t *section = (uint8_t *)m->c->head + m->c->layout.section[SECTION_LABELS], *at = section + LABELS_SETS_AT;
	struct labels_set *set = (struct labels_set *)at;

	at += sizeof(*set);
	for (int i = 0; i < 4; i += 2) {
		struct labels_size n = { (uint16_t)strlen(kv[i]), (uint16_t)strlen(kv[i + 1]) };

		memcpy(at, &n, sizeof(n));
		memcpy(at + sizeof(n), kv[i], n.key + 1U);
		memcpy(at + sizeof(n) + n.key + 1, kv[i + 1], n.value + 1U);
		at += sizeof(n) + n.key + n.value + 2;
	}
	set->n_pairs = 2;
	set->n_bytes = (uint32_t)(at - section - LABELS_SETS_AT - sizeof(*set));
	((uint32_t *)(section + LABELS_INDEX_AT))[LABELS_FIRST] = 1;
	return LABELS_FIRST;
}

static inline void made_count(const struct made *m, uint32_t id, unsigned value, uint64_t n)
{
	made_stack(m, id)->value[value] += n;
}

/* Allocate or free a sampled object of size bytes that counts for weight / 1024 objects. */
static inline void made_heap(const struct made *m, uint32_t id, bool gone, uint64_t size, uint64_t weight)
{
	made_count(m, id, gone ? HEAP_FREE_OBJECTS : HEAP_ALLOC_OBJECTS, weight);
	made_count(m, id, gone ? HEAP_FREE_BYTES : HEAP_ALLOC_BYTES, weight * size);
	made_count(m, id, gone ? HEAP_FREE_SAMPLES : HEAP_ALLOC_SAMPLES, 1);
	made_count(m, id, gone ? HEAP_FREE_SAMPLED : HEAP_ALLOC_SAMPLED, size);
}

static inline struct snap *made_snap(const struct made *m, enum snap_kind kind, uint64_t custom)
{
	struct snap *s;

	assert_int_equal(snap_take(m->p, kind, custom, &s), 0);
	return s;
}

static inline const struct snap_row *made_row(const struct snap *s, size_t i)
{
	assert_true(i < s->row.n);
	return (const struct snap_row *)s->row.data + i;
}

/* The address of a frame of a row. */
static inline uint64_t made_frame(const struct snap *s, size_t row, uint32_t i)
{
	const struct snap_row *r = made_row(s, row);

	assert_true(i < r->n);
	return ((struct table_loc *)s->p->table.loc.data)[((uint32_t *)s->p->table.frames.data)[r->at + i]].addr;
}

#endif
