/*
 * view_traces_model.c - the samples of the view traces
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There are millions of samples, and what a sample has is in columns already: rows are their numbers, in another
 * order or merged where the names on their stacks are equal.
 */
#include "config.h"

#include "viewers/shell/view_traces_int.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "engine/view.h"

#include <stdlib.h>
#include <string.h>

struct hashing {
	struct samples *m;
	const uint64_t *name; /* [names] */
	const uint8_t *used;  /* [stacks] */
	unsigned parts;
};

static uint64_t hash_stack(const struct traces *t, const uint64_t *name, uint32_t stack)
{
	uint64_t hash = 1;

	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = t->stacks->item[i];

		for (uint32_t k = t->frames.off[loc]; k < t->frames.off[loc + 1]; k++)
			hash = hash_mix(hash ^ name[t->frames.item[k]], 0x9e3779b97f4a7c15);
	}
	return hash | 1;
}

static void hash_part(void *arg, unsigned part)
{
	const struct hashing *x = arg;
	const struct traces *t = x->m->t;
	uint32_t lo = csr_part(t->stacks, part, x->parts), hi = csr_part(t->stacks, part + 1, x->parts);

	for (uint32_t stack = lo; stack < hi; stack++)
		x->m->stack_hash[stack] = x->used[stack] ? hash_stack(t, x->name, stack) : 0;
}

static void hash_stacks(struct samples *m, struct arena *mem)
{
	const struct traces *t = m->t;
	uint64_t *name = mem_alloc(t->n_names, sizeof(*name));
	uint8_t *used = mem_zalloc(t->stacks->n, 1);
	struct hashing x = { .m = m, .name = name, .used = used, .parts = pool_size() };

	m->stack_hash = arena_alloc(mem, t->stacks->n, sizeof(*m->stack_hash));
	for (uint32_t i = 0; i < t->n_names; i++)
		name[i] = hash_bytes(t->name[i], strlen(t->name[i]));
	for (uint32_t i = 0; i < t->n; i++)
		used[t->stack[i]] = 1;
	pool_run(hash_part, &x, x.parts);
	free(used);
	free(name);
}

/* Where one is on the way along a stack. */
struct walk {
	const struct traces *t;
	uint32_t at, end, frame;
};

static const char *next_name(struct walk *w)
{
	const struct csr *frames = &w->t->frames;

	for (; w->at < w->end; w->at++, w->frame = 0) {
		uint32_t loc = w->t->stacks->item[w->at];

		if (frames->off[loc] + w->frame < frames->off[loc + 1])
			return w->t->name[frames->item[frames->off[loc] + w->frame++]];
	}
	return NULL;
}

/* Are the names on two stacks the same? Equal hashes are not quite enough to say so. */
static bool is_same(const struct traces *t, uint32_t a, uint32_t b)
{
	struct walk x = { t, t->stacks->off[a], t->stacks->off[a + 1], 0 },
		    y = { t, t->stacks->off[b], t->stacks->off[b + 1], 0 };
	const char *l, *r;

	do {
		l = next_name(&x);
		r = next_name(&y);
	} while (l && r && strcmp(l, r) == 0);
	return !l && !r;
}

/* The entry of a stack, made when it is the first of its kind. */
static uint32_t entry_of(struct samples *m, struct idtab *ids, uint32_t sample)
{
	uint32_t stack = m->t->stack[sample], id;
	uint64_t hash = m->stack_hash[stack];

	for (size_t pos = idtab_start(ids, hash); idtab_next(ids, hash, &pos, &id);)
		if (is_same(m->t, m->t->stack[m->first[id]], stack))
			return id;
	idtab_put(ids, hash, m->n);
	m->first[m->n] = sample;
	m->count[m->n] = 0;
	m->value[m->n] = 0;
	m->labels[m->n] = m->t->labels[sample];
	return m->n++;
}

static void merge(struct samples *m, struct arena *mem, struct stop *stop)
{
	const struct traces *t = m->t;
	uint32_t *entry = mem_alloc(t->stacks->n, sizeof(*entry)), most = t->n;
	struct idtab ids;

	memset(entry, 0xff, t->stacks->n * sizeof(*entry));
	most = most < t->stacks->n ? most : t->stacks->n;
	m->first = arena_alloc(mem, most, sizeof(*m->first));
	m->count = arena_alloc(mem, most, sizeof(*m->count));
	m->value = arena_alloc(mem, most, sizeof(*m->value));
	m->labels = arena_alloc(mem, most, sizeof(*m->labels));
	m->n = 0;
	idtab_init(&ids, 0);
	for (uint32_t i = 0; i < t->n && !stop_step(stop, i); i++) {
		uint32_t *e = &entry[t->stack[i]];

		if (*e == TRACES_NONE)
			*e = entry_of(m, &ids, i);
		m->count[*e]++;
		m->value[*e] += t->value[i]; /* within int64_t, as view_make has seen */
		if (m->labels[*e] != t->labels[i])
			m->labels[*e] = TRACES_NONE;
	}
	idtab_release(&ids);
	free(entry);
}

enum { BITS = 11, BUCKETS = 1 << BITS };

/* One pass of sorting by some bits of what is missing to the largest, which keeps equal ones in order. */
static void sort_by_bits(const int64_t *value, uint64_t most, unsigned shift, uint32_t n, const uint32_t *from,
			 uint32_t *to)
{
	uint32_t at[BUCKETS + 1] = { 0 };

#define BUCKET(i) ((most - num_abs(value[i])) >> shift & (BUCKETS - 1))
	for (uint32_t i = 0; i < n; i++)
		at[BUCKET(from[i]) + 1]++;
	for (uint32_t b = 0; b < BUCKETS; b++)
		at[b + 1] += at[b];
	for (uint32_t i = 0; i < n; i++)
		to[at[BUCKET(from[i])]++] = from[i];
#undef BUCKET
}

/* The heaviest first, equal ones as they come. */
static void sort(struct samples *m, struct arena *mem, const struct stop *stop)
{
	const int64_t *value = m->first ? m->value : m->t->value;
	uint32_t *from = arena_alloc(mem, m->n, sizeof(*from)), *to = arena_alloc(mem, m->n, sizeof(*to));
	uint64_t most = 0, least = UINT64_MAX;

	for (uint32_t i = 0; i < m->n; i++) {
		uint64_t v = num_abs(value[i]);

		from[i] = i;
		most = v > most ? v : most;
		least = v < least ? v : least;
	}
	for (unsigned shift = 0; shift < 64 && m->n && (most - least) >> shift && !stop_is_set(stop); shift += BITS) {
		uint32_t *done = to;

		sort_by_bits(value, most, shift, m->n, from, to);
		to = from;
		from = done;
	}
	m->order = from;
}

int shell_traces_model(const struct ask *a, struct model *m, struct err *err)
{
	struct samples *x = arena_zalloc(m->mem, 1, sizeof(*x));
	struct view v;
	int rc;

	m->own = x;
	/* the samples themselves: those of a base are below 0 */
	rc = view_make(a->data->p, a->q, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_traces_make(&v, a->q, &m->report, &m->notes, err);
	if (rc < 0)
		return rc;
	x->t = m->report.traces;
	x->head = &m->report.head;
	x->want = a->want;
	if (v.mean && (a->want & TRACES_MERGED)) {
		buf_addz(&m->notes, "averages do not add up: stacks stay apart\n");
		x->want &= ~(unsigned)TRACES_MERGED;
	}
	x->n = x->t->n;
	stop_begin(a->q->stop, "comparing stacks", 0);
	hash_stacks(x, m->mem);
	if (x->want & TRACES_MERGED)
		merge(x, m->mem, a->q->stop);
	if (x->want & TRACES_BY_VALUE)
		sort(x, m->mem, a->q->stop);
	for (uint32_t i = 0; i < x->t->n && !x->has_labels; i++)
		x->has_labels = x->t->set_off[x->t->labels[i]] < x->t->set_off[x->t->labels[i] + 1];
	return stop_check(a->q->stop, err);
}
