/*
 * rows_classes.c - list the picks of stacks, and group stacks with the same rows into classes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * To list the picks of each stack, threads process ranges of stacks in parallel. The same pass computes the sum of
 * every pick in every range: functions whose sums in the ranges differ cannot have nearly the same samples, so they
 * need no closer comparison.
 *
 * To find the classes, stacks are grouped by the cells of their leaves first. Then threads process cells in parallel,
 * and each compares lists within a table that fits a cache.
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
	SUMS_MAX = 1 << 20,    /* approximate max of ranges * picks */
	STACKS_MIN = 20000,    /* with fewer stacks, a second thread does not pay off */
	BLOCK = 1 << 20,       /* picks in a block of lists */
	PREFETCH_DISTANCE = 8, /* stacks between prefetching a list and reading it */
	LINE = 32,             /* number of picks in a cache line */
};

#define SEVERAL UINT16_MAX

/* Leaf data of a location. */
struct leaf {
	uint32_t flat; /* pick of the first function of the location, else GATE_NO_FUNC */
	uint32_t cell; /* cell of the leaf; GATE_NO_CELL if the location alone does not determine it */
};

struct list_builder {
	const struct gate_picks *p;
	struct gate_lists *out;
	uint32_t *first; /* [s->n_stacks + 1] list of the first stack of each file */
	struct located {
		uint16_t *pick;    /* [locations] the only cum pick, p->n for none, or SEVERAL */
		struct leaf *leaf; /* [locations] */
	} * at;                    /* [s->n_stacks] */
	double *sum;               /* [ranges * picks * sides] */
};

/* Data of a thread that lists stacks. */
struct lister {
	const struct list_builder *w;
	struct arena *mem;
	uint16_t *pick; /* buffer for lists */
	size_t n_free;
	uint32_t *seen; /* [picks + 1] last list that contains the pick, + 1; the last element is for no pick */
	struct gate_frames frames;
};

static uint32_t range_start(const struct gate_lists *l, uint32_t range)
{
	return (uint32_t)((uint64_t)l->n * range / l->n_ranges);
}

/* Find the picks of the locations of a file. */
static void locate(const struct gate_picks *p, const struct gate_stacks *s, struct located *out)
{
	out->pick = mem_alloc((size_t)s->funcs.n + 1, sizeof(*out->pick));
	out->leaf = mem_alloc((size_t)s->funcs.n + 1, sizeof(*out->leaf));
	for (uint32_t loc = 0; loc < s->funcs.n; loc++) {
		const uint32_t *func = s->funcs.item + s->funcs.off[loc], *end = s->funcs.item + s->funcs.off[loc + 1];

		out->pick[loc] = (uint16_t)p->n;
		out->leaf[loc] = (struct leaf){ GATE_NO_FUNC, GATE_NO_CELL };
		if (func < end && !p->s->folds[*func])
			out->leaf[loc] = (struct leaf){ p->flat[*func], p->leaf_cell[*func] };
		for (; func < end; func++)
			if (p->cum[*func] != GATE_NO_FUNC)
				out->pick[loc] = out->pick[loc] == p->n ? (uint16_t)p->cum[*func] : SEVERAL;
	}
}

/* Append the cum picks of functions that are not in list i yet. Branch-free, as in sum_walk.c. */
static uint16_t *rows_classes_add_functions(const struct lister *t, uint32_t i, const uint32_t *func,
					    const uint32_t *end, uint16_t *out)
{
	const struct gate_picks *p = t->w->p;

	for (; func < end; func++) {
		uint32_t pick = p->cum[*func] < p->n ? p->cum[*func] : p->n;

		*out = (uint16_t)pick;
		out += t->seen[pick] != i + 1;
		t->seen[pick] = i + 1;
	}
	return out;
}

/* Append the cum picks of the functions of all locations of a stack that are not in list i yet. */
static uint16_t *rows_classes_add_locations(const struct lister *t, uint32_t i, uint32_t file, uint32_t stack,
					    uint16_t *out)
{
	const struct gate_stacks *s = &t->w->p->s->stacks[file];
	const uint16_t *at = t->w->at[file].pick;
	uint32_t *seen = t->seen;

	for (uint32_t k = s->stacks.off[stack]; k < s->stacks.off[stack + 1]; k++) {
		uint32_t loc = stack_id_at(&s->stacks, k);
		uint16_t pick = at[loc];

		if (pick == SEVERAL) {
			out = rows_classes_add_functions(t, i, s->funcs.item + s->funcs.off[loc],
							 s->funcs.item + s->funcs.off[loc + 1], out);
			continue;
		}
		*out = pick;
		out += seen[pick] != i + 1;
		seen[pick] = i + 1;
	}
	return out;
}

/* Find the leaf of a stack, and prefetch that of a later one. Returns false if the functions must be read. */
static bool rows_classes_find_leaf(const struct gate_stacks *s, const struct leaf *of, uint32_t stack, struct leaf *out)
{
	const struct stack_lists *stacks = &s->stacks;
	uint32_t at = stacks->off[stack],
		 later = stack + PREFETCH_DISTANCE < stacks->n ? stacks->off[stack + PREFETCH_DISTANCE] : at;

	if (later < stacks->off[stacks->n])
		__builtin_prefetch(&of[stack_id_at(stacks, later)]);
	if (at == stacks->off[stack + 1])
		return false;
	*out = of[stack_id_at(stacks, at)];
	return out->cell != GATE_NO_CELL;
}

/* Fill in list i from a stack of a file. */
static void list_stack(struct lister *t, uint32_t i, uint32_t file, uint32_t stack)
{
	const struct gate_picks *p = t->w->p;
	const struct gate_stacks *s = &p->s->stacks[file];
	struct gate_list list = { .cell = GATE_NO_CELL, .pick = t->pick, .value = s->value[stack] };
	struct leaf leaf;
	uint16_t *out = t->pick;

	t->seen[p->n] = i + 1;
	if (list.value > 0 && rows_classes_find_leaf(s, t->w->at[file].leaf, stack, &leaf)) {
		list.cell = leaf.cell;
		*out = (uint16_t)leaf.flat;
		out += leaf.flat != GATE_NO_FUNC;
		out = rows_classes_add_locations(t, i, file, stack, out);
	} else if (list.value > 0) {
		gate_frames_find(s, p->s->folds, stack, &t->frames);
		list.cell = 0;
		if (t->frames.func < t->frames.end) {
			list.cell = p->leaf_cell[*t->frames.func];
			*out = (uint16_t)p->flat[*t->frames.func];
			out += p->flat[*t->frames.func] != GATE_NO_FUNC;
			out = rows_classes_add_functions(t, i, t->frames.func, t->frames.end, out);
		}
	}
	list.var = s->var[stack];
	list.n = (uint32_t)(out - t->pick);
	t->n_free -= list.n;
	t->pick = out;
	t->w->out->list[i] = list;
}

/* Reserve space for a list of any length. Unused memory is not committed. */
static void rows_classes_reserve(struct lister *t)
{
	size_t n = (size_t)t->w->p->n + 2;

	if (n <= t->n_free)
		return;
	t->n_free = n + BLOCK;
	t->pick = arena_own(t->mem, mem_alloc_large(t->n_free, sizeof(*t->pick)));
}

static void list_range(struct lister *t, uint32_t range)
{
	const struct list_builder *w = t->w;
	const struct gate_sums *s = w->p->s;
	double *sum = w->sum + (size_t)range * w->p->n * N_SIDES;
	uint32_t end = range_start(w->out, range + 1), file = 0;

	for (uint32_t i = range_start(w->out, range); i < end; i++) {
		const struct gate_list *list = &w->out->list[i];

		while (i >= w->first[file + 1])
			file++;
		rows_classes_reserve(t);
		list_stack(t, i, file, i - w->first[file]);
		for (uint32_t k = 0; k < list->n; k++)
			sum[(size_t)list->pick[k] * N_SIDES + s->stacks[file].side] += list->value;
	}
}

static void run_ranges(void *arg, unsigned part)
{
	const struct list_builder *w = arg;
	const struct gate_lists *out = w->out;
	struct lister t = { .w = w, .mem = out->mem[part] };
	uint32_t end = (uint32_t)((uint64_t)out->n_ranges * (part + 1) / out->n_parts);

	t.seen = mem_zalloc((size_t)w->p->n + 1, sizeof(*t.seen));
	for (uint32_t range = (uint32_t)((uint64_t)out->n_ranges * part / out->n_parts); range < end; range++)
		list_range(&t, range);
	free(t.seen);
	free(t.frames.word);
}

/* Transpose the sums, so that those of a pick are contiguous. */
static void transpose_sums(struct list_builder *w)
{
	uint32_t n = w->p->n, ranges = w->out->n_ranges;
	double *transposed = mem_alloc((size_t)n * ranges * N_SIDES + 1, sizeof(*transposed));

	for (uint32_t range = 0; range < ranges; range++)
		for (uint32_t pick = 0; pick < n; pick++)
			for (int side = 0; side < N_SIDES; side++)
				transposed[((size_t)pick * N_SIDES + side) * ranges + range] =
					w->sum[((size_t)range * n + pick) * N_SIDES + side];
	w->out->sum = transposed;
}

unsigned gate_rows_threads(uint32_t n_stacks)
{
	return n_stacks < STACKS_MIN ? 1 : pool_size();
}

/* Number the stacks of all files. Fails ERR_LIMIT. */
static int number_stacks(struct list_builder *w, struct err *err)
{
	const struct gate_sums *s = w->p->s;
	struct gate_lists *out = w->out;
	uint64_t n = 0;

	for (uint32_t file = 0; file < s->n_stacks && n < GATE_NO_CELL; file++) {
		n += s->stacks[file].stacks.n;
		w->first[file + 1] = (uint32_t)n;
		if (s->stacks[file].side == SIDE_BASE)
			out->n_base = (uint32_t)n;
	}
	if (n >= GATE_NO_CELL)
		return err_set(err, ERR_LIMIT, "the profiles have more stacks than can be compared");
	out->n = (uint32_t)n;
	return 0;
}

int gate_lists_make(const struct gate_picks *p, struct gate_lists *out, struct err *err)
{
	struct list_builder w = { .p = p, .out = out };
	uint32_t ranges = SUMS_MAX / (p->n + 1);
	int rc;

	ranges = ranges < RANGES_MIN ? RANGES_MIN : ranges > RANGES_MAX ? RANGES_MAX : ranges;
	assert(ranges >= RANGES_MIN && ranges <= RANGES_MAX);
	*out = (struct gate_lists){ .n_ranges = ranges };
	w.first = mem_zalloc((size_t)p->s->n_stacks + 1, sizeof(*w.first));
	rc = number_stacks(&w, err);
	if (rc == 0) {
		out->n_parts = gate_rows_threads(out->n);
		out->mem = mem_zalloc(out->n_parts, sizeof(struct arena *));
		for (unsigned part = 0; part < out->n_parts; part++)
			out->mem[part] = arena_new();
		out->list = mem_alloc_large((size_t)out->n + 1, sizeof(*out->list));
		w.sum = mem_zalloc((size_t)ranges * p->n * N_SIDES + 1, sizeof(*w.sum));
		w.at = mem_alloc((size_t)p->s->n_stacks + 1, sizeof(*w.at));
		for (uint32_t file = 0; file < p->s->n_stacks; file++)
			locate(p, &p->s->stacks[file], &w.at[file]);
		pool_run(run_ranges, &w, out->n_parts);
		transpose_sums(&w);
		for (uint32_t file = 0; file < p->s->n_stacks; file++) {
			free(w.at[file].pick);
			free(w.at[file].leaf);
		}
		free(w.at);
		free(w.sum);
	}
	free(w.first);
	return rc;
}

void gate_lists_release(struct gate_lists *l)
{
	for (unsigned part = 0; part < l->n_parts; part++)
		arena_free(l->mem[part]);
	free(l->mem);
	free(l->list);
	free(l->sum);
}

struct class_builder {
	const struct gate_picks *p;
	const uint32_t *row_of;
	struct gate_lists *l;
	struct gate_classes *out;
	uint64_t *hash;        /* [picks] */
	size_t n_listed;       /* total length of all lists */
	uint32_t *order, *off; /* lists of cell i are order[off[i] .. off[i + 1]) */
	uint32_t n_rows;
	unsigned n_parts;
};

/* Replace the picks of a list by rows. Returns a hash that does not depend on their order. */
static uint32_t rows_classes_find_rows(const struct class_builder *w, struct gate_list *list)
{
	uint64_t sum = 0;
	uint32_t n = 0;

	for (uint32_t k = 0; k < list->n; k++) {
		uint32_t pick = list->pick[k], row = w->row_of[pick];

		sum += w->hash[pick];
		list->pick[n] = (uint16_t)row;
		n += row != GATE_NO_FUNC;
	}
	list->n = n;
	return (uint32_t)(sum >> 32);
}

/* Contribution of every pick to the hash of a list. */
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
	for (uint32_t i = 0; i < l->n; i++) {
		w->n_listed += l->list[i].n;
		if (l->list[i].cell != GATE_NO_CELL)
			w->off[l->list[i].cell + 2]++;
	}
	for (uint32_t i = 2; i <= n_cells; i++)
		w->off[i] += w->off[i - 1];
	for (uint32_t i = 0; i < l->n; i++)
		if (l->list[i].cell != GATE_NO_CELL)
			w->order[w->off[l->list[i].cell + 1]++] = i;
	assert(w->off[n_cells] <= l->n);
}

static void rows_classes_add_values(const struct class_builder *w, uint32_t list, uint32_t id, bool is_new)
{
	struct gate_classes *out = w->out;
	enum side side = gate_list_side(w->l, list);

	for (int i = 0; is_new && i < N_SIDES; i++)
		out->value[i][id] = out->var[i][id] = 0;
	out->value[side][id] += w->l->list[list].value;
	out->var[side][id] += w->l->list[list].var;
}

struct rows_classes_table {
	struct slot {
		uint32_t hash, class; /* class: number in the cell, from 1; 0 for an empty slot */
	} * slot;
	size_t cap, mask;
	uint32_t *seen, comparison; /* [rows] number of the last comparison in which the row occurred */
};

static void table_clear(struct rows_classes_table *t, uint32_t n)
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

static void rows_classes_append(const struct class_builder *w, struct gate_class_part *part,
				const struct gate_list *list)
{
	uint32_t class = part->first + part->n++;
	size_t start = class_start(w->out, part, class);

	assert(start + list->n <= part->cap); /* run_cells has reserved the memory */
	memcpy(part->row + start, list->pick, list->n * sizeof(*list->pick));
	w->out->end[class] = start + list->n;
	for (uint32_t i = 0; i < list->n; i++)
		part->count[list->pick[i]]++;
}

/* Returns true if two lists of n rows are equal as sets. They nearly always have the same order, too. */
static bool rows_classes_is_equal(struct rows_classes_table *t, const uint16_t *a, const uint16_t *b, uint32_t n)
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

/* Find or add the class of a list among those of its cell, which start at first. */
static uint32_t find_class(const struct class_builder *w, struct gate_class_part *part, struct rows_classes_table *t,
			   struct gate_list *list, uint32_t first)
{
	uint32_t hash = rows_classes_find_rows(w, list);
	size_t pos = hash & t->mask;

	for (; t->slot[pos].class; pos = (pos + 1) & t->mask) {
		uint32_t class = first + t->slot[pos].class - 1;
		size_t start = class_start(w->out, part, class);

		if (t->slot[pos].hash == hash && w->out->end[class] - start == list->n &&
		    rows_classes_is_equal(t, part->row + start, list->pick, list->n))
			return class;
	}
	t->slot[pos] = (struct slot){ hash, part->first + part->n - first + 1 };
	rows_classes_append(w, part, list);
	return part->first + part->n - 1;
}

/* First cell whose stacks begin in the part. */
static uint32_t first_cell(const struct class_builder *w, unsigned part)
{
	return (uint32_t)lower_bound_u32(w->off, w->p->n_cells, (uint64_t)w->off[w->p->n_cells] * part / w->n_parts);
}

/*
 * Prefetch the lists that are processed soon after list i of n. Without always_inline, gcc removes the call as it has
 * no side effects.
 */
static inline __attribute__((always_inline)) void prefetch(const struct class_builder *w, uint32_t i, uint32_t n)
{
	if (i + 2 * PREFETCH_DISTANCE < n)
		__builtin_prefetch(&w->l->list[w->order[i + 2 * PREFETCH_DISTANCE]]);
	if (i + PREFETCH_DISTANCE < n) {
		const uint16_t *pick = w->l->list[w->order[i + PREFETCH_DISTANCE]].pick;

		__builtin_prefetch(pick);
		__builtin_prefetch(pick + LINE);
	}
}

static void run_cells(void *arg, unsigned number)
{
	const struct class_builder *w = arg;
	struct gate_class_part *part = &w->out->part[number];
	uint32_t from = first_cell(w, number);
	uint32_t end = number + 1 == w->n_parts ? w->p->n_cells : first_cell(w, number + 1);
	struct rows_classes_table table = { 0 };

	assert(end <= w->p->n_cells);
	part->first = from < end ? w->off[from] : 0;
	part->cap = w->n_listed + 1; /* upper bound, so it is never reallocated */
	part->row = mem_alloc_large(part->cap, sizeof(*part->row));
	part->count = mem_zalloc((size_t)w->n_rows + 1, sizeof(*part->count));
	table.seen = mem_zalloc((size_t)w->n_rows + 1, sizeof(*table.seen));
	for (uint32_t cell = from; cell < end; cell++) {
		uint32_t first = part->first + part->n;

		table_clear(&table, w->off[cell + 1] - w->off[cell]);
		for (uint32_t i = w->off[cell]; i < w->off[cell + 1]; i++) {
			uint32_t known = part->n, id;

			prefetch(w, i, w->off[end]);
			id = find_class(w, part, &table, &w->l->list[w->order[i]], first);
			w->out->cell[id] = cell;
			rows_classes_add_values(w, w->order[i], id, part->n > known);
		}
	}
	assert(part->n <= w->l->n && part->first <= w->l->n - part->n);
	free(table.slot);
	free(table.seen);
}

/* Concatenate the classes of the parts. */
static void compact_classes(const struct class_builder *w)
{
	struct gate_classes *out = w->out;

	for (unsigned number = 0; number < w->n_parts; number++) {
		struct gate_class_part *part = &out->part[number];
		uint32_t from = part->first, n = part->n;

		assert(n == 0 || out->n <= from);
		memmove(out->end + out->n, out->end + from, n * sizeof(*out->end));
		memmove(out->cell + out->n, out->cell + from, n * sizeof(*out->cell));
		for (int side = 0; side < N_SIDES; side++) {
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
	for (int side = 0; side < N_SIDES; side++) {
		out->value[side] = mem_alloc_large(n, sizeof(**out->value));
		out->var[side] = mem_alloc_large(n, sizeof(**out->var));
	}
	w.hash = hash_picks(&w);
	order_by_cell(&w);
	pool_run(run_cells, &w, w.n_parts);
	compact_classes(&w);
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
	for (int side = 0; side < N_SIDES; side++) {
		free(c->value[side]);
		free(c->var[side]);
	}
}
