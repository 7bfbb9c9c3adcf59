/*
 * rows_classes.c - from stacks to lists of picks, and to classes of stacks with the same rows
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For the lists, stacks are divided into ranges that threads process in parallel. The sums of every pick in every
 * range are added up on the way: functions that differ there cannot have nearly the same samples, which saves a closer
 * comparison.
 *
 * For the classes, stacks are grouped by the cells of their leaves first. Then threads process cells in parallel, and
 * each compares lists within a table that fits a cache.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	RANGES_MAX = 1024,
	RANGES_MIN = 16,
	SUMS_MAX = 1 << 20, /* ranges * picks, about */
	STACKS_MIN = 20000, /* fewer are not worth a second thread */
	AHEAD = 8,          /* stacks between prefetching a list and reading it */
	LINE = 16,          /* numbers of a cache line */
};

struct list_builder {
	const struct gate_picks *p;
	struct gate_lists *out;
	unsigned n_parts;
	uint64_t *first, *end; /* [parts] in out->pick */
	double *sum;           /* [ranges * picks * sides] */
};

static uint32_t range_start(const struct gate_lists *l, uint32_t range)
{
	return (uint32_t)((uint64_t)l->n * range / l->n_ranges);
}

static uint32_t part_start(const struct list_builder *w, unsigned part)
{
	return (uint32_t)((uint64_t)w->out->n_ranges * part / w->n_parts);
}

/* Write the list of stack i to at; gives its end. */
static uint32_t *list_stack(const struct gate_picks *p, uint32_t i, uint32_t *seen, uint32_t *at)
{
	const struct gate_paths *paths = &p->s->paths;
	const uint32_t *func = paths->func + paths->off[i], *end = paths->func + paths->off[i + 1];

	if (func < end && p->flat[*func] != GATE_NO_FUNC)
		*at++ = p->flat[*func];
	for (; func < end; func++) {
		uint32_t pick = p->cum[*func];

		if (pick == GATE_NO_FUNC || seen[pick] == i + 1)
			continue;
		seen[pick] = i + 1;
		*at++ = pick;
	}
	return at;
}

/* Add a stack to the sums of its picks in this range. */
static void add_sums(const struct gate_paths *paths, uint32_t i, const uint32_t *pick, const uint32_t *end, double *sum)
{
	double base = paths->value[STATS_BASE][i], new = paths->value[STATS_NEW][i];

	for (; pick < end; pick++) {
		sum[(size_t)*pick * N_STATS_SIDES + STATS_BASE] += base;
		sum[(size_t)*pick * N_STATS_SIDES + STATS_NEW] += new;
	}
}

static void run_ranges(void *arg, unsigned part)
{
	const struct list_builder *w = arg;
	struct gate_lists *out = w->out;
	const struct gate_paths *paths = &w->p->s->paths;
	uint32_t *seen = mem_zalloc((size_t)w->p->n + 1, sizeof(*seen)), *at = out->pick + w->first[part];

	for (uint32_t range = part_start(w, part); range < part_start(w, part + 1); range++) {
		double *sum = w->sum + (size_t)range * w->p->n * N_STATS_SIDES;
		uint32_t end = range_start(out, range + 1);

		for (uint32_t i = range_start(out, range); i < end; i++) {
			uint32_t *list = at;
			bool has_leaf = paths->off[i] < paths->off[i + 1];

			out->off[i] = (uint64_t)(at - out->pick);
			out->cell[i] = has_leaf ? w->p->cell[paths->func[paths->off[i]]] : 0;
			at = list_stack(w->p, i, seen, at);
			add_sums(paths, i, list, at, sum);
		}
	}
	w->end[part] = (uint64_t)(at - out->pick);
	free(seen);
}

/* Every part wrote where all of its frames had room: move the lists together. */
static void compact_lists(struct list_builder *w)
{
	struct gate_lists *out = w->out;
	uint64_t n = w->end[0];

	for (unsigned part = 1; part < w->n_parts; part++) {
		uint64_t gap = w->first[part] - n, size = w->end[part] - w->first[part];

		assert(w->first[part] >= n && w->end[part] >= w->first[part]);
		memmove(out->pick + n, out->pick + w->first[part], size * sizeof(*out->pick));
		for (uint32_t i = range_start(out, part_start(w, part)); i < range_start(out, part_start(w, part + 1));
		     i++)
			out->off[i] -= gap;
		n += size;
	}
	out->off[out->n] = n;
}

/* Make the sums of a pick contiguous, side by side. */
static void transpose_sums(struct list_builder *w)
{
	uint32_t n = w->p->n, ranges = w->out->n_ranges;
	double *transposed = mem_alloc((size_t)n * ranges * N_STATS_SIDES + 1, sizeof(*transposed));

	for (uint32_t range = 0; range < ranges; range++)
		for (uint32_t pick = 0; pick < n; pick++)
			for (int side = 0; side < N_STATS_SIDES; side++)
				transposed[((size_t)pick * N_STATS_SIDES + side) * ranges + range] =
					w->sum[((size_t)range * n + pick) * N_STATS_SIDES + side];
	w->out->sum = transposed;
}

unsigned gate_rows_threads(uint32_t n_stacks)
{
	return n_stacks < STACKS_MIN ? 1 : pool_size();
}

void gate_lists_make(const struct gate_picks *p, struct gate_lists *out)
{
	const struct gate_paths *paths = &p->s->paths;
	struct list_builder w = { .p = p, .out = out, .n_parts = gate_rows_threads(paths->n) };
	uint32_t ranges = SUMS_MAX / (p->n + 1);

	ranges = ranges < RANGES_MIN ? RANGES_MIN : ranges > RANGES_MAX ? RANGES_MAX : ranges;
	assert(ranges >= RANGES_MIN && ranges <= RANGES_MAX);
	*out = (struct gate_lists){ .n = paths->n, .n_ranges = ranges };
	out->off = mem_alloc_large((size_t)paths->n + 1, sizeof(*out->off));
	out->cell = mem_alloc_large((size_t)paths->n + 1, sizeof(*out->cell));
	out->pick = mem_alloc_large((size_t)(paths->n ? paths->off[paths->n] : 0) + paths->n + 1, sizeof(*out->pick));
	w.first = mem_alloc(w.n_parts, sizeof(*w.first));
	w.end = mem_alloc(w.n_parts, sizeof(*w.end));
	w.sum = mem_zalloc((size_t)ranges * p->n * N_STATS_SIDES + 1, sizeof(*w.sum));
	for (unsigned part = 0; part < w.n_parts; part++) {
		uint32_t from = range_start(out, part_start(&w, part));

		w.first[part] = (uint64_t)(from ? paths->off[from] : 0) + from;
	}
	pool_run(run_ranges, &w, w.n_parts);
	compact_lists(&w);
	transpose_sums(&w);
	free(w.first);
	free(w.end);
	free(w.sum);
}

void gate_lists_release(struct gate_lists *l)
{
	free(l->off);
	free(l->cell);
	free(l->pick);
	free(l->sum);
}

struct class_builder {
	const struct gate_picks *p;
	const uint32_t *row_of;
	struct gate_lists *l;
	struct gate_classes *out;
	uint64_t *hash; /* [picks] */
	struct listed {
		uint32_t n, hash;
	} * listed;            /* [stacks] rows */
	uint32_t *order, *off; /* stacks of cell i: order[off[i] .. off[i + 1]) */
	uint32_t n_rows;
	unsigned n_parts;
};

/* Replace picks by rows. The hash of a list does not depend on its order. */
static void run_rows(void *arg, unsigned part)
{
	const struct class_builder *w = arg;
	const struct gate_lists *l = w->l;
	uint32_t end = (uint32_t)((uint64_t)l->n * (part + 1) / w->n_parts);

	for (uint32_t i = (uint32_t)((uint64_t)l->n * part / w->n_parts); i < end; i++) {
		uint32_t *list = l->pick + l->off[i], n = 0, n_picks = (uint32_t)(l->off[i + 1] - l->off[i]);
		uint64_t sum = 0;

		for (uint32_t k = 0; k < n_picks; k++) {
			uint32_t pick = list[k], row = w->row_of[pick];

			sum += w->hash[pick];
			list[n] = row;
			n += row != GATE_NO_FUNC;
		}
		w->listed[i] = (struct listed){ .n = n, .hash = (uint32_t)(sum >> 32) };
	}
}

/* The part of every pick in the hash of a list. */
static uint64_t *hash_picks(const struct class_builder *w)
{
	uint64_t *hash = mem_alloc((size_t)w->p->n + 1, sizeof(*hash));

	for (uint32_t i = 0; i < w->p->n; i++)
		hash[i] = w->row_of[i] == GATE_NO_FUNC ? 0 : hash_u64(w->row_of[i]);
	return hash;
}

static void order_by_cell(struct class_builder *w)
{
	const struct gate_lists *l = w->l;
	uint32_t n_cells = w->p->n_cells;

	w->order = mem_alloc_large((size_t)l->n + 1, sizeof(*w->order));
	w->off = mem_zalloc((size_t)n_cells + 2, sizeof(*w->off));
	for (uint32_t i = 0; i < l->n; i++)
		w->off[l->cell[i] + 2]++;
	for (uint32_t i = 2; i <= n_cells; i++)
		w->off[i] += w->off[i - 1];
	for (uint32_t i = 0; i < l->n; i++)
		w->order[w->off[l->cell[i] + 1]++] = i;
	assert(w->off[n_cells] == l->n);
}

static void add_values(const struct class_builder *w, uint32_t stack, uint32_t id, bool is_new)
{
	const struct gate_paths *paths = &w->p->s->paths;
	struct gate_classes *out = w->out;

	for (int side = 0; side < N_STATS_SIDES; side++) {
		out->value[side][id] = (is_new ? 0 : out->value[side][id]) + paths->value[side][stack];
		out->var[side][id] = (is_new ? 0 : out->var[side][id]) + paths->var[side][stack];
	}
}

struct table {
	struct slot {
		uint32_t hash, class; /* 1 for the first one of the cell; 0 is empty */
	} * slot;
	size_t cap, mask;
	uint32_t *seen, comparison; /* [rows] the last comparison with it */
};

static void table_clear(struct table *t, uint32_t n)
{
	size_t size = 4;

	while (size < 2 * (size_t)n)
		size *= 2;
	t->slot = mem_grow(t->slot, &t->cap, size, sizeof(*t->slot));
	t->mask = size - 1;
	memset(t->slot, 0, size * sizeof(*t->slot));
}

static size_t class_start(const struct gate_classes *c, const struct gate_class_part *part, uint32_t class)
{
	return class > part->first ? c->end[class - 1] : 0;
}

static void append(const struct class_builder *w, struct gate_class_part *part, const uint32_t *list, uint32_t n)
{
	uint32_t class = part->first + part->n++;
	size_t start = class_start(w->out, part, class);

	assert(start + n < part->cap); /* run_cells has reserved it */
	part->row = mem_grow(part->row, &part->cap, start + n + 1, sizeof(*part->row));
	memcpy(part->row + start, list, n * sizeof(*list));
	w->out->end[class] = start + n;
	for (uint32_t i = 0; i < n; i++)
		part->count[list[i]]++;
}

/* Do lists of n have the same rows? They nearly always have the same order too. */
static bool is_equal(struct table *t, const uint32_t *a, const uint32_t *b, uint32_t n)
{
	if (memcmp(a, b, n * sizeof(*a)) == 0)
		return true;
	t->comparison++;
	for (uint32_t i = 0; i < n; i++)
		t->seen[a[i]] = t->comparison;
	for (uint32_t i = 0; i < n; i++)
		if (t->seen[b[i]] != t->comparison)
			return false;
	return true;
}

/* The class of a stack among those of its cell, which start at first. */
static uint32_t find_class(const struct class_builder *w, struct gate_class_part *part, struct table *t, uint32_t stack,
			   uint32_t first)
{
	const struct listed *listed = &w->listed[stack];
	const uint32_t *list = w->l->pick + w->l->off[stack];
	size_t pos = listed->hash & t->mask;

	for (; t->slot[pos].class; pos = (pos + 1) & t->mask) {
		uint32_t class = first + t->slot[pos].class - 1;
		size_t start = class_start(w->out, part, class);

		if (t->slot[pos].hash == listed->hash && w->out->end[class] - start == listed->n &&
		    is_equal(t, part->row + start, list, listed->n))
			return class;
	}
	t->slot[pos] = (struct slot){ listed->hash, part->first + part->n - first + 1 };
	append(w, part, list, listed->n);
	return part->first + part->n - 1;
}

/* The first cell whose stacks begin in the part. */
static uint32_t first_cell(const struct class_builder *w, unsigned part)
{
	return (uint32_t)lower_bound_u32(w->off, w->p->n_cells, (uint64_t)w->l->n * part / w->n_parts);
}

/* Prefetch the data of later stacks. */
static void prefetch(const struct class_builder *w, uint32_t i)
{
	const struct gate_paths *paths = &w->p->s->paths;
	uint32_t stack;

	if (i + 2 * AHEAD < w->l->n) {
		stack = w->order[i + 2 * AHEAD];
		__builtin_prefetch(&w->l->off[stack]);
		__builtin_prefetch(&w->listed[stack]);
		for (int side = 0; side < N_STATS_SIDES; side++) {
			__builtin_prefetch(&paths->value[side][stack]);
			__builtin_prefetch(&paths->var[side][stack]);
		}
	}
	if (i + AHEAD < w->l->n) {
		const uint32_t *list = &w->l->pick[w->l->off[w->order[i + AHEAD]]];

		__builtin_prefetch(list);
		__builtin_prefetch(list + LINE);
	}
}

static void run_cells(void *arg, unsigned number)
{
	const struct class_builder *w = arg;
	struct gate_class_part *part = &w->out->part[number];
	uint32_t from = first_cell(w, number);
	uint32_t end = number + 1 == w->n_parts ? w->p->n_cells : first_cell(w, number + 1);
	struct table table = { 0 };

	assert(end <= w->p->n_cells);
	part->first = from < end ? w->off[from] : 0;
	part->cap = (size_t)w->l->off[w->l->n] + 1; /* more than it can need, so that it is never reallocated */
	part->row = mem_alloc_large(part->cap, sizeof(*part->row));
	part->count = mem_zalloc((size_t)w->n_rows + 1, sizeof(*part->count));
	table.seen = mem_zalloc((size_t)w->n_rows + 1, sizeof(*table.seen));
	for (uint32_t cell = from; cell < end; cell++) {
		uint32_t first = part->first + part->n;

		table_clear(&table, w->off[cell + 1] - w->off[cell]);
		for (uint32_t i = w->off[cell]; i < w->off[cell + 1]; i++) {
			uint32_t known = part->n, id;

			prefetch(w, i);
			id = find_class(w, part, &table, w->order[i], first);
			w->out->cell[id] = cell;
			add_values(w, w->order[i], id, part->n > known);
		}
	}
	assert(part->n <= w->l->n && part->first <= w->l->n - part->n);
	free(table.slot);
	free(table.seen);
}

/* Move the classes of the parts together. */
static void compact_classes(const struct class_builder *w)
{
	struct gate_classes *out = w->out;

	for (unsigned number = 0; number < w->n_parts; number++) {
		struct gate_class_part *part = &out->part[number];
		uint32_t from = part->first, n = part->n;

		assert(n == 0 || out->n <= from);
		memmove(out->end + out->n, out->end + from, n * sizeof(*out->end));
		memmove(out->cell + out->n, out->cell + from, n * sizeof(*out->cell));
		for (int side = 0; side < N_STATS_SIDES; side++) {
			memmove(out->value[side] + out->n, out->value[side] + from, n * sizeof(**out->value));
			memmove(out->var[side] + out->n, out->var[side] + from, n * sizeof(**out->var));
		}
		part->first = out->n;
		out->n += n;
	}
}

void gate_classes_make(const struct gate_picks *p, struct gate_lists *l, const uint32_t *row_of, uint32_t n_rows,
		       struct gate_classes *out)
{
	struct class_builder w = {
		.p = p, .row_of = row_of, .l = l, .out = out, .n_rows = n_rows, .n_parts = gate_rows_threads(l->n)
	};
	size_t n = (size_t)l->n + 1;

	*out = (struct gate_classes){ .n_parts = w.n_parts };
	out->end = mem_alloc_large(n, sizeof(*out->end));
	out->cell = mem_alloc_large(n, sizeof(*out->cell));
	out->part = mem_zalloc(w.n_parts, sizeof(*out->part));
	for (int side = 0; side < N_STATS_SIDES; side++) {
		out->value[side] = mem_alloc_large(n, sizeof(**out->value));
		out->var[side] = mem_alloc_large(n, sizeof(**out->var));
	}
	w.listed = mem_alloc_large(n, sizeof(*w.listed));
	w.hash = hash_picks(&w);
	pool_run(run_rows, &w, w.n_parts);
	order_by_cell(&w);
	pool_run(run_cells, &w, w.n_parts);
	compact_classes(&w);
	free(w.listed);
	free(w.hash);
	free(w.order);
	free(w.off);
}

void gate_classes_release(struct gate_classes *c)
{
	for (unsigned i = 0; i < c->n_parts; i++) {
		free(c->part[i].row);
		free(c->part[i].count);
	}
	free(c->part);
	free(c->end);
	free(c->cell);
	for (int side = 0; side < N_STATS_SIDES; side++) {
		free(c->value[side]);
		free(c->var[side]);
	}
}
