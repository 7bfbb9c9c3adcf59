/*
 * reduce_forest.c - sums of profiles as packed trees of callers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of a chapter are packed as they are, with the sums of their rows: those of different chapters are not compared,
 * which would take most of the time of a query. Only locations are translated.
 *
 * Values must be at least 0, and their total must not overflow: then reports of these trees are those of the same rows as a
 * profile, where the rows of several chapters are one. Otherwise, and for anything but sums of equal types, the query is read
 * again, as rows.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/radix.h"
#include "profile/edit.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>
#include <string.h>

#define FOREST_BYTES_MAX ((size_t)1 << 30) /* of packed trees */

enum { FOREST_LINES_MAX = 64 }; /* of a location; with more, view_make counts the frames of stacks */

/* The rows of a chapter that have values. */
struct forest_rows {
	uint32_t n_types;
	size_t n;
	uint32_t *row;   /* [n] ascending; may have equal ones */
	int64_t **value; /* [n_types][n] */
};

static void forest_rows_release(struct forest_rows *rows)
{
	for (uint32_t t = 0; t < rows->n_types; t++)
		free(rows->value[t]);
	free(rows->value);
	free(rows->row);
}

/* Sort rows, unless they are sorted. */
static void forest_rows_sort(struct forest_rows *rows)
{
	bool is_sorted = true;
	uint64_t *order;

	for (size_t i = 1; i < rows->n; i++)
		is_sorted &= rows->row[i - 1] <= rows->row[i];
	if (is_sorted)
		return;
	order = mem_alloc(rows->n, sizeof(*order));
	for (size_t i = 0; i < rows->n; i++)
		order[i] = (uint64_t)rows->row[i] << 32 | i;
	radix_sort_upper(order, rows->n);
	for (uint32_t t = 0; t < rows->n_types; t++) {
		int64_t *column = mem_alloc(rows->n, sizeof(*column));

		for (size_t i = 0; i < rows->n; i++)
			column[i] = rows->value[t][(uint32_t)order[i]];
		free(rows->value[t]);
		rows->value[t] = column;
	}
	for (size_t i = 0; i < rows->n; i++)
		rows->row[i] = (uint32_t)(order[i] >> 32);
	free(order);
}

/* The only sums of the slices; NULL if there are several or none. */
static struct reduce_matrix *forest_only_sums(struct reduce_slice *slice, size_t n)
{
	struct reduce_matrix *only = NULL;
	size_t n_sums = 0;

	for (size_t i = 0; i < n; i++) {
		only = slice[i].n_sums ? &slice[i].sum[0].m : only;
		n_sums += slice[i].n_sums;
	}
	return n_sums == 1 ? only : NULL;
}

/* Copy the sums of the slices [n] of a chapter, and free them. */
static void forest_rows_copy(struct reduce_slice *slice, size_t n, uint32_t n_types, struct forest_rows *out)
{
	struct forest_rows rows = { .n_types = n_types, .value = mem_zalloc(n_types, sizeof(*rows.value)) };
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < slice[i].n_sums; k++)
			rows.n += slice[i].sum[k].m.n;
	rows.row = mem_alloc(rows.n, sizeof(*rows.row));
	for (uint32_t t = 0; t < n_types; t++)
		rows.value[t] = mem_alloc(rows.n, sizeof(**rows.value));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < slice[i].n_sums; k++) {
			struct reduce_matrix *m = &slice[i].sum[k].m;

			memcpy(rows.row + at, m->row, m->n * sizeof(*m->row));
			for (uint32_t t = 0; t < n_types; t++)
				memcpy(rows.value[t] + at, m->column[t], m->n * sizeof(**m->column));
			at += m->n;
			reduce_matrix_release(m);
			*m = (struct reduce_matrix){ .n_columns = 0 };
		}
	forest_rows_sort(&rows);
	*out = rows;
}

/* Move the sums of the slices [n] of a chapter. */
static void forest_rows_collect(struct reduce_slice *slice, size_t n, uint32_t n_types, struct forest_rows *out)
{
	struct reduce_matrix *only = forest_only_sums(slice, n);

	if (!only) {
		forest_rows_copy(slice, n, n_types, out);
		return;
	}
	*out = (struct forest_rows){ n_types, only->n, only->row, only->column };
	*only = (struct reduce_matrix){ 0 };
}

/* Are all values at least 0? Add them to the totals [n_types]; false too if these overflow. */
static bool forest_add_totals(const struct forest_rows *rows, int64_t *total)
{
	for (uint32_t t = 0; t < rows->n_types; t++)
		for (size_t i = 0; i < rows->n; i++)
			if (rows->value[t][i] < 0 || num_add(&total[t], rows->value[t][i]))
				return false;
	return true;
}

/* Mark the nodes of the rows and their callers. Returns the number of their locations. */
static uint32_t forest_mark(const struct dict *d, const struct forest_rows *rows, bool *is_used)
{
	bool *has_node = mem_zalloc(d->n_locs, sizeof(*has_node));
	uint32_t n_locs = 0;

	for (size_t i = 0; i < rows->n; i++)
		if (d->row_node[rows->row[i]] != PROFILE_NONE)
			is_used[d->row_node[rows->row[i]]] = true;
	for (uint32_t i = d->n_nodes; i-- > 0;) {
		if (d->node_parent[i] != PROFILE_NONE)
			is_used[d->node_parent[i]] |= is_used[i];
		has_node[d->node_loc[i]] |= is_used[i];
	}
	for (uint32_t loc = 0; loc < d->n_locs; loc++)
		n_locs += has_node[loc];
	free(has_node);
	return n_locs;
}

/* Number the locations of used nodes in order of first use, as in a profile of these rows. */
static void forest_number_locations(const struct dict *d, const struct forest_rows *rows, uint32_t n_locs,
				    uint32_t *number, struct reduce_tree *out)
{
	memset(number, 0xff, d->n_locs * sizeof(*number));
	out->loc = mem_alloc(n_locs, sizeof(*out->loc));
	for (size_t i = 0; out->n_locs < n_locs; i++)
		for (uint32_t at = d->row_node[rows->row[i]]; at != PROFILE_NONE; at = d->node_parent[at]) {
			uint32_t loc = d->node_loc[at];

			if (number[loc] != PROFILE_NONE)
				continue;
			number[loc] = out->n_locs;
			out->loc[out->n_locs++] = loc;
		}
}

/*
 * Add up the values of each leaf location, last those of empty stacks, and let slots [n_nodes] be the indices + 1 of the values
 * of nodes. Rows of the same stack are added to the first of them.
 */
static void forest_add_leaves(const struct dict *d, const struct forest_rows *rows, const uint32_t *number,
			      uint32_t *slot, struct reduce_tree *out)
{
	enum { AHEAD = 16 };

	out->n_types = rows->n_types;
	out->leaf = mem_alloc(rows->n_types, sizeof(*out->leaf));
	for (uint32_t t = 0; t < rows->n_types; t++)
		out->leaf[t] = mem_zalloc((size_t)out->n_locs + 1, sizeof(**out->leaf));
	for (size_t i = 0; i < rows->n; i++) {
		uint32_t leaf = d->row_node[rows->row[i]];
		uint32_t at = leaf == PROFILE_NONE ? out->n_locs : number[d->node_loc[leaf]];
		size_t first = leaf != PROFILE_NONE && slot[leaf] ? slot[leaf] - 1 : i;

		if (i + AHEAD < rows->n && d->row_node[rows->row[i + AHEAD]] != PROFILE_NONE) {
			__builtin_prefetch(&slot[d->row_node[rows->row[i + AHEAD]]], 1);
			__builtin_prefetch(&d->node_loc[d->row_node[rows->row[i + AHEAD]]]);
		}
		for (uint32_t t = 0; t < rows->n_types; t++) {
			out->leaf[t][at] += rows->value[t][i];
			if (first != i)
				rows->value[t][first] += rows->value[t][i];
		}
		if (leaf != PROFILE_NONE)
			slot[leaf] = (uint32_t)first + 1;
	}
}

/* Make the tree of some rows. */
static void forest_make_tree(const struct dict *d, const struct forest_rows *rows, struct reduce_tree *out)
{
	bool *is_used = mem_zalloc(d->n_nodes, sizeof(*is_used));
	uint32_t *number = mem_alloc(d->n_locs, sizeof(*number)), *slot = mem_zalloc(d->n_nodes, sizeof(*slot));

	forest_number_locations(d, rows, forest_mark(d, rows, is_used), number, out);
	out->has_set = mem_zalloc(d->label_sets.n, sizeof(*out->has_set));
	for (size_t i = 0; i < rows->n; i++)
		out->has_set[d->row_labels[rows->row[i]]] = true;
	forest_add_leaves(d, rows, number, slot, out);
	forest_pack(&(struct forest_source){ .n_nodes = d->n_nodes,
					     .parent = d->node_parent,
					     .loc = d->node_loc,
					     .is_used = is_used,
					     .number = number,
					     .slot = slot,
					     .n_types = rows->n_types,
					     .n_values = rows->n,
					     .value = (const int64_t *const *)rows->value },
		    &out->packed);
	free(is_used);
	free(number);
	free(slot);
}

bool reduce_chapter_may_be_tree(const struct reduce_chapter *c)
{
	const struct dict *d = &c->c->dict;
	bool is_plain = true;

	for (uint32_t i = 0; i < d->n_metas; i++)
		is_plain &= !d->meta[i].drop_frames;
	for (uint32_t loc = 0; loc < d->n_locs; loc++)
		is_plain &= d->loc_line[loc + 1] - d->loc_line[loc] <= FOREST_LINES_MAX;
	for (uint32_t i = 0; i < d->n_labels; i++) /* by which a view finds samples of a base */
		is_plain &= strcmp(strtab_text(d->str, d->label_key[i]), BASE_LABEL) != 0;
	return is_plain && !c->has_order;
}

void reduce_tree_make(const struct reducer *r, struct reduce_chapter *c, struct reduce_slice *slice, size_t n)
{
	struct reduce_tree *out = &c->tree;
	uint32_t shape = PROFILE_NONE;
	struct forest_rows rows;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < slice[i].n_sums; k++) {
			uint32_t own = slice[i].sum[k].shape;

			out->is_unfit |= shape != PROFILE_NONE && own != shape;
			shape = own;
		}
	if (out->is_unfit || shape == PROFILE_NONE)
		return;
	forest_rows_collect(slice, n, r->shape[shape].n_types, &rows);
	out->total = mem_zalloc(rows.n_types, sizeof(*out->total));
	out->is_unfit = !forest_add_totals(&rows, out->total);
	if (!out->is_unfit) {
		dict_sort_nodes(&c->c->dict); /* older stores have them in order of appearance */
		forest_make_tree(&c->c->dict, &rows, out);
	}
	forest_rows_release(&rows);
}

void reduce_tree_release(struct reduce_tree *t)
{
	forest_tree_release(&t->packed);
	for (uint32_t i = 0; i < t->n_types; i++)
		free(t->leaf[i]);
	free(t->leaf);
	free(t->loc);
	free(t->total);
	free(t->has_set);
	*t = (struct reduce_tree){ 0 };
}

/* Add the values of a leaf to its row. at: number of the location in the tree, or that of empty stacks */
static int forest_join_leaf(struct reducer *r, struct reduce_chapter *c, struct reduce_bucket *b, uint32_t at,
			    struct err *err)
{
	const struct reduce_tree *t = &c->tree;
	bool has_value = false;
	uint32_t row;
	int rc;

	for (uint32_t type = 0; type < t->n_types; type++)
		has_value |= t->leaf[type][at] != 0;
	if (!has_value)
		return 0;
	rc = dict_translate_leaf(c->translation, at < t->n_locs ? t->loc[at] : PROFILE_NONE, &row, err);
	if (rc < 0)
		return rc;
	reduce_bucket_grow(r, b);
	for (uint32_t type = 0; type < t->n_types; type++)
		b->sum[type][row] += t->leaf[type][at]; /* the total does not overflow */
	return 0;
}

/* Add the tree of a chapter to the result. */
static int forest_join_tree(struct reducer *r, struct reduce_chapter *c, struct reduce_bucket *b, struct err *err)
{
	struct forest *f = &r->forest;
	struct reduce_tree *t = &c->tree;
	uint32_t id;
	int rc = 0;

	t->packed.n_locs = t->n_locs;
	t->packed.loc = mem_alloc(t->n_locs, sizeof(*t->packed.loc));
	for (uint32_t i = 0; rc == 0 && i < t->n_locs; i++)
		rc = dict_translate_location(c->translation, t->loc[i], &t->packed.loc[i], err);
	for (uint32_t i = 0; rc == 0 && i <= t->n_locs; i++)
		rc = forest_join_leaf(r, c, b, i, err);
	for (uint32_t set = 0; rc == 0 && set < c->c->dict.label_sets.n; set++)
		if (t->has_set[set])
			rc = dict_translate_label_set(c->translation, set, &id, err);
	f->tree = mem_grow(f->tree, &r->cap_trees, (size_t)f->n_trees + 1, sizeof(*f->tree));
	r->forest_bytes += t->packed.size;
	if (c->in->from == r->largest)
		r->largest_tree = f->n_trees;
	f->tree[f->n_trees++] = t->packed;
	t->packed = (struct forest_tree){ 0 };
	return rc;
}

int reduce_tree_join(struct reducer *r, struct reduce_chapter *c, struct err *err)
{
	struct reduce_tree *t = &c->tree;

	r->needs_rows |= t->is_unfit || r->bucket_keys.n > 1;
	if (r->needs_rows || !t->total || r->bucket_keys.n == 0)
		return 0;
	r->forest_total = r->forest_total ? r->forest_total : arena_zalloc(r->arena, t->n_types, sizeof(*t->total));
	for (uint32_t i = 0; i < t->n_types; i++)
		r->needs_rows |= num_add(&r->forest_total[i], t->total[i]);
	r->forest.n_types = t->n_types;
	r->needs_rows |= r->forest_bytes + t->packed.size > FOREST_BYTES_MAX;
	return r->needs_rows ? 0 : forest_join_tree(r, c, &r->bucket[0], err);
}

void reduce_forest_release(struct forest *f)
{
	for (uint32_t i = 0; i < f->n_trees; i++)
		forest_tree_release(&f->tree[i]);
	free(f->tree);
	*f = (struct forest){ 0 };
}

uint32_t *reduce_forest_order(const struct reducer *r)
{
	uint32_t *order = mem_alloc(r->dict.n_locs, sizeof(*order)), n = 0;
	bool *is_listed = mem_zalloc(r->dict.n_locs, sizeof(*is_listed));

	if (r->largest && r->largest_tree < r->forest.n_trees) {
		const struct forest_tree *t = &r->forest.tree[r->largest_tree];

		for (; n < t->n_locs; n++) {
			order[n] = t->loc[n];
			is_listed[t->loc[n]] = true;
		}
	}
	for (uint32_t loc = 0; loc < r->dict.n_locs; loc++)
		if (!is_listed[loc])
			order[n++] = loc;
	free(is_listed);
	return order;
}

void reduce_forest_finish(struct reducer *r, const uint32_t *loc, struct profile *p)
{
	struct forest *f = arena_alloc(p->mem, 1, sizeof(*f));

	for (uint32_t i = 0; i < r->forest.n_trees; i++) {
		struct forest_tree *t = &r->forest.tree[i];

		for (uint32_t k = 0; k < t->n_locs; k++)
			t->loc[k] = loc[t->loc[k]];
		arena_own(p->mem, t->loc);
		arena_own(p->mem, t->like);
		arena_own(p->mem, t->factor);
		arena_own(p->mem, (void *)(uintptr_t)t->data);
	}
	*f = r->forest;
	arena_own(p->mem, f->tree);
	r->forest = (struct forest){ 0 };
	p->forest = f->n_trees ? f : NULL;
}
