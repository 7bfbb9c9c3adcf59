/*
 * content.c - hash of the content of a stored profile, independent of its dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hash of a row is computed once, when the row is first used; that of a profile is a sum over its rows, since the order
 * of rows differs between dictionaries.
 */
#include "config.h"

#include "store/local/format/dict.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { FUNC, MAP, LOC, NODE, LABEL, SET, ROW };

/* hash_bytes does not suffice: its values of "f1" and "f10" are equal, which a table of keys tolerates. */
static uint64_t store_content_add(const struct store_content *c, uint64_t hash, uint64_t v)
{
	uint64_t words[2] = { hash, v };

	return XXH3_64bits_withSeed(words, sizeof(words), c->is_same_everywhere ? 0 : hash_secret[0]);
}

static uint64_t store_content_add_text(const struct store_content *c, uint64_t hash, const struct dict *d, str_id s)
{
	uint64_t seed = c->is_same_everywhere ? 0 : hash_secret[0];

	return store_content_add(c, hash, XXH3_64bits_withSeed(strtab_text(d->str, s), strtab_len(d->str, s), seed));
}

static void extend_functions(struct store_content *c, const struct dict *d)
{
	c->func = mem_grow(c->func, &c->cap[FUNC], d->n_funcs + 1, sizeof(*c->func));
	for (uint32_t i = c->n_funcs; i < d->n_funcs; i++) {
		uint64_t hash = store_content_add_text(c, FUNC, d, d->func_name[i]);

		hash = store_content_add_text(c, hash, d, d->func_sysname[i]);
		hash = store_content_add_text(c, hash, d, d->func_file[i]);
		c->func[i] = store_content_add(c, hash, (uint64_t)d->func_start[i]);
	}
	c->n_funcs = d->n_funcs;
}

static void extend_mappings(struct store_content *c, const struct dict *d)
{
	c->map = mem_grow(c->map, &c->cap[MAP], d->n_maps + 1, sizeof(*c->map));
	for (uint32_t i = c->n_maps; i < d->n_maps; i++) {
		const struct mapping *m = &d->map[i];
		uint64_t size = (m->limit - m->start + 4095) & ~(uint64_t)4095;
		str_id name = strtab_len(d->str, m->build_id) ? m->build_id : m->file;

		c->map[i] = store_content_add(c, store_content_add(c, store_content_add_text(c, MAP, d, name), size),
					      m->offset);
	}
	c->n_maps = d->n_maps;
}

static void extend_locations(struct store_content *c, const struct dict *d)
{
	c->loc = mem_grow(c->loc, &c->cap[LOC], d->n_locs + 1, sizeof(*c->loc));
	for (uint32_t i = c->n_locs; i < d->n_locs; i++) {
		uint64_t hash = store_content_add(c, d->loc_folded[i], d->loc_addr[i]);

		hash = store_content_add(c, hash, d->loc_map[i] == PROFILE_NONE ? 0 : c->map[d->loc_map[i]]);
		for (uint32_t k = d->loc_line[i]; k < d->loc_line[i + 1]; k++) {
			hash = store_content_add(c, hash,
						 d->line_func[k] == PROFILE_NONE ? 0 : c->func[d->line_func[k]]);
			hash = store_content_add(c, store_content_add(c, hash, (uint64_t)d->line_no[k]),
						 (uint64_t)d->line_col[k]);
		}
		c->loc[i] = hash;
	}
	c->n_locs = d->n_locs;
}

static void extend_nodes(struct store_content *c, const struct dict *d)
{
	c->node = mem_grow(c->node, &c->cap[NODE], d->n_nodes + 1, sizeof(*c->node));
	for (uint32_t i = c->n_nodes; i < d->n_nodes; i++) {
		uint32_t parent = d->node_parent[i];

		c->node[i] =
			store_content_add(c, parent == PROFILE_NONE ? NODE : c->node[parent], c->loc[d->node_loc[i]]);
	}
	c->n_nodes = d->n_nodes;
}

static void extend_labels(struct store_content *c, const struct dict *d)
{
	c->label = mem_grow(c->label, &c->cap[LABEL], d->n_labels + 1, sizeof(*c->label));
	for (uint32_t i = c->n_labels; i < d->n_labels; i++) {
		uint64_t hash = store_content_add_text(c, d->label_is_text[i], d, d->label_key[i]);

		hash = store_content_add_text(c, store_content_add_text(c, hash, d, d->label_text[i]), d,
					      d->label_unit[i]);
		c->label[i] = store_content_add(c, hash, (uint64_t)d->label_num[i]);
	}
	c->n_labels = d->n_labels;
	c->set = mem_grow(c->set, &c->cap[SET], d->label_sets.n + 1, sizeof(*c->set));
	for (uint32_t i = c->n_sets; i < d->label_sets.n; i++) {
		uint64_t hash = SET;

		for (uint32_t k = d->label_sets.off[i]; k < d->label_sets.off[i + 1]; k++)
			hash = store_content_add(c, hash, c->label[d->label_sets.item[k]]);
		c->set[i] = hash;
	}
	c->n_sets = d->label_sets.n;
}

void content_extend(struct store_content *c, const struct dict *d)
{
	extend_functions(c, d);
	extend_mappings(c, d);
	extend_locations(c, d);
	extend_nodes(c, d);
	extend_labels(c, d);
	c->row = mem_grow(c->row, &c->cap[ROW], d->n_rows + 1, sizeof(*c->row));
	for (uint32_t i = c->n_rows; i < d->n_rows; i++)
		c->row[i] = store_content_add(c, d->row_node[i] == PROFILE_NONE ? ROW : c->node[d->row_node[i]],
					      c->set[d->row_labels[i]]);
	c->n_rows = d->n_rows;
}

uint64_t content_hash(struct store_content *c, const struct dict *d, const struct stored *s)
{
	const struct dict_meta *meta = &d->meta[s->meta];
	uint64_t hash = s->n, sum = 0;

	if (c->n_rows < d->n_rows || !c->row)
		content_extend(c, d);
	for (uint32_t t = 0; t < meta->n_types; t++)
		hash = store_content_add_text(c, store_content_add_text(c, hash, d, meta->type[t].name), d,
					      meta->type[t].unit);
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t row = c->row[s->row[i]];

		for (uint32_t t = 0; t < s->n_columns; t++)
			row = store_content_add(c, row, (uint64_t)s->value[(size_t)t * s->n + i]);
		sum += row;
	}
	return store_content_add(c, hash, sum);
}

size_t content_memory(const struct store_content *c)
{
	size_t n = 0;

	for (int i = 0; i < 7; i++)
		n += c->cap[i] * sizeof(uint64_t);
	return n;
}

void content_release(struct store_content *c)
{
	free(c->func);
	free(c->map);
	free(c->loc);
	free(c->node);
	free(c->label);
	free(c->set);
	free(c->row);
	*c = (struct store_content){ 0 };
}
