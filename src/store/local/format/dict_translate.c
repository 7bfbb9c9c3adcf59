/*
 * dict_translate.c - ids of a dictionary in another one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are translated together, so that their cache misses overlap. */
enum { TRANSLATE_ROWS = 64, TRANSLATE_SOON = PROFILE_NONE - 1 /* a node of an earlier path */ };

/* The nodes of a row that are not translated yet: path[start .. start + n), the caller first. */
struct translate_path {
	size_t start, n;
};

struct translated {
	uint32_t id;   /* in to; PROFILE_NONE or TRANSLATE_SOON */
	uint32_t hash; /* dict_path_hash in to */
};

struct dict_translation {
	struct dict *to;
	const struct dict *from;
	struct profile view;  /* of from */
	struct merge_ids ids; /* once is_begun */
	bool is_begun;
	struct translated *node;       /* [from->n_nodes] */
	uint32_t *row, *meta, *series; /* ids in to, or PROFILE_NONE */
	/* of the rows that are translated: nodes of from, their locations and nodes in to, and the dict_path_hash there */
	uint32_t *path, *path_loc, *path_to, *path_hash;
	size_t cap_path;
};

static uint32_t *dict_translate_alloc_ids(uint32_t n)
{
	uint32_t *id = mem_alloc(n, sizeof(*id));

	memset(id, 0xff, n * sizeof(*id));
	return id;
}

struct dict_translation *dict_translation_new(struct dict *to, const struct dict *from)
{
	struct dict_translation *t = mem_zalloc(1, sizeof(*t));

	assert(to != from);
	t->to = to;
	t->from = from;
	t->meta = dict_translate_alloc_ids(from->n_metas);
	t->series = dict_translate_alloc_ids(from->n_series);
	dict_view(from, &t->view);
	return t;
}

void dict_translation_free(struct dict_translation *t)
{
	if (!t)
		return;
	if (t->is_begun) {
		merge_ids_release(&t->ids);
		dict_count_memory(t->to);
	}
	free(t->node);
	free(t->row);
	free(t->meta);
	free(t->series);
	free(t->path);
	free(t->path_hash);
	free(t->path_loc);
	free(t->path_to);
	free(t);
}

static int dict_translate_begin(struct dict_translation *t, struct err *err)
{
	int rc;

	if (t->is_begun)
		return 0;
	rc = dict_index_make(t->to, err);
	if (rc < 0)
		return rc;
	merge_ids_init(&t->ids, &t->to->index->known);
	merge_ids_set_source(&t->ids, &t->view, true);
	t->is_begun = true;
	return 0;
}

/* The node of to; PROFILE_NONE for that of an empty stack. */
static uint32_t translated_node(const struct dict_translation *t, uint32_t node)
{
	return node == PROFILE_NONE ? PROFILE_NONE : t->node[node].id;
}

static void translate_grow_path(struct dict_translation *t, size_t n)
{
	if (n <= t->cap_path)
		return;
	t->path = mem_grow(t->path, &(size_t){ t->cap_path }, n, sizeof(*t->path));
	t->path_hash = mem_grow(t->path_hash, &(size_t){ t->cap_path }, n, sizeof(*t->path_hash));
	t->path_loc = mem_grow(t->path_loc, &(size_t){ t->cap_path }, n, sizeof(*t->path_loc));
	t->path_to = mem_grow(t->path_to, &t->cap_path, n, sizeof(*t->path_to));
}

/* List the nodes of a stack that are not translated, after the first *n of t->path. */
static int find_path(struct dict_translation *t, uint32_t leaf, size_t *n, struct translate_path *out, struct err *err)
{
	const struct dict *from = t->from;
	size_t start = *n, length = 0;

	for (uint32_t at = leaf; at != PROFILE_NONE && t->node[at].id == PROFILE_NONE; at = from->node_parent[at])
		length++;
	translate_grow_path(t, start + length);
	*n = start + length;
	for (size_t i = *n; i-- > start; leaf = from->node_parent[leaf]) {
		uint32_t loc = from->node_loc[leaf];

		t->path[i] = leaf;
		t->node[leaf].id = TRANSLATE_SOON;
		t->path_loc[i] = t->ids.loc[loc];
		if (t->path_loc[i] == PROFILE_NONE && merge_ids_location(&t->ids, loc, &t->path_loc[i], err) < 0)
			return ERR_LIMIT;
	}
	for (size_t i = start; i < *n; i++) {
		uint32_t caller = from->node_parent[t->path[i]];

		t->path_hash[i] = dict_path_hash(caller == PROFILE_NONE ? 0 : t->node[caller].hash, t->path_loc[i]);
		t->node[t->path[i]].hash = t->path_hash[i];
	}
	*out = (struct translate_path){ start, length };
	return 0;
}

/* Read what find_path will read of all rows at the same time: the cache misses of one path cannot overlap. */
static void prefetch_untranslated(const struct dict_translation *t, const uint32_t *row, size_t n)
{
	uint32_t at[TRANSLATE_ROWS];
	size_t n_at = 0;

	for (size_t i = 0; i < n; i++)
		if (t->from->row_node[row[i]] != PROFILE_NONE)
			at[n_at++] = t->from->row_node[row[i]];
	while (n_at > 0) {
		size_t n_next = 0;

		for (size_t i = 0; i < n_at; i++) {
			uint32_t caller = t->from->node_parent[at[i]];

			__builtin_prefetch(&t->from->node_loc[at[i]]);
			if (t->node[at[i]].id == PROFILE_NONE && caller != PROFILE_NONE)
				at[n_next++] = caller;
		}
		n_at = n_next;
	}
}

/* Prefetch the nodes of the paths, n_nodes in all. */
static void prefetch_paths(const struct dict_translation *t, const struct translate_path *path, size_t n,
			   size_t n_nodes)
{
	for (size_t i = 0; i < n_nodes; i++)
		dict_prefetch_node(t->to, t->path_hash[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t caller = PROFILE_NONE;

		if (path[i].n)
			caller = translated_node(t, t->from->node_parent[t->path[path[i].start]]);
		if (caller < TRANSLATE_SOON)
			dict_prefetch_node_after(t->to, caller);
	}
	for (size_t i = 0; i < n_nodes; i++)
		dict_prefetch_found_node(t->to, t->path_hash[i]);
}

static int translate_path(struct dict_translation *t, const struct translate_path *p, struct err *err)
{
	const uint32_t *path;
	uint32_t *to;

	if (p->n == 0)
		return 0;
	path = t->path + p->start;
	to = t->path_to + p->start;
	if (dict_add_path(t->to, translated_node(t, t->from->node_parent[path[0]]), t->path_loc + p->start,
			  t->path_hash + p->start, p->n, to, err) < 0)
		return ERR_LIMIT;
	for (size_t i = 0; i < p->n; i++)
		t->node[path[i]].id = to[i];
	return 0;
}

/* Translate the stacks of at most TRANSLATE_ROWS rows. */
static int translate_stacks(struct dict_translation *t, const uint32_t *row, size_t n, struct err *err)
{
	struct translate_path path[TRANSLATE_ROWS];
	size_t n_path = 0;

	prefetch_untranslated(t, row, n);
	for (size_t i = 0; i < n; i++)
		if (find_path(t, t->from->row_node[row[i]], &n_path, &path[i], err) < 0)
			return ERR_LIMIT;
	prefetch_paths(t, path, n, n_path);
	for (size_t i = 0; i < n; i++) {
		if (translate_path(t, &path[i], err) < 0)
			return ERR_LIMIT;
		dict_prefetch_row(t->to, translated_node(t, t->from->row_node[row[i]]));
	}
	return 0;
}

/* Translate at most TRANSLATE_ROWS rows, which are not translated yet. */
static int translate_new_rows(struct dict_translation *t, const uint32_t *row, size_t n, struct err *err)
{
	const struct dict *from = t->from;

	if (translate_stacks(t, row, n, err) < 0)
		return ERR_LIMIT;
	for (size_t i = 0; i < n; i++)
		dict_prefetch_found_row(t->to, translated_node(t, from->row_node[row[i]]));
	for (size_t i = 0; i < n; i++) {
		uint32_t set;

		if (merge_ids_labels(&t->ids, from->row_labels[row[i]], &set, err) < 0 ||
		    dict_add_row(t->to, translated_node(t, from->row_node[row[i]]), set, &t->row[row[i]], err) < 0)
			return ERR_LIMIT;
	}
	return 0;
}

/* Make room for the ids of nodes and rows. */
static void translate_alloc_rows(struct dict_translation *t)
{
	const struct dict *from = t->from;

	if (t->node)
		return;
	t->node = mem_alloc(from->n_nodes, sizeof(*t->node));
	memset(t->node, 0xff, from->n_nodes * sizeof(*t->node));
	t->row = dict_translate_alloc_ids(from->n_rows);
}

int dict_translate_rows(struct dict_translation *t, uint32_t *row, size_t n, struct err *err)
{
	uint32_t new_rows[TRANSLATE_ROWS];
	int rc = n ? dict_translate_begin(t, err) : 0;

	translate_alloc_rows(t);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		size_t n_new = 0;

		for (hi = lo; hi < n && n_new < TRANSLATE_ROWS; hi++) {
			assert(row[hi] < t->from->n_rows);
			if (t->row[row[hi]] == PROFILE_NONE)
				new_rows[n_new++] = row[hi];
		}
		rc = translate_new_rows(t, new_rows, n_new, err);
		for (size_t i = lo; rc == 0 && i < hi; i++)
			row[i] = t->row[row[i]];
	}
	return rc;
}

int dict_translate_location(struct dict_translation *t, uint32_t loc, uint32_t *id, struct err *err)
{
	int rc = dict_translate_begin(t, err);

	return rc == 0 ? merge_ids_location(&t->ids, loc, id, err) : rc;
}

int dict_translate_label_set(struct dict_translation *t, uint32_t set, uint32_t *id, struct err *err)
{
	int rc = dict_translate_begin(t, err);

	return rc == 0 ? merge_ids_labels(&t->ids, set, id, err) : rc;
}

int dict_translate_leaf(struct dict_translation *t, uint32_t loc, uint32_t *row, struct err *err)
{
	uint32_t node = PROFILE_NONE, id, hash;
	int rc = dict_translate_begin(t, err);

	if (rc == 0 && loc != PROFILE_NONE) {
		rc = merge_ids_location(&t->ids, loc, &id, err);
		hash = rc == 0 ? dict_path_hash(0, id) : 0;
		rc = rc == 0 ? dict_add_path(t->to, PROFILE_NONE, &id, &hash, 1, &node, err) : rc;
	}
	return rc == 0 ? dict_add_row(t->to, node, 0, row, err) : rc;
}

static str_id dict_translate_text(struct dict_translation *t, str_id id)
{
	return merge_ids_text(&t->ids, &t->view, id);
}

static struct value_type dict_translate_value_type(struct dict_translation *t, const struct value_type *type)
{
	return (struct value_type){ dict_translate_text(t, type->name), dict_translate_text(t, type->unit) };
}

static int translate_places(struct dict_translation *t, const struct dict_meta *own, struct dict_place *place,
			    struct err *err)
{
	for (uint32_t i = 0; i < own->n_places; i++) {
		place[i] = own->place[i];
		if (merge_ids_mapping(&t->ids, own->place[i].map, &place[i].map, err) < 0)
			return ERR_LIMIT;
		place[i].file = dict_translate_text(t, own->place[i].file);
		place[i].kernel_symbol = dict_translate_text(t, own->place[i].kernel_symbol);
	}
	return 0;
}

static int translate_meta(struct dict_translation *t, const struct dict_meta *own, uint32_t *id, struct err *err)
{
	struct dict_meta m = *own;
	int rc;

	m.type = mem_alloc(m.n_types, sizeof(*m.type));
	m.comment = mem_alloc(m.n_comments, sizeof(*m.comment));
	m.place = mem_alloc(m.n_places, sizeof(*m.place));
	for (uint32_t i = 0; i < m.n_types; i++)
		m.type[i] = dict_translate_value_type(t, &own->type[i]);
	m.period_type = dict_translate_value_type(t, &own->period_type);
	m.default_type = dict_translate_text(t, own->default_type);
	m.drop_frames = dict_translate_text(t, own->drop_frames);
	m.keep_frames = dict_translate_text(t, own->keep_frames);
	m.doc_url = dict_translate_text(t, own->doc_url);
	for (uint32_t i = 0; i < m.n_comments; i++)
		m.comment[i] = dict_translate_text(t, own->comment[i]);
	rc = translate_places(t, own, m.place, err);
	if (rc == 0)
		rc = dict_add_meta(t->to, &m, id, err);
	free(m.type);
	free(m.comment);
	free(m.place);
	return rc;
}

int dict_translate_meta(struct dict_translation *t, uint32_t meta, uint32_t *id, struct err *err)
{
	int rc;

	assert(meta < t->from->n_metas);
	*id = t->meta[meta];
	if (*id != PROFILE_NONE)
		return 0;
	rc = dict_translate_begin(t, err);
	if (rc == 0)
		rc = translate_meta(t, &t->from->meta[meta], id, err);
	if (rc == 0)
		t->meta[meta] = *id;
	return rc;
}

static int translate_series(struct dict_translation *t, const struct dict_series *own, uint32_t *id, struct err *err)
{
	struct dict_series s = *own;
	int rc;

	s.kind = dict_translate_text(t, own->kind);
	s.name = mem_alloc(s.n_labels, sizeof(*s.name));
	s.value = mem_alloc(s.n_labels, sizeof(*s.value));
	for (uint32_t i = 0; i < s.n_labels; i++) {
		s.name[i] = dict_translate_text(t, own->name[i]);
		s.value[i] = dict_translate_text(t, own->value[i]);
	}
	rc = dict_add_series_ids(t->to, &s, id, err);
	free(s.name);
	free(s.value);
	return rc;
}

int dict_translate_series(struct dict_translation *t, uint32_t series, uint32_t *id, struct err *err)
{
	int rc;

	assert(series < t->from->n_series);
	*id = t->series[series];
	if (*id != PROFILE_NONE)
		return 0;
	rc = dict_translate_begin(t, err);
	if (rc == 0)
		rc = translate_series(t, &t->from->series[series], id, err);
	if (rc == 0)
		t->series[series] = *id;
	return rc;
}
