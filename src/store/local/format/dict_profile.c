/*
 * dict_profile.c - build a profile from rows of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * To profile/merge_ids.h, a dictionary is a profile without samples. Entries are translated when a row first uses them, so
 * they are numbered as in a merged profile.
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A profile that is being built. */
struct maker {
	const struct dict *d;
	const struct dict_profile_options *options;
	struct builder *b;
	struct profile view;
	struct mapping *map; /* [d->n_maps] in the places of the profile */
	struct merge_known known;
	struct merge_ids ids;
	uint32_t *stack; /* [d->n_nodes] that of a leaf, or PROFILE_NONE */
	uint32_t *list;
	struct builder_label *label;
	size_t cap_list, cap_labels, frames;
};

void dict_view(const struct dict *d, struct profile *view)
{
	*view = (struct profile){
		.str = d->str,
		.label_sets = d->label_sets,
		.n_labels = d->n_labels,
		.label_key = d->label_key,
		.label_text = d->label_text,
		.label_unit = d->label_unit,
		.label_num = d->label_num,
		.label_is_text = d->label_is_text,
		.n_locs = d->n_locs,
		.loc_addr = d->loc_addr,
		.loc_map = d->loc_map,
		.loc_folded = d->loc_folded,
		.loc_line = d->loc_line,
		.n_lines = d->n_lines,
		.line_func = d->line_func,
		.line_no = d->line_no,
		.line_col = d->line_col,
		.n_funcs = d->n_funcs,
		.func_name = d->func_name,
		.func_sysname = d->func_sysname,
		.func_file = d->func_file,
		.func_start = d->func_start,
		.n_maps = d->n_maps,
		.map = d->map,
	};
}

/* --- meta and mappings --- */

static void place_mappings(struct maker *m, const struct dict_meta *meta)
{
	const struct dict *d = m->d;

	if (!m->options->place_mappings || meta->n_places == 0)
		return;
	m->map = mem_alloc(d->n_maps, sizeof(*m->map));
	memcpy(m->map, d->map, d->n_maps * sizeof(*m->map));
	for (uint32_t i = 0; i < meta->n_places; i++) {
		const struct dict_place *p = &meta->place[i];
		struct mapping *map = &m->map[p->map];

		map->start = p->start;
		map->limit = p->limit;
		map->file = p->file;
		map->kernel_symbol = p->kernel_symbol;
		map->has_functions = p->has_functions;
		map->has_filenames = p->has_filenames;
		map->has_line_numbers = p->has_line_numbers;
		map->has_inline_frames = p->has_inline_frames;
	}
	m->view.map = m->map;
}

static str_id dict_profile_text(struct maker *m, str_id id)
{
	return merge_ids_text(&m->ids, &m->view, id);
}

static void make_meta(struct maker *m, const struct dict_meta *meta, const struct stored *s)
{
	struct profile_meta *out = builder_meta(m->b);

	for (uint32_t t = 0; t < meta->n_types; t++)
		builder_type(m->b, dict_profile_text(m, meta->type[t].name), dict_profile_text(m, meta->type[t].unit));
	out->time_ns = s->start_ns;
	out->duration_ns = s->duration_ns;
	out->period = meta->period;
	out->period_type.name = dict_profile_text(m, meta->period_type.name);
	out->period_type.unit = dict_profile_text(m, meta->period_type.unit);
	out->has_period_type = meta->has_period_type;
	out->default_type = dict_profile_text(m, meta->default_type);
	out->drop_frames = dict_profile_text(m, meta->drop_frames);
	out->keep_frames = dict_profile_text(m, meta->keep_frames);
	out->doc_url = dict_profile_text(m, meta->doc_url);
	for (uint32_t i = 0; i < meta->n_comments; i++)
		builder_comment(m->b, dict_profile_text(m, meta->comment[i]));
}

/* --- labels --- */

/* Compare a label with a text label of this key, in the order of the labels of a sample. */
static int dict_profile_label_order(const struct maker *m, const struct builder_label *l, const char *key)
{
	return l->is_text ? strcmp(strtab_text(builder_strings(m->b), l->key), key) : 1;
}

/* Insert a label of the options, unless it is empty or the sample has a label of that name. Returns the number of labels. */
static size_t insert_label(struct maker *m, size_t n, const struct store_label *more)
{
	struct strtab *str = builder_strings(m->b);
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		if (strcmp(strtab_text(str, m->label[i].key), more->name) == 0)
			return n;
	if (!*more->value)
		return n;
	while (at < n && dict_profile_label_order(m, &m->label[at], more->name) < 0)
		at++;
	memmove(m->label + at + 1, m->label + at, (n - at) * sizeof(*m->label));
	m->label[at] = (struct builder_label){ .key = strtab_addz(str, more->name),
					       .text = strtab_addz(str, more->value),
					       .is_text = true };
	return n + 1;
}

/* Like merge_ids_labels, but with the labels of the options. */
static int dict_profile_make_labels(struct maker *m, uint32_t set, uint32_t *id, struct err *err)
{
	const struct dict *d = m->d;
	uint32_t first = d->label_sets.off[set], n_own = d->label_sets.off[set + 1] - first;
	size_t n = 0;

	if (m->options->n_more == 0)
		return merge_ids_labels(&m->ids, set, id, err);
	*id = m->ids.set[set];
	if (*id != PROFILE_NONE)
		return 0;
	m->label = mem_grow(m->label, &m->cap_labels, n_own + m->options->n_more, sizeof(*m->label));
	m->list = mem_grow(m->list, &m->cap_list, n_own + m->options->n_more, sizeof(*m->list));
	for (; n < n_own; n++) {
		uint32_t label = d->label_sets.item[first + n];

		m->label[n] = (struct builder_label){ .key = dict_profile_text(m, d->label_key[label]),
						      .text = dict_profile_text(m, d->label_text[label]),
						      .unit = dict_profile_text(m, d->label_unit[label]),
						      .num = d->label_num[label],
						      .is_text = d->label_is_text[label] };
	}
	for (size_t i = 0; i < m->options->n_more; i++)
		n = insert_label(m, n, &m->options->more[i]);
	for (size_t i = 0; i < n; i++)
		if (builder_label(m->b, &m->label[i], &m->list[i], err) < 0)
			return ERR_LIMIT;
	if (builder_label_set(m->b, m->list, n, id, err) < 0)
		return ERR_LIMIT;
	m->ids.set[set] = *id;
	return 0;
}

/* --- rows --- */

/* The nodes of a dictionary are distinct, so the stacks of different leaves are too. Only a forged file has equal ones, and then
   equal stacks, which profiles may have (profile/prune.h). */
static int make_stack(struct maker *m, uint32_t leaf, uint32_t *id, struct err *err)
{
	const struct dict *d = m->d;
	size_t n = 0;

	if (leaf == PROFILE_NONE)
		return builder_stack(m->b, NULL, 0, builder_stack_hash(NULL, 0), id, err);
	*id = m->stack[leaf];
	if (*id != PROFILE_NONE)
		return 0;
	for (uint32_t node = leaf; node != PROFILE_NONE; node = d->node_parent[node]) {
		uint32_t loc = d->node_loc[node], frame = m->ids.loc[loc];

		if (frame == PROFILE_NONE && merge_ids_location(&m->ids, loc, &frame, err) < 0)
			return ERR_LIMIT;
		m->list = mem_grow(m->list, &m->cap_list, n + 1, sizeof(*m->list));
		m->list[n++] = frame;
		if (++m->frames > DICT_FRAMES_MAX)
			return err_set(err, ERR_LIMIT, "the stacks have more than %d frames", DICT_FRAMES_MAX);
	}
	if (builder_stack_append(m->b, m->list, n, id, err) < 0)
		return ERR_LIMIT;
	m->stack[leaf] = *id;
	return 0;
}

/* Prefetch the stacks of the next rows. */
static void prefetch_rows(const struct maker *m, const struct stored *s, uint32_t i)
{
	uint32_t leaf[DICT_PATHS];
	size_t n = 0;

	for (; i < s->n && n < DICT_PATHS; i++)
		leaf[n++] = m->d->row_node[s->row[i]];
	dict_prefetch_paths(m->d, leaf, n);
}

static int dict_profile_make_rows(struct maker *m, const struct stored *s, struct err *err)
{
	struct builder_rows rows;

	m->stack = mem_alloc(m->d->n_nodes, sizeof(*m->stack));
	memset(m->stack, 0xff, m->d->n_nodes * sizeof(*m->stack));
	if (builder_rows(m->b, s->n, &rows, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t row = s->row[i];

		assert(row < m->d->n_rows);
		if (i % DICT_PATHS == 0)
			prefetch_rows(m, s, i);
		if (make_stack(m, m->d->row_node[row], &rows.stack[i], err) < 0 ||
		    dict_profile_make_labels(m, m->d->row_labels[row], &rows.labels[i], err) < 0)
			return ERR_LIMIT;
	}
	for (uint32_t t = 0; s->n && t < s->n_columns; t++)
		memcpy(builder_values(m->b, t), s->value + (size_t)t * s->n, s->n * sizeof(*s->value));
	return 0;
}

static int dict_profile_make(struct maker *m, const struct stored *s, struct err *err)
{
	const struct dict_meta *meta = &m->d->meta[s->meta];
	uint32_t first, id;

	place_mappings(m, meta);
	merge_ids_set_source(&m->ids, &m->view, true);
	make_meta(m, meta, s);
	if (meta->n_places && merge_ids_mapping(&m->ids, meta->place[0].map, &first, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; m->options->order && i < m->d->n_locs; i++) {
		uint32_t loc = m->options->order[i];

		if (merge_ids_location(&m->ids, loc, &m->options->loc[loc], err) < 0)
			return ERR_LIMIT;
	}
	for (uint32_t set = 0; m->options->order && set < m->d->label_sets.n; set++)
		if (merge_ids_labels(&m->ids, set, &id, err) < 0)
			return ERR_LIMIT;
	return dict_profile_make_rows(m, s, err);
}

int dict_make_profile(const struct dict *d, const struct stored *s, const struct dict_profile_options *options,
		      struct profile **out, struct err *err)
{
	const struct dict_profile_options none = { 0 };
	struct maker m = { .d = d, .options = options ? options : &none, .b = builder_new() };
	int rc;

	assert(s->meta < d->n_metas && s->n_columns == d->meta[s->meta].n_types);
	dict_view(d, &m.view);
	merge_known_init_builder(&m.known, m.b);
	merge_ids_init(&m.ids, &m.known);
	rc = dict_profile_make(&m, s, err);
	if (rc == 0)
		*out = builder_seal(m.b);
	merge_ids_release(&m.ids);
	merge_known_release(&m.known);
	builder_free(m.b);
	free(m.map);
	free(m.stack);
	free(m.list);
	free(m.label);
	return rc;
}
