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

struct dict_translation {
	struct dict *to;
	const struct dict *from;
	struct profile view;  /* of from */
	struct merge_ids ids; /* once is_begun */
	bool is_begun;
	uint32_t *node, *row, *meta, *series; /* ids in to, or PROFILE_NONE */
	uint32_t *path;                       /* nodes from a leaf to its last translated ancestor */
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
	t->node = dict_translate_alloc_ids(from->n_nodes);
	t->row = dict_translate_alloc_ids(from->n_rows);
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

static int translate_node(struct dict_translation *t, uint32_t node, uint32_t *id, struct err *err)
{
	const struct dict *from = t->from;
	uint32_t at = node;
	size_t n = 0;

	for (; at != PROFILE_NONE && t->node[at] == PROFILE_NONE; at = from->node_parent[at]) {
		t->path = mem_grow(t->path, &t->cap_path, n + 1, sizeof(*t->path));
		t->path[n++] = at;
	}
	*id = at == PROFILE_NONE ? PROFILE_NONE : t->node[at];
	while (n > 0) {
		uint32_t loc;

		at = t->path[--n];
		if (merge_ids_location(&t->ids, from->node_loc[at], &loc, err) < 0 ||
		    dict_add_node(t->to, *id, loc, id, err) < 0)
			return ERR_LIMIT;
		t->node[at] = *id;
	}
	return 0;
}

int dict_translate_row(struct dict_translation *t, uint32_t row, uint32_t *id, struct err *err)
{
	uint32_t node, set;
	int rc = 0;

	assert(row < t->from->n_rows);
	*id = t->row[row];
	if (*id != PROFILE_NONE)
		return 0;
	rc = dict_translate_begin(t, err);
	if (rc < 0)
		return rc;
	if (translate_node(t, t->from->row_node[row], &node, err) < 0 ||
	    merge_ids_labels(&t->ids, t->from->row_labels[row], &set, err) < 0 ||
	    dict_add_row(t->to, node, set, id, err) < 0)
		return ERR_LIMIT;
	t->row[row] = *id;
	return 0;
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
