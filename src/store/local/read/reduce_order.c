/*
 * reduce_order.c - the order in which the rows of a result are rounded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Depth first through the tree of functions, from the root: the rows of a subtree follow each other, so its sum is rounded
 * well (see means.h). The order of the children of a node is that of hashes of their paths. An order by name would always
 * round the first of two callees up: a function that is called from many places would get all of a rounding, and the
 * other nothing.
 *
 * It depends on the content of the rows only, and not on their numbers, which differ between segments and journals.
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { ROOT };

static uint64_t reduce_order_mix(uint64_t a, uint64_t b)
{
	uint64_t words[2] = { a, b };

	return XXH3_64bits(words, sizeof(words));
}

void reduce_order_init(struct reduce_order *o, const struct dict *d)
{
	const uint64_t root[2] = { UINT64_MAX, 0 };
	uint32_t id;

	*o = (struct reduce_order){ .d = d, .content.is_same_everywhere = true };
	content_extend(&o->content, d);
	keys_init(&o->nodes, 2, 0);
	keys_add(&o->nodes, root, 2, keys_hash(root, 2), &id, NULL);
	o->hash = mem_grow(o->hash, &o->cap_hashes, 1, sizeof(*o->hash));
	o->hash[ROOT] = 0;
	o->node = mem_alloc((size_t)d->n_nodes + 1, sizeof(*o->node));
	memset(o->node, 0xff, d->n_nodes * sizeof(*o->node));
}

void reduce_order_release(struct reduce_order *o)
{
	content_release(&o->content);
	keys_release(&o->nodes);
	free(o->hash);
	free(o->node);
	free(o->path);
}

/* The child of a node for a function, or for something else with this hash. */
static int add_child(struct reduce_order *o, uint32_t *node, uint64_t word, uint64_t hash, struct err *err)
{
	uint64_t key[2] = { *node, word };
	uint32_t before = o->nodes.n, parent = *node;

	if (keys_add(&o->nodes, key, 2, keys_hash(key, 2), node, err) < 0)
		return ERR_LIMIT;
	if (*node != before)
		return 0;
	o->hash = mem_grow(o->hash, &o->cap_hashes, (size_t)before + 1, sizeof(*o->hash));
	o->hash[before] = reduce_order_mix(o->hash[parent], hash);
	return 0;
}

/* Go down from a node by the functions of a location, outermost first. */
static int reduce_order_add_location(struct reduce_order *o, uint32_t *node, uint32_t loc, struct err *err)
{
	const struct dict *d = o->d;
	int rc = 0;

	if (d->loc_line[loc] == d->loc_line[loc + 1])
		return add_child(o, node, UINT64_C(1) << 32 | loc, o->content.loc[loc], err);
	for (uint32_t i = d->loc_line[loc + 1]; rc == 0 && i-- > d->loc_line[loc];) {
		str_id name = d->line_func[i] == PROFILE_NONE ? 0 : d->func_name[d->line_func[i]];

		rc = add_child(o, node, name, XXH3_64bits(strtab_text(d->str, name), strtab_len(d->str, name)), err);
	}
	return rc;
}

/* The node of a stack. */
static int find_node(struct reduce_order *o, uint32_t leaf, uint32_t *node, struct err *err)
{
	const struct dict *d = o->d;
	size_t n = 0;
	int rc = 0;

	for (; leaf != PROFILE_NONE && o->node[leaf] == PROFILE_NONE; leaf = d->node_parent[leaf]) {
		o->path = mem_grow(o->path, &o->cap_path, n + 1, sizeof(*o->path));
		o->path[n++] = leaf;
	}
	*node = leaf == PROFILE_NONE ? ROOT : o->node[leaf];
	while (rc == 0 && n > 0) {
		leaf = o->path[--n];
		rc = reduce_order_add_location(o, node, d->node_loc[leaf], err);
		o->node[leaf] = *node;
	}
	return rc;
}

/* A node that is used. */
struct order_node {
	uint32_t parent, id;
	uint64_t key;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct order_node *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Number nodes depth first. list: all but the root, sorted; position: [nodes.n] */
static void number_nodes(const struct reduce_order *o, const struct order_node *list, size_t n, uint32_t *position)
{
	uint32_t *next = mem_alloc(o->nodes.n, sizeof(*next)), at = ROOT, count = 0; /* next child of a node */

	memset(next, 0xff, o->nodes.n * sizeof(*next));
	for (size_t i = n; i-- > 0;)
		next[list[i].parent] = (uint32_t)i;
	position[at] = count++;
	for (;;) {
		uint32_t child = next[at];

		if (child < n && list[child].parent == at) {
			next[at]++;
			at = list[child].id;
			position[at] = count++;
		} else if (at == ROOT) {
			break;
		} else {
			at = (uint32_t)o->nodes.word[2 * (size_t)at];
		}
	}
	free(next);
}

/* The positions of the nodes of rows and their ancestors. */
static uint32_t *find_positions(const struct reduce_order *o, uint64_t seed, const struct reduce_ordered *row, size_t n)
{
	bool *is_used = mem_zalloc(o->nodes.n, sizeof(*is_used));
	uint32_t *position = mem_zalloc(o->nodes.n, sizeof(*position));
	struct order_node *list = NULL;
	size_t n_nodes = 0, cap = 0;

	for (size_t i = 0; i < n; i++)
		for (uint32_t at = row[i].position; at != ROOT && !is_used[at];) {
			uint32_t parent = (uint32_t)o->nodes.word[2 * (size_t)at];

			is_used[at] = true;
			list = mem_grow(list, &cap, n_nodes + 1, sizeof(*list));
			list[n_nodes++] = (struct order_node){ parent, at, reduce_order_mix(seed, o->hash[at]) };
			at = parent;
		}
	if (n_nodes)
		qsort(list, n_nodes, sizeof(*list), compare_nodes);
	number_nodes(o, list, n_nodes, position);
	free(list);
	free(is_used);
	return position;
}

static int reduce_order_compare_rows(const void *a, const void *b, void *arg)
{
	const struct reduce_ordered *x = a, *y = b;
	const struct reduce_order *o = arg;
	uint64_t h = o->content.row[x->row], k = o->content.row[y->row];

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return h < k ? -1 : h > k;
}

int reduce_order_sort(struct reduce_order *o, uint64_t seed, struct reduce_ordered *row, size_t n, struct err *err)
{
	uint32_t *position;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = find_node(o, o->d->row_node[row[i].row], &row[i].position, err);
	if (rc < 0 || n == 0)
		return rc;
	position = find_positions(o, seed, row, n);
	for (size_t i = 0; i < n; i++)
		row[i].position = position[row[i].position];
	qsort_r(row, n, sizeof(*row), reduce_order_compare_rows, o);
	free(position);
	return 0;
}
