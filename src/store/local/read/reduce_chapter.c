/*
 * reduce_chapter.c - the series and sample types of a chapter, and the blocks that a query needs of it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/instance.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>
#include <string.h>

/* The reduction of a column. One profile, chosen by its id, is the same in all ways but "increase". */
static enum reduce reduce_column(const struct store_query *q, enum temporality t)
{
	enum reduce wanted = q->id ? REDUCE_SUM : q->reduce;
	static const enum reduce by_default[] = { [TEMPORALITY_DELTA] = REDUCE_SUM,
						  [TEMPORALITY_CUMULATIVE] = REDUCE_INCREASE,
						  [TEMPORALITY_GAUGE] = REDUCE_MEAN,
						  [TEMPORALITY_INCREASE] = REDUCE_SUM };

	if (wanted == REDUCE_DEFAULT)
		return by_default[t];
	if (t == TEMPORALITY_INCREASE) /* reduce_slot_check refuses the others */
		return REDUCE_SUM;
	return wanted == REDUCE_INCREASE && t == TEMPORALITY_DELTA ? REDUCE_SUM : wanted;
}

static struct reduce_shape make_shape(struct reducer *r, const uint64_t *word, uint32_t n)
{
	struct reduce_shape s = { .n_types = n };

	s.type = arena_alloc(r->arena, n, sizeof(*s.type));
	s.temporality = arena_alloc(r->arena, n, sizeof(*s.temporality));
	s.reduce = arena_alloc(r->arena, n, sizeof(*s.reduce));
	s.ordered = arena_alloc(r->arena, n, sizeof(*s.ordered));
	s.increase = arena_alloc(r->arena, n, sizeof(*s.increase));
	for (uint32_t t = 0; t < n; t++) {
		s.type[t] = (struct value_type){ (str_id)(word[2 * t] >> 32), (str_id)word[2 * t] };
		s.temporality[t] = (enum temporality)word[2 * t + 1];
		s.reduce[t] = reduce_column(r->q, s.temporality[t]);
		if (s.reduce[t] != REDUCE_SUM)
			s.ordered[s.n_ordered++] = t;
		if (s.reduce[t] == REDUCE_INCREASE)
			s.increase[s.n_increase++] = t;
	}
	return s;
}

/* The shape of a meta of a chapter. */
static int find_shape(struct reducer *r, const struct dict *d, const struct dict_meta *m, uint32_t *id, struct err *err)
{
	uint32_t n = m->n_types, before = r->shape_keys.n;
	uint64_t *word = mem_alloc(n, 2 * sizeof(*word));
	int rc;

	for (uint32_t t = 0; t < n; t++) {
		uint64_t name = strtab_add_from(r->dict.str, d->str, m->type[t].name);

		word[2 * t] = name << 32 | strtab_add_from(r->dict.str, d->str, m->type[t].unit);
		word[2 * t + 1] = m->temporality[t];
	}
	rc = keys_add(&r->shape_keys, word, 2 * (size_t)n, keys_hash(word, 2 * (size_t)n), id, err);
	if (rc == 0 && *id == before) {
		r->shape = mem_grow(r->shape, &r->cap_shapes, (size_t)before + 1, sizeof(*r->shape));
		r->shape[before] = make_shape(r, word, n);
	}
	free(word);
	return rc;
}

static int find_metas(struct reducer *r, struct reduce_chapter *c, struct err *err)
{
	const struct dict *d = &c->c->dict;
	int rc = 0;

	c->shape = mem_alloc(d->n_metas, sizeof(*c->shape));
	c->process = mem_alloc(d->n_metas, sizeof(*c->process));
	for (uint32_t i = 0; rc == 0 && i < d->n_metas; i++) {
		c->process[i] = tier_find_process(d, &d->meta[i]);
		if (d->meta[i].same_types < i)
			c->shape[i] = c->shape[d->meta[i].same_types];
		else
			rc = find_shape(r, d, &d->meta[i], &c->shape[i], err);
		if (rc == 0) {
			c->has_order |= r->shape[c->shape[i]].n_ordered > 0;
			c->has_increase |= r->shape[c->shape[i]].n_increase > 0;
		}
	}
	return rc;
}

/* The group of a series: its values of the kept labels. */
static int reduce_chapter_find_group(struct reducer *r, const struct chapter *c, const struct dict_series *s,
				     uint32_t *id, struct err *err)
{
	size_t n = r->q->n_keep;
	uint32_t before = r->group_keys.n;
	uint64_t *word = mem_alloc(n + 1, sizeof(*word));
	int rc;

	word[n] = 0; /* without kept labels there is one group */
	for (size_t i = 0; i < n; i++)
		word[i] = strtab_addz(r->dict.str, chapter_label(c, s, r->q->keep[i]));
	rc = keys_add(&r->group_keys, word, n + 1, keys_hash(word, n + 1), id, err);
	if (rc == 0 && *id == before && n) {
		r->group = mem_grow(r->group, &r->cap_groups, ((size_t)before + 1) * n, sizeof(*r->group));
		for (size_t i = 0; i < n; i++)
			r->group[before * n + i] = (str_id)word[i];
	}
	free(word);
	return rc;
}

static uint32_t find_instance(struct reducer *r, const struct chapter *c, const struct dict_series *s)
{
	size_t before = r->cap_instances;
	struct buf name = { 0 };
	uint32_t id;

	instance_begin(&name, c->service);
	for (uint32_t i = 0; i < s->n_labels; i++)
		instance_add(&name, strtab_text(c->dict.str, s->name[i]), strtab_text(c->dict.str, s->value[i]));
	id = strtab_add(r->instance_names, name.data, name.len);
	buf_release(&name);
	r->instance = mem_grow(r->instance, &r->cap_instances, (size_t)id + 1, sizeof(*r->instance));
	memset(r->instance + before, 0, (r->cap_instances - before) * sizeof(*r->instance));
	r->instance[id].n_series++;
	return id;
}

static int find_series(struct reducer *r, const struct chapter *c, const struct dict_series *s, uint32_t *id,
		       struct err *err)
{
	uint32_t before = r->series_keys.n;
	struct reduce_series *out;
	uint64_t word[2];
	int rc;

	memcpy(word, s->hash, sizeof(word));
	rc = keys_add(&r->series_keys, word, 2, keys_hash(word, 2), id, err);
	if (rc < 0 || *id != before)
		return rc;
	r->series = mem_grow(r->series, &r->cap_series, (size_t)before + 1, sizeof(*r->series));
	out = &r->series[before];
	*out = (struct reduce_series){ .t0 = select_window_start(r->q, &r->cut, s->hash) };
	memcpy(out->hash, s->hash, sizeof(out->hash));
	rc = select_series(r->q, c, s, err);
	out->is_match = rc > 0;
	out->is_merged = rc >= 0 && select_is_merged(r->q, c, s);
	if (rc > 0)
		rc = reduce_chapter_find_group(r, c, s, &out->group, err);
	out->is_kind = !r->q->kind || !*r->q->kind || strcmp(strtab_text(c->dict.str, s->kind), r->q->kind) == 0;
	if (out->is_kind)
		out->instance = find_instance(r, c, s);
	out->has_instance_label = *chapter_label(c, s, "instance") != 0;
	out->version = strtab_addz(r->dict.str, chapter_label(c, s, "version"));
	return rc < 0 ? rc : 0;
}

static int find_all_series(struct reducer *r, struct reduce_chapter *c, struct err *err)
{
	const struct dict *d = &c->c->dict;
	int rc = 0;

	c->series = mem_alloc(d->n_series, sizeof(*c->series));
	for (uint32_t i = 0; rc == 0 && i < d->n_series; i++)
		rc = find_series(r, c->c, &d->series[i], &c->series[i], err);
	return rc;
}

/* Is the block needed? is_last: no later block of the series begins before the window. */
static bool is_needed(const struct reducer *r, const struct reduce_chapter *c, enum reduce_pass pass, uint32_t series,
		      const struct block_entry *b, bool is_last)
{
	bool is_inside = b->t1 >= r->series[series].t0 && b->t0 < r->q->t1;
	bool is_base = c->has_increase && is_last && b->t0 < r->series[series].t0;

	if (pass == PASS_PROFILES)
		return is_inside && r->series[series].is_unordered;
	if (pass == PASS_BASES)
		return is_base && r->series[series].needs_base;
	return is_inside || is_base;
}

/* List the last block of a series that begins before the first profile of another series of its instance. */
static void list_earlier(const struct reducer *r, struct reduce_chapter *c, uint32_t i)
{
	const struct block_entry *b = &c->c->block[i], *next = i + 1 < c->c->n_blocks ? b + 1 : NULL;
	uint32_t own = c->series[b->series];

	for (size_t k = 0; k < r->n_needy; k++) {
		const struct reduce_series *s = &r->series[r->needy[k]];

		if (!r->series[own].is_kind || r->needy[k] == own || s->instance != r->series[own].instance ||
		    b->t0 >= s->first_ns || (next && next->series == b->series && next->t0 < s->first_ns))
			continue;
		c->item = mem_grow(c->item, &c->cap_items, c->n_items + 1, sizeof(*c->item));
		c->item[c->n_items++] = (struct reduce_item){ .series = r->needy[k], .block = i };
	}
}

static int reduce_chapter_compare_items(const void *a, const void *b, void *arg)
{
	const struct reduce_item *x = a, *y = b;
	const struct reducer *r = arg;
	uint32_t g = r->series[x->series].group, h = r->series[y->series].group;

	if (g != h)
		return g < h ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/*
 * Is the answer for the profiles of a sum that of the sum? They must all be in the window, match, and have one group, and no column may
 * need single profiles.
 */
static bool can_use_sum(const struct reducer *r, const struct reduce_chapter *c, const struct chapter_sum *sum,
			uint32_t *first)
{
	const struct chapter *ch = c->c;
	bool is_fit = r->shape[c->shape[sum->meta]].n_ordered == 0 && !r->wants_gains && !r->q->id &&
		      (r->q->reduce == REDUCE_DEFAULT || r->q->reduce == REDUCE_SUM);

	*first = PROFILE_NONE;
	for (uint32_t i = 0; is_fit && i < ch->n_blocks; i++) {
		const struct block_entry *b = &ch->block[i];
		const struct reduce_series *s = &r->series[c->series[b->series]];

		if (ch->dict.series[b->series].kind != sum->kind)
			continue;
		*first = *first == PROFILE_NONE ? c->series[b->series] : *first;
		is_fit = s->is_match && !s->is_merged && s->group == r->series[*first].group && b->t0 >= s->t0 &&
			 b->t1 < r->q->t1;
	}
	return is_fit && *first != PROFILE_NONE;
}

/* Replace the blocks of a kind by their sum, where it has the answer. */
static void list_sums(const struct reducer *r, struct reduce_chapter *c)
{
	for (uint32_t k = 0; k < c->c->n_sums; k++) {
		uint32_t first;
		size_t n = 0;

		if (!can_use_sum(r, c, &c->c->sum[k], &first))
			continue;
		for (size_t i = 0; i < c->n_items; i++)
			if (c->item[i].is_sum ||
			    c->c->dict.series[c->c->block[c->item[i].block].series].kind != c->c->sum[k].kind)
				c->item[n++] = c->item[i];
		c->item = mem_grow(c->item, &c->cap_items, n + 1, sizeof(*c->item));
		c->item[n++] = (struct reduce_item){ .series = first, .block = k, .is_sum = true };
		c->n_items = n;
	}
}

static int list_items(struct reducer *r, struct reduce_chapter *c, enum reduce_pass pass, struct err *err)
{
	const struct chapter *ch = c->c;

	for (uint32_t i = 0; pass == PASS_EARLIER && i < ch->n_blocks; i++)
		list_earlier(r, c, i);
	for (uint32_t i = 0; pass != PASS_EARLIER && i < ch->n_blocks; i++) {
		const struct block_entry *b = &ch->block[i], *next = i + 1 < ch->n_blocks ? b + 1 : NULL;
		uint32_t series = c->series[b->series];
		const struct reduce_series *s = &r->series[series];

		if (!s->is_match && !s->is_merged)
			continue;
		if (!is_needed(r, c, pass, series, b, !next || next->series != b->series || next->t0 >= s->t0))
			continue;
		if (s->is_merged && b->t1 >= s->t0 && b->t0 < r->q->t1)
			return select_fail_merged(r->q, ch, &ch->dict.series[b->series], err);
		if (s->is_match) {
			c->item = mem_grow(c->item, &c->cap_items, c->n_items + 1, sizeof(*c->item));
			c->item[c->n_items++] = (struct reduce_item){ .series = series, .block = i };
		}
	}
	if (pass == PASS_WINDOW)
		list_sums(r, c);
	if (r->q->n_keep && c->n_items)
		qsort_r(c->item, c->n_items, sizeof(*c->item), reduce_chapter_compare_items, r);
	return 0;
}

int reduce_chapter_init(struct reducer *r, struct reduce_chapter *c, enum reduce_pass pass, struct err *err)
{
	int rc = find_metas(r, c, err);

	if (rc == 0)
		rc = find_all_series(r, c, err);
	if (rc < 0)
		return rc;
	/* an adopted dictionary is that of the result; its rows have the same ids there */
	if (r->wants_gains)
		rc = select_rows_extend(&c->selected, r->q, c->is_adopted ? &r->dict : &c->c->dict, err);
	if (rc == 0)
		rc = list_items(r, c, pass, err);
	if (rc == 0 && !c->is_adopted)
		c->translation = dict_translation_new(&r->dict, &c->c->dict);
	return rc;
}

void reduce_chapter_release(struct reduce_chapter *c)
{
	free(c->series);
	free(c->shape);
	free(c->process);
	free(c->item);
	select_rows_release(&c->selected);
	dict_translation_free(c->translation);
}
