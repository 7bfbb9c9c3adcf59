/*
 * reduce_forest.c - sums of profiles as packed trees of callers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The nodes of a chapter are packed as they are, with the sums of their rows: those of different chapters are not compared,
 * which would take most of the time of a query. Only locations are translated. Nodes are read once, in order, and
 * only the path from the root to one of them is in memory.
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
#include "store/local/format/dict_nodes.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>
#include <string.h>

#define FOREST_BYTES_MAX ((size_t)1 << 30) /* of packed trees */

enum { FOREST_LINES_MAX = 64 }; /* of a location; with more, view_make counts the frames of stacks */

/* A tree that is being made of the sums of a chapter. */
struct forest_maker {
	const struct dict *d;
	const struct reduce_columns *sum;
	struct reduce_tree *out;
	/* of the types that are no multiples: values by row, and sums by leaf location in out */
	uint32_t n_stored;
	int64_t **value, **leaf; /* [n_stored] */
	/* the nodes at which rows with a value end: bits, the number of those before each word, and the first row
	   of each, by its number */
	uint64_t *bit;
	uint32_t *n_before, *row, n_rows;
	uint64_t *first_use; /* [d->n_locs] see forest_leave */
	struct forest_frame {
		uint32_t node, loc; /* the id of the node + 1 */
		uint32_t row;       /* its first row with a value, or PROFILE_NONE */
		uint32_t first_row; /* the same of all below it */
	} * path;                   /* to the current node; the first one is the caller of roots */
	size_t cap_path;
	struct forest_packer packer;
};

enum { FOREST_AHEAD = 16, FOREST_ROWS = 64, WORD_BITS = 64, FOREST_NODE_BYTES = 3 };

/* Add up the sums of the slices [n] of a chapter. Returns NULL if there is none; sets is_unfit if they have
   different types, or overflow. */
static struct reduce_columns *forest_join_sums(struct reduce_slice *slice, size_t n, uint32_t n_rows, bool *is_unfit)
{
	struct reduce_sum *all = NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < slice[i].n_sums; k++) {
			struct reduce_sum *own = &slice[i].sum[k];

			if (!all) {
				all = own;
				continue;
			}
			*is_unfit |= own->shape != all->shape || !reduce_columns_add(&all->dense, &own->dense, n_rows);
			reduce_columns_release(&own->dense);
		}
	return all ? &all->dense : NULL;
}

/* Has a row a value? Nearly always the first type has one. */
static inline bool forest_has_row(const struct forest_maker *m, const int64_t *first, uint32_t row)
{
	bool has_value = first[row] != 0;

	for (uint32_t k = 1; !has_value && k < m->n_stored; k++)
		has_value = m->value[k][row] != 0;
	return has_value;
}

/* Mark the nodes of the rows that have a value, and add up the values of empty stacks. */
static void forest_mark_rows(struct forest_maker *m)
{
	const uint32_t *row_node = m->d->row_node, *row_labels = m->d->row_labels, n_rows = m->d->n_rows;
	const int64_t *first = m->value[0];
	bool *has_set = m->out->has_set;
	uint64_t *bit = m->bit;

	for (uint32_t row = 0; row < n_rows; row++) {
		uint32_t node = row_node[row];

		if (!forest_has_row(m, first, row))
			continue;
		has_set[row_labels[row]] = true;
		if (node != PROFILE_NONE)
			bit[node / WORD_BITS] |= UINT64_C(1) << node % WORD_BITS;
		for (uint32_t k = 0; node == PROFILE_NONE && k < m->n_stored; k++)
			m->leaf[k][m->d->n_locs] += m->value[k][row];
	}
}

static void forest_count_nodes(struct forest_maker *m)
{
	for (uint32_t i = 0; i <= m->d->n_nodes / WORD_BITS; i++) {
		m->n_before[i] = m->n_rows;
		m->n_rows += (uint32_t)__builtin_popcountll(m->bit[i]);
	}
}

/* The number of a marked node, for m->row. */
static inline uint32_t forest_number(const uint64_t *bit, const uint32_t *n_before, uint32_t node)
{
	uint64_t below = bit[node / WORD_BITS] & ((UINT64_C(1) << node % WORD_BITS) - 1);

	return n_before[node / WORD_BITS] + (uint32_t)__builtin_popcountll(below);
}

/* Set the first row of a node, or add the values of the row to it. */
static inline void forest_add_row(struct forest_maker *m, uint32_t *first, uint32_t row)
{
	if (*first == PROFILE_NONE)
		*first = row;
	for (uint32_t k = 0; *first != row && k < m->n_stored; k++) {
		m->value[k][*first] += m->value[k][row];
		m->value[k][row] = 0;
	}
}

/* Find the first row of each marked node, and add the values of its other rows to it: some rows at once, so that
   their cache misses overlap. */
static void forest_find_rows(struct forest_maker *m)
{
	const uint32_t *row_node = m->d->row_node, *n_before = m->n_before, n_rows = m->d->n_rows;
	const int64_t *first_value = m->value[0];
	const uint64_t *bit = m->bit;
	uint32_t *first_row;

	m->row = first_row = mem_alloc((size_t)m->n_rows + FOREST_AHEAD, sizeof(*m->row));
	memset(first_row, 0xff, m->n_rows * sizeof(*first_row));
	memset(first_row + m->n_rows, 0, FOREST_AHEAD * sizeof(*first_row));
	for (uint32_t row = 0; row < n_rows;) {
		uint32_t list[FOREST_ROWS], *first[FOREST_ROWS], n = 0;

		for (; n < FOREST_ROWS && row < n_rows; row++) {
			if (!forest_has_row(m, first_value, row) || row_node[row] == PROFILE_NONE)
				continue;
			list[n] = row;
			first[n] = first_row + forest_number(bit, n_before, row_node[row]);
			__builtin_prefetch(first[n++], 1);
		}
		for (uint32_t i = 0; i < n; i++)
			forest_add_row(m, first[i], list[i]);
	}
}

/*
 * End the last node of the path. In a profile of the rows, locations are in the order of the first row that has them,
 * those of a row from its leaf on: so the first use of a location is the lowest of its nodes in this order.
 */
static inline void forest_leave(struct forest_maker *m, struct forest_frame *at)
{
	uint32_t depth = (uint32_t)(at - m->path) - 1;
	uint64_t use = (uint64_t)at->first_row << 32 | (UINT32_MAX - depth);

	if (at->first_row == PROFILE_NONE)
		return;
	if (use < m->first_use[at->loc])
		m->first_use[at->loc] = use;
	if (at->first_row < at[-1].first_row)
		at[-1].first_row = at->first_row;
	for (uint32_t k = 0; at->row != PROFILE_NONE && k < m->n_stored; k++)
		m->leaf[k][at->loc] += m->value[k][at->row];
	forest_pack(&m->packer, depth, at->loc, at->row);
}

/* The frame after the last one of the path. */
static inline struct forest_frame *forest_enter(struct forest_maker *m, struct forest_frame *last)
{
	size_t n = (size_t)(last - m->path) + 1;

	if (n == m->cap_path)
		m->path = mem_grow(m->path, &m->cap_path, n + 1, sizeof(*m->path));
	return m->path + n;
}

/* Read the nodes in their order, and pack each after its callees. Returns false if they are not in depth-first
   order, or damaged. */
static bool forest_pack_nodes(struct forest_maker *m)
{
	uint32_t n_nodes = m->d->n_nodes, caller, loc;
	const uint32_t *row = m->row;
	struct dict_nodes nodes;
	struct forest_frame *at;

	at = m->path = mem_grow(NULL, &m->cap_path, 1, sizeof(*m->path));
	*at = (struct forest_frame){ .row = PROFILE_NONE, .first_row = PROFILE_NONE };
	dict_nodes_begin(&nodes, m->d);
	for (uint32_t i = 0; i < n_nodes; i++) {
		uint32_t own = PROFILE_NONE;

		if (!dict_nodes_next(&nodes, &caller, &loc))
			return false;
		for (; at->node > caller; at--)
			forest_leave(m, at);
		if (at->node != caller)
			return false;
		if (m->bit[i / WORD_BITS] >> i % WORD_BITS & 1) {
			own = *row++;
			__builtin_prefetch(&m->value[0][row[FOREST_AHEAD - 1]]);
		}
		at = forest_enter(m, at);
		*at = (struct forest_frame){ i + 1, loc, own, own };
	}
	for (; at > m->path; at--)
		forest_leave(m, at);
	return true;
}

/* List the locations that the tree has, in the order of their first use. */
static void forest_list_locations(struct forest_maker *m)
{
	uint32_t n = 0, *loc = mem_alloc(m->d->n_locs, sizeof(*loc));
	uint64_t *order = mem_alloc(m->d->n_locs, sizeof(*order));

	for (uint32_t i = 0; i < m->d->n_locs; i++) /* sort by the depth, then by the row */
		if (m->first_use[i] != UINT64_MAX)
			order[n++] = m->first_use[i] << 32 | i;
	radix_sort_upper(order, n);
	for (uint32_t i = 0; i < n; i++)
		order[i] = (m->first_use[(uint32_t)order[i]] >> 32) << 32 | (uint32_t)order[i];
	radix_sort_upper(order, n);
	for (uint32_t i = 0; i < n; i++)
		loc[i] = (uint32_t)order[i];
	free(order);
	m->out->n_locs = n;
	m->out->loc = loc;
}

/* Fill in the leaves of the types that are multiples. */
static void forest_multiply_leaves(struct forest_maker *m)
{
	for (uint32_t t = 0; t < m->sum->n_types; t++) {
		const int64_t *like = m->out->leaf[m->sum->like[t]];

		for (uint32_t loc = 0; m->sum->like[t] != t && loc <= m->d->n_locs; loc++)
			m->out->leaf[t][loc] = like[loc] * m->sum->factor[t];
	}
}

/* Are all values at least 0? Add them to the totals [n_types]; false too if these overflow. */
static bool forest_add_totals(const struct reduce_columns *sum, uint32_t n_rows, int64_t *total)
{
	for (uint32_t t = 0; t < sum->n_types; t++) {
		int64_t any = 0;
		bool is_overflow = false;

		for (uint32_t i = 0; sum->value[t] && i < n_rows; i++) {
			any |= sum->value[t][i];
			is_overflow |= num_add(&total[t], sum->value[t][i]);
		}
		if (!sum->value[t]) /* of an earlier type */
			is_overflow = __builtin_mul_overflow(total[sum->like[t]], sum->factor[t], &total[t]);
		if (any < 0 || total[t] < 0 || is_overflow)
			return false;
	}
	return true;
}

static void forest_out_init(struct reduce_tree *out, const struct dict *d, uint32_t n_types)
{
	out->n_types = n_types;
	out->total = mem_zalloc(n_types, sizeof(*out->total));
	out->has_set = mem_zalloc(d->label_sets.n, sizeof(*out->has_set));
	out->leaf = mem_alloc(n_types, sizeof(*out->leaf));
	for (uint32_t t = 0; t < n_types; t++)
		out->leaf[t] = mem_zalloc((size_t)d->n_locs + 1, sizeof(**out->leaf));
}

static void forest_maker_init(struct forest_maker *m, const struct dict *d, const struct reduce_columns *sum,
			      struct reduce_tree *out)
{
	size_t n_words = (size_t)d->n_nodes / WORD_BITS + 1;

	*m = (struct forest_maker){ .d = d, .sum = sum, .out = out };
	m->value = mem_alloc(sum->n_types, sizeof(*m->value));
	m->leaf = mem_alloc(sum->n_types, sizeof(*m->leaf));
	for (uint32_t t = 0; t < sum->n_types; t++)
		if (sum->value[t]) {
			m->leaf[m->n_stored] = out->leaf[t];
			m->value[m->n_stored++] = sum->value[t];
		}
	m->bit = mem_zalloc(n_words, sizeof(*m->bit));
	m->n_before = mem_alloc(n_words, sizeof(*m->n_before));
	m->first_use = mem_alloc(d->n_locs, sizeof(*m->first_use));
	memset(m->first_use, 0xff, d->n_locs * sizeof(*m->first_use));
	forest_packer_init(&m->packer, sum->n_types, sum->like, sum->factor, (const int64_t *const *)sum->value,
			   (size_t)d->n_nodes * FOREST_NODE_BYTES);
}

/* Make the tree of the rows. Returns false if the nodes are not in depth-first order, or damaged: then only values
   of equal stacks were joined. */
static bool forest_make_tree(const struct dict *d, const struct reduce_columns *sum, struct reduce_tree *out)
{
	struct forest_maker m;
	bool is_done;

	forest_out_init(out, d, sum->n_types);
	out->is_unfit = !forest_add_totals(sum, d->n_rows, out->total);
	if (out->is_unfit)
		return true;
	forest_maker_init(&m, d, sum, out);
	forest_mark_rows(&m);
	forest_count_nodes(&m);
	forest_find_rows(&m);
	is_done = forest_pack_nodes(&m);
	forest_list_locations(&m);
	forest_multiply_leaves(&m);
	forest_packer_finish(&m.packer, &out->packed);
	free(m.value);
	free(m.leaf);
	free(m.bit);
	free(m.n_before);
	free(m.row);
	free(m.first_use);
	free(m.path);
	if (!is_done)
		reduce_tree_release(out);
	return is_done;
}

int reduce_tree_make(struct reduce_chapter *c, struct reduce_slice *slice, size_t n, struct err *err)
{
	struct reduce_tree *out = &c->tree;
	struct reduce_columns *sum = forest_join_sums(slice, n, c->c->dict.n_rows, &out->is_unfit);

	if (!sum || out->is_unfit)
		return 0;
	if (!forest_make_tree(&c->c->dict, sum, out)) {
		if (chapter_decode_nodes(c->c, err) < 0)
			return select_damage(c->in->from, err);
		dict_sort_nodes(&c->c->dict); /* older stores have them in order of appearance */
		(void)forest_make_tree(&c->c->dict, sum, out);
	}
	reduce_columns_release(sum);
	return 0;
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

/* Add the values of a leaf to its row. at: its location, or the number of locations for empty stacks */
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
	rc = dict_translate_leaf(c->translation, at < c->c->dict.n_locs ? at : PROFILE_NONE, &row, err);
	if (rc < 0)
		return rc;
	reduce_bucket_grow(r, b);
	for (uint32_t type = 0; type < t->n_types; type++)
		b->sum[type][row] += t->leaf[type][at]; /* the total does not overflow */
	return 0;
}

/* Remember the locations of the largest chapter. */
static void forest_keep_largest(struct reducer *r, const struct reduce_tree *t)
{
	r->largest_locs = arena_alloc(r->arena, t->n_locs, sizeof(*r->largest_locs));
	r->n_largest_locs = t->n_locs;
	for (uint32_t i = 0; i < t->n_locs; i++)
		r->largest_locs[i] = t->packed.loc[t->loc[i]];
}

/* Add the tree of a chapter to the result. */
static int forest_join_tree(struct reducer *r, struct reduce_chapter *c, struct reduce_bucket *b, struct err *err)
{
	const struct dict *d = &c->c->dict;
	struct forest *f = &r->forest;
	struct reduce_tree *t = &c->tree;
	uint32_t id;
	int rc = 0;

	t->packed.n_locs = d->n_locs;
	t->packed.loc = mem_alloc(d->n_locs, sizeof(*t->packed.loc));
	memset(t->packed.loc, 0xff, d->n_locs * sizeof(*t->packed.loc));
	for (uint32_t i = 0; rc == 0 && i < t->n_locs; i++)
		rc = dict_translate_location(c->translation, t->loc[i], &t->packed.loc[t->loc[i]], err);
	for (uint32_t i = 0; rc == 0 && i < t->n_locs; i++)
		rc = forest_join_leaf(r, c, b, t->loc[i], err);
	if (rc == 0)
		rc = forest_join_leaf(r, c, b, d->n_locs, err);
	for (uint32_t set = 0; rc == 0 && set < d->label_sets.n; set++)
		if (t->has_set[set])
			rc = dict_translate_label_set(c->translation, set, &id, err);
	if (c->in->from == r->largest)
		forest_keep_largest(r, t);
	f->tree = mem_grow(f->tree, &r->cap_trees, (size_t)f->n_trees + 1, sizeof(*f->tree));
	r->forest_bytes += t->packed.size;
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

	for (; n < r->n_largest_locs; n++) {
		order[n] = r->largest_locs[n];
		is_listed[order[n]] = true;
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
			t->loc[k] = t->loc[k] == PROFILE_NONE ? PROFILE_NONE : loc[t->loc[k]];
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
