/*
 * dict_index.c - finds equal entries of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Mappings, functions and locations are compared by profile/merge_ids.c. Nodes, labels and rows are compared in the tables
 * of the dictionary, so that the index contains only their hashes. The tables are larger than any cache, so most nodes and
 * rows are found without a hash: stacks are appended from the root, so the first node that a node calls usually follows it,
 * and a leaf usually has one row.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int target_mapping(void *arg, const struct mapping *m, uint32_t *id, struct err *err)
{
	struct dict *d = arg;

	*id = d->n_maps;
	return dict_append_mapping(d, m, err);
}

static int target_function(void *arg, const struct builder_function *f, uint32_t *id, struct err *err)
{
	struct dict *d = arg;

	*id = d->n_funcs;
	return dict_append_function(d, f, err);
}

static int target_location(void *arg, const struct builder_location *l, const struct builder_line *lines, size_t n,
			   uint32_t *id, struct err *err)
{
	struct dict *d = arg;

	*id = d->n_locs;
	return dict_append_location(d, l, lines, n, err);
}

static int target_label(void *arg, const struct builder_label *l, uint32_t *id, struct err *err)
{
	return dict_add_label(arg, l, id, err);
}

static int target_label_set(void *arg, const uint32_t *labels, size_t n, uint32_t *id, struct err *err)
{
	return dict_add_label_set(arg, labels, n, id, err);
}

/* --- labels --- */

static uint64_t label_hash(const struct builder_label *l)
{
	uint64_t words[3] = { (uint64_t)l->key << 32 | l->text, (uint64_t)l->unit << 1 | l->is_text, (uint64_t)l->num };

	return hash_bytes(words, sizeof(words));
}

static struct builder_label label_get(const struct dict *d, uint32_t id)
{
	return (struct builder_label){ .key = d->label_key[id],
				       .text = d->label_text[id],
				       .unit = d->label_unit[id],
				       .num = d->label_num[id],
				       .is_text = d->label_is_text[id] };
}

static bool dict_index_label_equal(const struct dict *d, uint32_t id, const struct builder_label *l)
{
	return d->label_key[id] == l->key && d->label_text[id] == l->text && d->label_unit[id] == l->unit &&
	       d->label_num[id] == l->num && d->label_is_text[id] == l->is_text;
}

int dict_add_label(struct dict *d, const struct builder_label *l, uint32_t *id, struct err *err)
{
	struct idtab *t = &d->index->labels;
	uint64_t h = label_hash(l);

	for (size_t pos = idtab_start(t, h); idtab_next(t, h, &pos, id);)
		if (dict_index_label_equal(d, *id, l))
			return 0;
	*id = d->n_labels;
	if (dict_append_label(d, l, err) < 0)
		return ERR_LIMIT;
	idtab_put(t, h, *id);
	return 0;
}

static uint64_t list_hash(const uint32_t *list, size_t n)
{
	return hash_bytes(list, n * sizeof(*list));
}

int dict_add_label_set(struct dict *d, const uint32_t *labels, size_t n, uint32_t *id, struct err *err)
{
	const struct csr *s = &d->label_sets;
	struct idtab *t = &d->index->sets;
	uint64_t h;

	*id = 0;
	if (n == 0)
		return 0;
	h = list_hash(labels, n);
	for (size_t pos = idtab_start(t, h); idtab_next(t, h, &pos, id);)
		if (s->off[*id + 1] - s->off[*id] == n &&
		    memcmp(s->item + s->off[*id], labels, n * sizeof(*labels)) == 0)
			return 0;
	*id = s->n;
	if (dict_append_label_set(d, labels, n, err) < 0)
		return ERR_LIMIT;
	idtab_put(t, h, *id);
	return 0;
}

/* --- nodes, stacks and rows --- */

static uint64_t pair_hash(uint32_t a, uint32_t b)
{
	return hash_u64((uint64_t)a << 32 | b);
}

static bool is_node(const struct dict *d, uint32_t id, uint32_t parent, uint32_t loc)
{
	return id < d->n_nodes && d->node_parent[id] == parent && d->node_loc[id] == loc;
}

/* The node after this one, which is usually the first that it calls. Node 0 is a root: it follows PROFILE_NONE. */
static uint32_t node_after(uint32_t node)
{
	return node + 1;
}

static bool dict_index_find_node(const struct dict *d, uint32_t caller, uint32_t loc, uint32_t hash, uint32_t *id)
{
	const struct idtab *t = &d->index->nodes;

	*id = node_after(caller);
	if (is_node(d, *id, caller, loc))
		return true;
	for (size_t pos = idtab_start(t, hash); idtab_next(t, hash, &pos, id);)
		if (is_node(d, *id, caller, loc))
			return true;
	return false;
}

static void index_node(struct dict *d, uint32_t id, uint32_t hash)
{
	struct dict_index *x = d->index;

	if (id != node_after(d->node_parent[id]))
		idtab_put(&x->nodes, hash, id);
	x->leaf_row = mem_grow(x->leaf_row, &x->cap_leaf_rows, (size_t)id + 1, sizeof(*x->leaf_row));
	x->leaf_row[id] = PROFILE_NONE;
}

static int add_new_node(struct dict *d, uint32_t caller, uint32_t loc, uint32_t hash, uint32_t *id, struct err *err)
{
	*id = d->n_nodes;
	if (dict_append_node(d, caller, loc, err) < 0)
		return ERR_LIMIT;
	index_node(d, *id, hash);
	return 0;
}

int dict_add_path(struct dict *d, uint32_t caller, const uint32_t *locs, const uint32_t *hash, size_t n, uint32_t *node,
		  struct err *err)
{
	size_t i = 0;

	for (; i < n && dict_index_find_node(d, caller, locs[i], hash[i], &node[i]); i++)
		caller = node[i];
	for (; i < n; i++) { /* the children of a new node are new */
		if (add_new_node(d, caller, locs[i], hash[i], &node[i], err) < 0)
			return ERR_LIMIT;
		caller = node[i];
	}
	return 0;
}

void dict_prefetch_node(const struct dict *d, uint32_t hash)
{
	idtab_prefetch(&d->index->nodes, hash);
}

void dict_prefetch_node_after(const struct dict *d, uint32_t caller)
{
	uint32_t next = node_after(caller);

	if (next >= d->n_nodes)
		return;
	__builtin_prefetch(&d->node_parent[next]);
	__builtin_prefetch(&d->node_loc[next]);
}

void dict_prefetch_found_node(const struct dict *d, uint32_t hash)
{
	const struct idtab *t = &d->index->nodes;
	size_t pos = idtab_start(t, hash);
	uint32_t id;

	if (!idtab_next(t, hash, &pos, &id))
		return;
	__builtin_prefetch(&d->node_parent[id]);
	__builtin_prefetch(&d->node_loc[id]);
}

/* Is this the leaf of the stack? */
static bool is_leaf_of(const struct dict *d, uint32_t node, const uint32_t *locs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (node == PROFILE_NONE || d->node_loc[node] != locs[i])
			return false;
		node = d->node_parent[node];
	}
	return node == PROFILE_NONE;
}

static bool find_leaf(const struct dict *d, const struct idtab *t, const uint32_t *locs, size_t n, uint64_t hash,
		      uint32_t *node)
{
	for (size_t pos = idtab_start(t, hash); idtab_next(t, hash, &pos, node);)
		if (is_leaf_of(d, *node, locs, n))
			return true;
	return false;
}

/* Most stacks are known: one lookup of the whole stack replaces those of its frames. */
bool dict_find_stack(const struct dict *d, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *node)
{
	return find_leaf(d, &d->index->leaves, locs, n, hash, node);
}

/*
 * Most frames of a new stack are known, and the others are at the leaf, so the search begins there. It ends at the last frame
 * whose node is in the table: the nodes of the known frames after it follow that node.
 */
int dict_add_stack(struct dict *d, const uint32_t *locs, size_t n, uint64_t hash, const uint32_t *path, uint32_t *node,
		   struct err *err)
{
	struct dict_index *x = d->index;
	size_t depth = n;

	while (depth > 0 && !find_leaf(d, &x->nodes, locs + n - depth, depth, path[depth - 1], node))
		depth--;
	if (depth == 0)
		*node = PROFILE_NONE;
	for (; depth < n && is_node(d, node_after(*node), *node, locs[n - depth - 1]); depth++)
		*node = node_after(*node);
	for (; depth < n; depth++)
		if (add_new_node(d, *node, locs[n - depth - 1], path[depth], node, err) < 0)
			return ERR_LIMIT;
	idtab_put(&x->leaves, hash, *node);
	return 0;
}

void dict_prefetch_stack(const struct dict *d, const uint32_t *path, size_t n)
{
	enum { FRAMES = 6 }; /* usually enough */

	for (size_t i = n > FRAMES ? n - FRAMES : 0; i < n; i++)
		idtab_prefetch(&d->index->nodes, path[i]);
}

void dict_prefetch_row(const struct dict *d, uint32_t node)
{
	if (node != PROFILE_NONE)
		__builtin_prefetch(&d->index->leaf_row[node]);
}

void dict_prefetch_found_row(const struct dict *d, uint32_t node)
{
	if (node != PROFILE_NONE && d->index->leaf_row[node] != PROFILE_NONE)
		__builtin_prefetch(&d->row_labels[d->index->leaf_row[node]]);
}

uint32_t dict_guess_stack(const struct dict *d, const uint32_t *path, size_t n)
{
	const struct idtab *t = &d->index->nodes;
	uint32_t node;

	while (n-- > 0) {
		size_t pos = idtab_start(t, path[n]);

		if (idtab_next(t, path[n], &pos, &node))
			return node;
	}
	return PROFILE_NONE;
}

static void index_row(struct dict *d, uint32_t id)
{
	struct dict_index *x = d->index;
	uint32_t node = d->row_node[id];

	if (node != PROFILE_NONE && x->leaf_row[node] == PROFILE_NONE)
		x->leaf_row[node] = id;
	else
		idtab_put(&x->rows, pair_hash(node, d->row_labels[id]), id);
}

static bool find_row(const struct dict *d, uint32_t node, uint32_t labels, uint32_t *id)
{
	const struct idtab *t = &d->index->rows;
	uint64_t h;

	if (node != PROFILE_NONE) {
		*id = d->index->leaf_row[node];
		if (*id == PROFILE_NONE || d->row_labels[*id] == labels)
			return *id != PROFILE_NONE;
	}
	h = pair_hash(node, labels);
	for (size_t pos = idtab_start(t, h); idtab_next(t, h, &pos, id);)
		if (d->row_node[*id] == node && d->row_labels[*id] == labels)
			return true;
	return false;
}

int dict_add_row(struct dict *d, uint32_t node, uint32_t labels, uint32_t *id, struct err *err)
{
	if (find_row(d, node, labels, id))
		return 0;
	*id = d->n_rows;
	if (dict_append_row(d, node, labels, err) < 0)
		return ERR_LIMIT;
	index_row(d, *id);
	return 0;
}

/* --- making the index --- */

static int equal_entries(enum dict_table table, uint32_t id, struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s: entry %" PRIu32 " is equal to an earlier one", dict_table_name(table), id);
}

static int index_known(struct dict *d, struct err *err)
{
	struct merge_known *k = &d->index->known;
	struct builder_line *lines = NULL;
	size_t cap = 0;
	int rc = 0;

	for (uint32_t i = 0; i < d->n_maps; i++)
		if (!merge_known_mapping(k, &d->map[i]))
			return equal_entries(DICT_MAPPINGS, i, err);
	for (uint32_t i = 0; i < d->n_funcs; i++)
		if (!merge_known_function(k, &(struct builder_function){ .name = d->func_name[i],
									 .sysname = d->func_sysname[i],
									 .file = d->func_file[i],
									 .start = d->func_start[i] }))
			return equal_entries(DICT_FUNCTIONS, i, err);
	for (uint32_t i = 0; rc == 0 && i < d->n_locs; i++) {
		uint32_t first = d->loc_line[i], n = d->loc_line[i + 1] - first;
		struct builder_location l = { .addr = d->loc_addr[i],
					      .map = d->loc_map[i],
					      .folded = d->loc_folded[i] };

		lines = mem_grow(lines, &cap, n, sizeof(*lines));
		for (uint32_t at = 0; at < n; at++)
			lines[at] = (struct builder_line){ d->line_func[first + at], d->line_no[first + at],
							   d->line_col[first + at] };
		if (!merge_known_location(k, &l, lines, n))
			rc = equal_entries(DICT_LOCATIONS, i, err);
	}
	free(lines);
	return rc;
}

/* Equal nodes, labels and rows do no harm: one of them is used. */
static void index_pairs(struct dict *d)
{
	const struct csr *s = &d->label_sets;
	struct dict_index *x = d->index;
	uint32_t *hash = mem_alloc(d->n_nodes, sizeof(*hash));

	for (uint32_t i = 0; i < d->n_nodes; i++) {
		uint32_t caller = d->node_parent[i];

		hash[i] = dict_path_hash(caller == PROFILE_NONE ? 0 : hash[caller], d->node_loc[i]);
		index_node(d, i, hash[i]);
	}
	free(hash);
	for (uint32_t i = 0; i < d->n_rows; i++)
		index_row(d, i);
	for (uint32_t i = 0; i < d->n_labels; i++) {
		struct builder_label l = label_get(d, i);

		idtab_put(&x->labels, label_hash(&l), i);
	}
	for (uint32_t i = 1; i < s->n; i++)
		idtab_put(&x->sets, list_hash(s->item + s->off[i], s->off[i + 1] - s->off[i]), i);
}

static void index_init(struct dict *d)
{
	struct dict_index *x = mem_zalloc(1, sizeof(*x));
	struct merge_target to = { .arg = d,
				   .str = d->str,
				   .mapping = target_mapping,
				   .function = target_function,
				   .location = target_location,
				   .label = target_label,
				   .label_set = target_label_set };

	merge_known_init(&x->known, &to, true);
	merge_ids_init(&x->ids, &x->known);
	idtab_init(&x->labels, d->n_labels);
	idtab_init(&x->sets, d->label_sets.n);
	idtab_init(&x->nodes, d->n_rows);
	idtab_init(&x->rows, d->n_rows / 4);
	idtab_init(&x->leaves, 0);
	x->cap_leaf_rows = d->n_nodes;
	x->leaf_row = mem_alloc(d->n_nodes, sizeof(*x->leaf_row));
	keys_init(&x->types, 0, 0);
	keys_init(&x->places, 0, 0);
	keys_init(&x->metas, 0, 0);
	keys_init(&x->series, 0, 0);
	d->index = x;
}

int dict_index_make(struct dict *d, struct err *err)
{
	int rc;

	if (d->index)
		return 0;
	index_init(d);
	rc = index_known(d, err);
	if (rc == 0)
		rc = dict_index_metas(d, err);
	if (rc < 0) {
		dict_drop_index(d);
		return rc;
	}
	index_pairs(d);
	return 0;
}

void dict_index_free(struct dict_index *x)
{
	if (!x)
		return;
	merge_ids_release(&x->ids);
	merge_known_release(&x->known);
	idtab_release(&x->labels);
	idtab_release(&x->sets);
	idtab_release(&x->nodes);
	idtab_release(&x->rows);
	idtab_release(&x->leaves);
	keys_release(&x->types);
	keys_release(&x->places);
	keys_release(&x->metas);
	keys_release(&x->series);
	free(x->leaf_row);
	free(x->types_meta);
	free(x->places_meta);
	free(x->word);
	free(x->list);
	free(x);
}

void dict_drop_index(struct dict *d)
{
	dict_index_free(d->index);
	d->index = NULL;
}

static size_t idtab_bytes(const struct idtab *t)
{
	return (t->mask + 1) * sizeof(*t->slot);
}

static size_t keys_bytes(const struct keys *k)
{
	return k->cap_words * sizeof(*k->word) + k->cap_off * sizeof(*k->off) + idtab_bytes(&k->ids);
}

size_t dict_index_memory(const struct dict_index *x)
{
	return sizeof(*x) + keys_bytes(&x->known.maps) + keys_bytes(&x->known.funcs) + keys_bytes(&x->known.locs) +
	       idtab_bytes(&x->labels) + idtab_bytes(&x->sets) + idtab_bytes(&x->nodes) + idtab_bytes(&x->rows) +
	       x->cap_leaf_rows * sizeof(*x->leaf_row) + idtab_bytes(&x->leaves) + keys_bytes(&x->types) +
	       keys_bytes(&x->places) + keys_bytes(&x->metas) + keys_bytes(&x->series);
}
