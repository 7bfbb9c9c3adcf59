/*
 * counts.c - what a process counts per stack, in its tables of the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program may write anything into its tables. So every number is read once and checked, and a stack
 * is taken once: where a chain comes to one that is known it ends, also when it goes in a circle. New
 * stacks come in front of their chain. All together never take more words than the tables have, so a
 * program cannot have us keep more by letting stacks overlap.
 */
#include "config.h"

#include "libcpaprof/collector/counts.h"

#include "libcpaprof/collector/collect_int.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD_WORDS = sizeof(struct segment_stack) / 8, QUIET_DRAINS = 2, KNOWN_SIZE = STACK_WORDS_MOST / 64 * 8 + 8 };

#define VALUE_MOST (INT64_MAX / 2)

static struct segment_tables *tables_at(const struct collect *c, uint32_t i)
{
	return (struct segment_tables *)((uint8_t *)c->head + c->at.section[SECTION_TABLES] + (size_t)i * TABLES_SIZE);
}

/* The process's own. It may claim them at any time. */
static bool find_tables(struct process *p, uint32_t slot)
{
	for (uint32_t i = 0; i < p->c->at.n_tables && !p->counts.tables; i++) {
		struct segment_tables *t = tables_at(p->c, i);

		if (atomic_load_explicit(&t->state, memory_order_acquire) == TABLES_LIVE &&
		    *(volatile uint32_t *)&t->proc == slot && *(volatile uint32_t *)&t->serial == p->serial)
			p->counts.tables = i + 1;
	}
	return p->counts.tables != 0;
}

static struct segment_stack *stack_at(struct segment_tables *t, uint32_t name)
{
	return (struct segment_stack *)((uint8_t *)t + TABLES_STACKS_AT + (uint64_t)(name - 1) * 8);
}

static bool is_known(const struct counts *k, uint32_t name)
{
	return k->known[name / 64] >> name % 64 & 1;
}

/* Keep a stack. Gives the next one of its chain, 0 at its end or when this one makes no sense. */
static uint32_t take(struct process *p, struct segment_tables *t, uint32_t name)
{
	struct counts *k = &p->counts;
	struct count_stack new = { .name = name }, *to;
	uint64_t pc[FRAMES_MAX];
	struct segment_stack *s;
	uint32_t next, kind;

	if (name > STACK_WORDS_MOST - HEAD_WORDS || is_known(k, name))
		return 0;
	s = stack_at(t, name);
	next = atomic_load_explicit(&s->next, memory_order_acquire);
	kind = *(volatile uint16_t *)&s->kind;
	new.n = *(volatile uint16_t *)&s->n;
	new.label = *(volatile uint32_t *)&s->label;
	new.extra = *(volatile uint64_t *)&s->extra;
	new.kind = (enum stack_kind)kind;
	if (kind >= N_STACK_KINDS || new.n > FRAMES_MAX || name - 1 + HEAD_WORDS + new.n > STACK_WORDS_MOST ||
	    HEAD_WORDS + new.n > STACK_WORDS_MOST - k->words)
		return 0;
	memcpy(pc, s->pc, new.n * sizeof(*pc));
	to = vec_room(&k->stack, 1, sizeof(*to), STACK_WORDS_MOST);
	if (!to || !table_frames(&p->table, pc, new.n, &new.at))
		return 0;
	*to = new;
	k->stack.n++;
	k->words += HEAD_WORDS + new.n;
	k->known[name / 64] |= 1ULL << name % 64;
	return next;
}

void counts_drain(struct process *p, uint32_t slot, bool all)
{
	struct counts *k = &p->counts;
	const _Atomic uint32_t *bucket;
	struct segment_tables *t;
	uint32_t n_words;

	if (!k->tables && !find_tables(p, slot))
		return;
	if (!k->known)
		k->known = memory_map(KNOWN_SIZE);
	if (!k->known)
		return;
	t = tables_at(p->c, k->tables - 1);
	/* a stack is linked a moment after it took its words */
	n_words = atomic_load_explicit(&t->n_words, memory_order_relaxed);
	k->n_quiet = n_words == k->n_words ? k->n_quiet + 1 : 0;
	k->n_words = n_words;
	if (k->n_quiet > QUIET_DRAINS && !all)
		return;
	bucket = (const _Atomic uint32_t *)((uint8_t *)t + TABLES_BUCKETS_AT);
	for (uint32_t i = 0; i < STACK_BUCKETS; i++) {
		uint32_t name = atomic_load_explicit(&bucket[i], memory_order_acquire);

		while (name)
			name = take(p, t, name);
	}
}

static void read_values(const _Atomic uint64_t *value, enum stack_kind kind, uint64_t out[STACK_VALUES])
{
	/* what went, before what came; of other kinds the later values are those that went */
	static const uint8_t heap[STACK_VALUES] = { HEAP_FREE_OBJECTS,  HEAP_FREE_BYTES,    HEAP_FREE_SAMPLES,
						    HEAP_FREE_SAMPLED,  HEAP_ALLOC_OBJECTS, HEAP_ALLOC_BYTES,
						    HEAP_ALLOC_SAMPLES, HEAP_ALLOC_SAMPLED };

	for (int i = 0; i < STACK_VALUES; i++) {
		int which = kind == STACK_HEAP ? heap[i] : STACK_VALUES - 1 - i;
		uint64_t v = atomic_load_explicit(&value[which], memory_order_acquire);

		out[which] = v <= VALUE_MOST ? v : VALUE_MOST;
	}
}

void counts_values(const struct process *p, const struct count_stack *s, uint64_t out[STACK_VALUES])
{
	read_values(stack_at(tables_at(p->c, p->counts.tables - 1), s->name)->value, s->kind, out);
}

void counts_full(const struct process *p, enum stack_kind kind, uint64_t out[STACK_VALUES])
{
	memset(out, 0, STACK_VALUES * sizeof(*out));
	if (p->counts.tables)
		read_values(tables_at(p->c, p->counts.tables - 1)->full[kind], kind, out);
}

const struct count_stack *counts_created(struct process *p, uint32_t tid)
{
	struct counts *k = &p->counts;
	const struct count_stack *stack = k->stack.data;
	const _Atomic uint64_t *created;
	uint64_t word;

	if (!k->tables || !k->stack.n)
		return NULL;
	created = (const _Atomic uint64_t *)((uint8_t *)tables_at(p->c, k->tables - 1) + TABLES_CREATED_AT);
	word = atomic_load_explicit(&created[tid % CREATED_SLOTS], memory_order_acquire);
	if (word >> 32 != tid)
		return NULL;
	/* most threads come from the same place */
	for (size_t i = 0; i < k->stack.n; i++) {
		size_t at = (k->created + i) % k->stack.n;

		if (stack[at].name == (uint32_t)word && stack[at].kind == STACK_CREATE) {
			k->created = (uint32_t)at;
			return &stack[at];
		}
	}
	return NULL;
}

/* Memory of a file in memory that is no longer there is zeros, and what is zeros is free. */
static void give_back(const struct collect *c, uint32_t i)
{
	off_t at = (off_t)(c->at.section[SECTION_TABLES] + (uint64_t)i * TABLES_SIZE);

	if (fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, TABLES_SIZE) == 0)
		return;
	memset((uint8_t *)tables_at(c, i) + SEGMENT_PAGE, 0, TABLES_SIZE - SEGMENT_PAGE);
	atomic_store_explicit(&tables_at(c, i)->state, TABLES_FREE, memory_order_release);
}

void counts_release(struct process *p)
{
	if (p->counts.tables && p->ended)
		give_back(p->c, p->counts.tables - 1);
	memory_unmap(p->counts.known, KNOWN_SIZE);
	vec_release(&p->counts.stack, sizeof(struct count_stack));
	p->counts = (struct counts){ 0 };
}
