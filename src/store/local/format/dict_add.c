/*
 * dict_add.c - express a profile by the entries of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/radix.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = DICT_PATHS };

/* A profile that is being added. */
struct dict_add_adder {
	struct dict *d;
	const struct profile *p;
	struct merge_ids *ids; /* ids->stack contains leaf nodes */
	uint32_t *path;        /* [cap_path] dict_path_hash of the frames of new stacks, root first */
	size_t cap_path;
	uint64_t *cell; /* [n_cells] row of the dictionary << 32 | row of the profile, with values other than 0 */
	uint32_t n_cells;
};

/* --- meta --- */

static struct value_type dict_add_type(struct dict_add_adder *a, const struct value_type *t)
{
	return (struct value_type){ merge_ids_text(a->ids, a->p, t->name), merge_ids_text(a->ids, a->p, t->unit) };
}

static struct dict_place make_place(struct dict_add_adder *a, const struct mapping *map, uint32_t id)
{
	return (struct dict_place){ .map = id,
				    .start = map->start,
				    .limit = map->limit,
				    .file = merge_ids_text(a->ids, a->p, map->file),
				    .kernel_symbol = merge_ids_text(a->ids, a->p, map->kernel_symbol),
				    .has_functions = map->has_functions,
				    .has_filenames = map->has_filenames,
				    .has_line_numbers = map->has_line_numbers,
				    .has_inline_frames = map->has_inline_frames };
}

/* Of equal mappings of the profile, the first one counts, as in a merged profile. */
static int dict_add_places(struct dict_add_adder *a, struct dict_meta *m, struct err *err)
{
	const struct profile *p = a->p;
	uint32_t id;
	bool *seen;

	for (uint32_t i = 0; i < p->n_maps; i++)
		if (merge_ids_mapping(a->ids, i, &id, err) < 0)
			return ERR_LIMIT;
	seen = mem_zalloc(a->d->n_maps, sizeof(*seen));
	for (uint32_t i = 0; i < p->n_maps; i++) {
		id = a->ids->map[i];
		if (!seen[id])
			m->place[m->n_places++] = make_place(a, &p->map[i], id);
		seen[id] = true;
	}
	free(seen);
	return 0;
}

/* As in a merged profile, a comment occurs once. */
static void dict_add_comments(struct dict_add_adder *a, struct dict_meta *m)
{
	struct idtab seen;

	idtab_init(&seen, a->p->meta.n_comments);
	for (uint32_t i = 0; i < a->p->meta.n_comments; i++) {
		str_id text = merge_ids_text(a->ids, a->p, a->p->meta.comment[i]), id;
		uint64_t h = hash_u64(text);
		bool is_double = false;

		for (size_t pos = idtab_start(&seen, h); idtab_next(&seen, h, &pos, &id);)
			is_double |= id == text;
		if (is_double)
			continue;
		idtab_put(&seen, h, text);
		m->comment[m->n_comments++] = text;
	}
	idtab_release(&seen);
}

static int store_dict_add_meta(struct dict_add_adder *a, uint32_t *id, struct err *err)
{
	const struct profile_meta *own = &a->p->meta;
	uint32_t n_types = a->p->n_types;
	struct dict_meta m = { .n_types = n_types,
			       .type = mem_alloc(n_types, sizeof(*m.type)),
			       .temporality = mem_alloc(n_types, sizeof(*m.temporality)),
			       .period = own->period,
			       .period_type = dict_add_type(a, &own->period_type),
			       .has_period_type = own->has_period_type,
			       .default_type = merge_ids_text(a->ids, a->p, own->default_type),
			       .drop_frames = merge_ids_text(a->ids, a->p, own->drop_frames),
			       .keep_frames = merge_ids_text(a->ids, a->p, own->keep_frames),
			       .doc_url = merge_ids_text(a->ids, a->p, own->doc_url),
			       .comment = mem_alloc(own->n_comments, sizeof(*m.comment)),
			       .place = mem_alloc(a->p->n_maps, sizeof(*m.place)) };
	int rc;

	for (uint32_t t = 0; t < n_types; t++) {
		m.type[t] = dict_add_type(a, &a->p->type[t]);
		m.temporality[t] = profile_temporality(a->p, t);
	}
	dict_add_comments(a, &m);
	rc = dict_add_places(a, &m, err);
	if (rc == 0)
		rc = dict_add_meta(a->d, &m, id, err);
	free(m.type);
	free(m.temporality);
	free(m.comment);
	free(m.place);
	return rc;
}

/* --- rows --- */

/* A stack to add; its locations are ids->list[start .. start + n). */
struct dict_add_new_stack {
	uint32_t stack;
	size_t start, n;
	uint64_t hash; /* the builder_stack_hash */
	bool has_path; /* was its part of a->path computed? */
};

static void dict_add_hash_path(struct dict_add_adder *a, struct dict_add_new_stack *s)
{
	const uint32_t *locs = a->ids->list + s->start;
	uint32_t h = 0, *path;

	a->path = mem_grow(a->path, &a->cap_path, s->start + s->n, sizeof(*a->path));
	path = a->path + s->start;
	for (size_t i = 0; i < s->n; i++)
		path[i] = h = dict_path_hash(h, locs[s->n - 1 - i]);
	s->has_path = true;
}

/* Read the nodes with which the stacks will be compared. */
static void dict_add_prefetch_stacks(struct dict_add_adder *a, struct dict_add_new_stack *s, uint32_t n)
{
	const struct idtab *leaves = &a->d->index->leaves;
	uint32_t guess[BATCH_ROWS];

	for (uint32_t i = 0; i < n; i++) {
		size_t pos = idtab_start(leaves, s[i].hash);

		if (idtab_next(leaves, s[i].hash, &pos, &guess[i]))
			continue;
		dict_add_hash_path(a, &s[i]);
		dict_prefetch_stack(a->d, a->path + s[i].start, s[i].n);
	}
	for (uint32_t i = 0; i < n; i++)
		if (s[i].has_path)
			guess[i] = dict_guess_stack(a->d, a->path + s[i].start, s[i].n);
	dict_prefetch_paths(a->d, guess, n);
}

static int dict_add_one_stack(struct dict_add_adder *a, struct dict_add_new_stack *s, struct err *err)
{
	const uint32_t *locs = a->ids->list + s->start;
	uint32_t *node = &a->ids->stack[s->stack];

	if (s->n == 0 || dict_find_stack(a->d, locs, s->n, s->hash, node))
		return 0;
	if (!s->has_path)
		dict_add_hash_path(a, s);
	return dict_add_stack(a->d, locs, s->n, s->hash, a->path + s->start, node, err);
}

/* Set ids->stack for the stacks of rows; cache misses of all of them overlap. */
static int dict_add_stacks(struct dict_add_adder *a, const uint32_t *row, uint32_t n_rows, struct err *err)
{
	struct merge_ids *ids = a->ids;
	struct dict_add_new_stack new_stacks[BATCH_ROWS];
	uint32_t n_new = 0;
	size_t end = 0;

	for (uint32_t i = 0; i < n_rows; i++) {
		struct dict_add_new_stack *s = &new_stacks[n_new];

		*s = (struct dict_add_new_stack){ .stack = a->p->stack[row[i]], .start = end };
		if (ids->stack[s->stack] != PROFILE_NONE)
			continue;
		if (merge_ids_frames(ids, s->stack, &end, err) < 0)
			return ERR_LIMIT;
		s->n = end - s->start;
		s->hash = builder_stack_hash(ids->list + s->start, s->n);
		idtab_prefetch(&a->d->index->leaves, s->hash);
		n_new++;
	}
	dict_add_prefetch_stacks(a, new_stacks, n_new);
	for (uint32_t i = 0; i < n_new; i++)
		if (dict_add_one_stack(a, &new_stacks[i], err) < 0)
			return ERR_LIMIT;
	return 0;
}

static int add_batch(struct dict_add_adder *a, const uint32_t *row, uint32_t n, struct err *err)
{
	uint32_t set[BATCH_ROWS];

	assert(n <= BATCH_ROWS);
	if (dict_add_stacks(a, row, n, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < n; i++) {
		if (merge_ids_labels(a->ids, a->p->labels[row[i]], &set[i], err) < 0)
			return ERR_LIMIT;
		dict_prefetch_row(a->d, a->ids->stack[a->p->stack[row[i]]]);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id;

		if (dict_add_row(a->d, a->ids->stack[a->p->stack[row[i]]], set[i], &id, err) < 0)
			return ERR_LIMIT;
		a->cell[a->n_cells++] = (uint64_t)id << 32 | row[i];
	}
	return 0;
}

static int dict_add_rows(struct dict_add_adder *a, struct err *err)
{
	uint32_t row[BATCH_ROWS], n = 0;

	for (uint32_t i = 0; i < a->p->n_rows; i++) {
		if (!profile_row_is_zero(a->p, i))
			row[n++] = i;
		if (n == BATCH_ROWS) {
			if (add_batch(a, row, n, err) < 0)
				return ERR_LIMIT;
			n = 0;
		}
	}
	return add_batch(a, row, n, err);
}

/* --- values --- */

static int dict_add_sum_overflow(const struct dict_add_adder *a, uint32_t row, uint32_t t, struct err *err)
{
	return err_set(err, ERR_RANGE,
		       "sample %" PRIu32 ": the sum of %.100s for this stack and these labels overflows 64 bits",
		       row + 1, profile_text(a->p, a->p->type[t].name));
}

/* Add the values of the cells, which are sorted, by row. Returns the number of rows in *n. */
static int dict_add_values(const struct dict_add_adder *a, struct stored *out, struct err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n_cells; i++) {
		uint32_t id = (uint32_t)(a->cell[i] >> 32), row = (uint32_t)a->cell[i];
		bool is_new = i == 0 || out->row[n - 1] != id;

		if (is_new)
			out->row[n++] = id;
		for (uint32_t t = 0; t < out->n_columns; t++) {
			int64_t v = a->p->value[t][row], *sum = &out->value[(size_t)t * a->n_cells + n - 1];

			if (is_new)
				*sum = v;
			else if (num_add(sum, v))
				return dict_add_sum_overflow(a, row, t, err);
		}
	}
	out->n = n;
	return 0;
}

/* Remove rows whose values are all 0 after adding, and the room between columns. */
static void compact_values(struct stored *s, size_t column_cells)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		bool has_value = false;

		for (uint32_t t = 0; t < s->n_columns; t++)
			has_value |= s->value[t * column_cells + i] != 0;
		if (!has_value)
			continue;
		for (uint32_t t = 0; t < s->n_columns; t++)
			s->value[t * column_cells + n] = s->value[t * column_cells + i];
		s->row[n++] = s->row[i];
	}
	for (uint32_t t = 1; t < s->n_columns; t++)
		memmove(s->value + (size_t)t * n, s->value + t * column_cells, n * sizeof(*s->value));
	s->n = n;
}

static int dict_add_all(struct dict_add_adder *a, struct stored *out, struct err *err)
{
	const struct profile *p = a->p;
	int rc = store_dict_add_meta(a, &out->meta, err);

	if (rc == 0)
		rc = dict_add_rows(a, err);
	if (rc < 0)
		return rc;
	radix_sort_upper(a->cell, a->n_cells);
	out->start_ns = p->meta.time_ns;
	out->duration_ns = p->meta.duration_ns;
	out->n_columns = p->n_types;
	out->row = mem_alloc(a->n_cells, sizeof(*out->row));
	out->value = mem_alloc((size_t)out->n_columns * a->n_cells, sizeof(*out->value));
	rc = dict_add_values(a, out, err);
	if (rc == 0)
		compact_values(out, a->n_cells);
	return rc;
}

int dict_add_profile(struct dict *d, const struct profile *p, struct stored *out, struct err *err)
{
	struct dict_add_adder a = { .d = d, .p = p };
	struct stored s = { 0 };
	int rc = dict_index_make(d, err);

	if (rc < 0)
		return rc;
	a.ids = &d->index->ids;
	a.cell = mem_alloc(p->n_rows, sizeof(*a.cell));
	merge_ids_set_source(a.ids, p, false);
	rc = dict_add_all(&a, &s, err);
	free(a.path);
	free(a.cell);
	dict_count_memory(d);
	if (rc < 0)
		dict_release_stored(&s);
	else
		*out = s;
	return rc;
}
