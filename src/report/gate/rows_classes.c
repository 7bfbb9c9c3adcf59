/*
 * rows_classes.c - stacks that count for the same rows are one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are grouped by the cells of their leaves first. Then threads take cells side by side, each looking for equal
 * lists in what fits a cache.
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

enum {
	AHEAD = 8, /* stacks between asking for a list and needing it */
	LINE = 16, /* numbers of a cache line */
};

struct classing {
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

/* Picks become rows. The hash of a list does not depend on its order. */
static void run_rows(void *arg, unsigned part)
{
	const struct classing *w = arg;
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

/* What picks add to the hash of a list. */
static uint64_t *hash_picks(const struct classing *w)
{
	uint64_t *hash = mem_alloc((size_t)w->p->n + 1, sizeof(*hash));

	for (uint32_t i = 0; i < w->p->n; i++)
		hash[i] = w->row_of[i] == GATE_NO_FUNC ? 0 : hash_u64(w->row_of[i]);
	return hash;
}

static void order_by_cell(struct classing *w)
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
}

static void add_values(const struct classing *w, uint32_t stack, uint32_t id, bool is_new)
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
		uint32_t hash, class; /* + 1 behind the cell's first one; 0 is empty */
	} * slot;
	size_t cap, mask;
	uint32_t *seen, look; /* [rows] the last comparison with it */
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

static void append(const struct classing *w, struct gate_class_part *part, const uint32_t *list, uint32_t n)
{
	uint32_t class = part->first + part->n++;
	size_t start = class_start(w->out, part, class);

	part->row = mem_grow(part->row, &part->cap, start + n + 1, sizeof(*part->row));
	memcpy(part->row + start, list, n * sizeof(*list));
	w->out->end[class] = start + n;
	for (uint32_t i = 0; i < n; i++)
		part->count[list[i]]++;
}

/* Do lists of n have the same rows? Nearly always in the same order too. */
static bool is_equal(struct table *t, const uint32_t *a, const uint32_t *b, uint32_t n)
{
	if (memcmp(a, b, n * sizeof(*a)) == 0)
		return true;
	t->look++;
	for (uint32_t i = 0; i < n; i++)
		t->seen[a[i]] = t->look;
	for (uint32_t i = 0; i < n; i++)
		if (t->seen[b[i]] != t->look)
			return false;
	return true;
}

/* The class of a stack among those of its cell, the first of which is given. */
static uint32_t find(const struct classing *w, struct gate_class_part *part, struct table *t, uint32_t stack,
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

/* Cells whose stacks begin in the part. */
static uint32_t cell_at(const struct classing *w, unsigned part)
{
	return (uint32_t)lower_bound_u32(w->off, w->p->n_cells, (uint64_t)w->l->n * part / w->n_parts);
}

/* Ask for what a stack has that comes later. */
static void prefetch(const struct classing *w, uint32_t i)
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
	const struct classing *w = arg;
	struct gate_class_part *part = &w->out->part[number];
	uint32_t from = cell_at(w, number);
	uint32_t end = number + 1 == w->n_parts ? w->p->n_cells : cell_at(w, number + 1);
	struct table table = { 0 };

	part->first = from < end ? w->off[from] : 0;
	part->cap = (size_t)w->l->off[w->l->n] + 1; /* more than it can need, so that it never moves */
	part->row = mem_alloc_large(part->cap, sizeof(*part->row));
	part->count = mem_zalloc((size_t)w->n_rows + 1, sizeof(*part->count));
	table.seen = mem_zalloc((size_t)w->n_rows + 1, sizeof(*table.seen));
	for (uint32_t cell = from; cell < end; cell++) {
		uint32_t first = part->first + part->n;

		table_clear(&table, w->off[cell + 1] - w->off[cell]);
		for (uint32_t i = w->off[cell]; i < w->off[cell + 1]; i++) {
			uint32_t known = part->n, id;

			prefetch(w, i);
			id = find(w, part, &table, w->order[i], first);
			w->out->cell[id] = cell;
			add_values(w, w->order[i], id, part->n > known);
		}
	}
	free(table.slot);
	free(table.seen);
}

/* Classes of the parts, moved together. */
static void close_up(const struct classing *w)
{
	struct gate_classes *out = w->out;

	for (unsigned number = 0; number < w->n_parts; number++) {
		struct gate_class_part *part = &out->part[number];
		uint32_t from = part->first, n = part->n;

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
	struct classing w = {
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
	close_up(&w);
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
