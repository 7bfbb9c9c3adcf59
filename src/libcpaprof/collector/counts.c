/*
 * counts.c - counters per stack, read from the tables of a process in the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program may write anything into its tables. So each number is read once and checked, and each stack is added
 * once: new stacks are inserted at the head of their chain, so the walk of a chain ends at the first known stack, even
 * if the chain is circular. The stacks together never take more words than the tables have, so overlapping stacks
 * cannot make us store more.
 */
#include "config.h"

#include "libcpaprof/collector/counts.h"

#include "libcpaprof/collector/collect_int.h"

#include <fcntl.h>
#include <string.h>

enum { HEAD_WORDS = sizeof(struct segment_stack) / 8, QUIET_DRAINS = 2, KNOWN_SIZE = STACK_WORDS_MAX / 64 * 8 + 8 };

#define VALUE_MAX (INT64_MAX / 2)

static struct segment_tables *tables_at(const struct collect *c, uint32_t i)
{
	return (struct segment_tables *)((uint8_t *)c->head + c->layout.section[SECTION_TABLES] +
					 (size_t)i * TABLES_SIZE);
}

/* Find the tables of the process, which may claim them at any time. */
static bool find_tables(struct process *p, uint32_t slot)
{
	for (uint32_t i = 0; i < p->c->layout.n_tables && !p->counts.tables; i++) {
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

static bool counts_is_known(const struct counts *k, uint32_t name)
{
	return k->known[name / 64] >> name % 64 & 1;
}

/* Add a stack. Returns the next stack of its chain; 0 at the end of the chain or if this stack is invalid. */
static uint32_t counts_add_stack(struct process *p, struct segment_tables *t, uint32_t name)
{
	struct counts *k = &p->counts;
	struct count_stack new = { .name = name }, *to;
	uint64_t pc[FRAMES_MAX];
	struct segment_stack *s;
	uint32_t next, kind;

	if (name > STACK_WORDS_MAX - HEAD_WORDS || counts_is_known(k, name))
		return 0;
	s = stack_at(t, name);
	next = atomic_load_explicit(&s->next, memory_order_acquire);
	kind = *(volatile uint16_t *)&s->kind;
	new.n = *(volatile uint16_t *)&s->n;
	new.label = *(volatile uint32_t *)&s->label;
	new.extra = *(volatile uint64_t *)&s->extra;
	new.kind = (enum stack_kind)kind;
	if (kind >= N_STACK_KINDS || new.n > FRAMES_MAX || name - 1 + HEAD_WORDS + new.n > STACK_WORDS_MAX ||
	    HEAD_WORDS + new.n > STACK_WORDS_MAX - k->words)
		return 0;
	memcpy(pc, s->pc, new.n * sizeof(*pc));
	to = vec_reserve(&k->stack, 1, sizeof(*to), STACK_WORDS_MAX);
	if (!to || !table_add_frames(&p->table, pc, new.n, &new.at))
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
	/* a stack is linked shortly after its words are reserved */
	n_words = atomic_load_explicit(&t->n_words, memory_order_relaxed);
	k->n_quiet = n_words == k->n_words ? k->n_quiet + 1 : 0;
	k->n_words = n_words;
	if (k->n_quiet > QUIET_DRAINS && !all)
		return;
	bucket = (const _Atomic uint32_t *)((uint8_t *)t + TABLES_BUCKETS_AT);
	for (uint32_t i = 0; i < STACK_BUCKETS; i++) {
		uint32_t name = atomic_load_explicit(&bucket[i], memory_order_acquire);

		while (name)
			name = counts_add_stack(p, t, name);
	}
}

static void counts_read_values(const _Atomic uint64_t *value, enum stack_kind kind, uint64_t out[STACK_VALUES])
{
	/* read freed before allocated; in other kinds, removed follows added, so read backwards */
	static const uint8_t heap[STACK_VALUES] = { HEAP_FREE_OBJECTS,  HEAP_FREE_BYTES,    HEAP_FREE_SAMPLES,
						    HEAP_FREE_SAMPLED,  HEAP_ALLOC_OBJECTS, HEAP_ALLOC_BYTES,
						    HEAP_ALLOC_SAMPLES, HEAP_ALLOC_SAMPLED };

	for (int i = 0; i < STACK_VALUES; i++) {
		int which = kind == STACK_HEAP ? heap[i] : STACK_VALUES - 1 - i;
		uint64_t v = atomic_load_explicit(&value[which], memory_order_acquire);

		out[which] = v <= VALUE_MAX ? v : VALUE_MAX;
	}
}

void counts_values(const struct process *p, const struct count_stack *s, uint64_t out[STACK_VALUES])
{
	counts_read_values(stack_at(tables_at(p->c, p->counts.tables - 1), s->name)->value, s->kind, out);
}

void counts_full(const struct process *p, enum stack_kind kind, uint64_t out[STACK_VALUES])
{
	memset(out, 0, STACK_VALUES * sizeof(*out));
	if (p->counts.tables)
		counts_read_values(tables_at(p->c, p->counts.tables - 1)->overflow[kind], kind, out);
}

const struct count_stack *counts_find_creator(struct process *p, uint32_t tid)
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
	/* most threads are created by the same stack */
	for (size_t i = 0; i < k->stack.n; i++) {
		size_t at = (k->created + i) % k->stack.n;

		if (stack[at].name == (uint32_t)word && stack[at].kind == STACK_CREATE) {
			k->created = (uint32_t)at;
			return &stack[at];
		}
	}
	return NULL;
}

/* Free the tables of an ended process. A hole in the memory file reads as zeros, and zeros mean free. */
static void free_tables(const struct collect *c, uint32_t i)
{
	off_t at = (off_t)(c->layout.section[SECTION_TABLES] + (uint64_t)i * TABLES_SIZE);

	if (fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, TABLES_SIZE) == 0)
		return;
	memset((uint8_t *)tables_at(c, i) + SEGMENT_PAGE, 0, TABLES_SIZE - SEGMENT_PAGE);
	atomic_store_explicit(&tables_at(c, i)->state, TABLES_FREE, memory_order_release);
}

void counts_release(struct process *p)
{
	if (p->counts.tables && p->has_ended)
		free_tables(p->c, p->counts.tables - 1);
	memory_unmap(p->counts.known, KNOWN_SIZE);
	vec_release(&p->counts.stack, sizeof(struct count_stack));
	p->counts = (struct counts){ 0 };
}
