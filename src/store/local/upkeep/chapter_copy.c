/*
 * chapter_copy.c - copy profiles from one chapter to another
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/chapter_copy.h"

#include "base/mem.h"
#include "store/local/read/select.h"

#include <stdlib.h>

struct copier {
	const struct chapter *from;
	const struct chapter_filter *filter;
	struct chapter_builder *to;
	struct dict_translation *translation;
	struct chapter_copied *n;
	signed char *matches; /* [n_series] of the query: 1, 0, -1: not known */
	struct buf raw;
	uint64_t *order; /* scratch */
	int64_t *values;
	size_t order_cap, values_cap;
};

static int chapter_copy_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sort the rows of a profile, whose ids have changed. */
static void chapter_copy_sort_rows(struct copier *c, struct stored *s)
{
	uint32_t i = 1;

	while (i < s->n && s->row[i - 1] < s->row[i])
		i++;
	if (i >= s->n)
		return;
	c->order = mem_grow(c->order, &c->order_cap, s->n, sizeof(*c->order));
	c->values = mem_grow(c->values, &c->values_cap, s->n, sizeof(*c->values));
	for (i = 0; i < s->n; i++)
		c->order[i] = (uint64_t)s->row[i] << 32 | i;
	qsort(c->order, s->n, sizeof(*c->order), chapter_copy_compare_u64);
	for (i = 0; i < s->n; i++)
		s->row[i] = (uint32_t)(c->order[i] >> 32);
	for (uint32_t col = 0; col < s->n_columns; col++) {
		int64_t *value = s->value + (size_t)col * s->n;

		for (i = 0; i < s->n; i++)
			c->values[i] = value[(uint32_t)c->order[i]];
		for (i = 0; i < s->n; i++)
			value[i] = c->values[i];
	}
}

static int copy_profile(struct copier *c, struct stored *s, struct err *err)
{
	int rc = dict_translate_series(c->translation, s->series, &s->series, err);

	if (rc == 0)
		rc = dict_translate_meta(c->translation, s->meta, &s->meta, err);
	for (uint32_t i = 0; rc == 0 && i < s->n; i++)
		rc = dict_translate_row(c->translation, s->row[i], &s->row[i], err);
	if (rc < 0)
		return rc;
	chapter_copy_sort_rows(c, s);
	chapter_builder_add(c->to, s);
	c->n->profiles++;
	if (s->start_ns < c->n->first)
		c->n->first = s->start_ns;
	if (s->start_ns > c->n->last)
		c->n->last = s->start_ns;
	return 0;
}

/* Is a profile of a series that starts then selected? It is counted if the query rejects it. */
static int chapter_copy_is_selected(struct copier *c, uint32_t series, int64_t start, struct err *err)
{
	const struct chapter_filter *f = c->filter;
	bool in_query;

	if (start >= f->t1 && start < c->n->next)
		c->n->next = start;
	if (start < f->t0 || start >= f->t1)
		return 0;
	if (!f->query)
		return 1;
	if (c->matches[series] < 0) {
		int rc = select_series(f->query, c->from, &c->from->dict.series[series], err);

		if (rc < 0)
			return rc;
		c->matches[series] = rc > 0;
	}
	in_query = c->matches[series] && start >= f->query->t0 && start < f->query->t1;
	c->n->dropped += in_query == f->is_inverse;
	return in_query != f->is_inverse;
}

static int copy_profiles(struct copier *c, const struct block *b, uint32_t series, struct err *err)
{
	struct stored *all = mem_zalloc(b->n, sizeof(*all));
	int rc = block_profiles(b, all, err);

	if (rc < 0) {
		free(all);
		return rc;
	}
	for (uint32_t i = 0; rc >= 0 && i < b->n; i++) {
		all[i].series = series;
		rc = chapter_copy_is_selected(c, series, b->start_ns[i], err);
		if (rc == 1)
			rc = copy_profile(c, &all[i], err);
	}
	for (uint32_t i = 0; i < b->n; i++)
		dict_release_stored(&all[i]);
	free(all);
	return rc < 0 ? rc : 0;
}

static int copy_block(struct copier *c, uint32_t i, struct err *err)
{
	const struct block_entry *e = &c->from->block[i];
	struct block b;
	int rc;

	if (e->t1 < c->filter->t0)
		return 0;
	if (e->t0 >= c->filter->t1) {
		if (e->t0 < c->n->next)
			c->n->next = e->t0;
		return 0;
	}
	rc = chapter_open_block(c->from, i, &c->raw, &b, err);
	if (rc < 0)
		return rc;
	rc = copy_profiles(c, &b, e->series, err);
	block_release(&b);
	return rc;
}

static void copy_marks(struct copier *c)
{
	const struct chapter_filter *f = c->filter;

	for (uint32_t i = 0; i < c->from->n_marks; i++) {
		const struct store_mark *m = &c->from->mark[i];

		if (m->time_ns >= f->t1 && m->time_ns < c->n->next)
			c->n->next = m->time_ns;
		if (m->time_ns >= f->t0 && m->time_ns < f->t1 && (!f->query || f->is_inverse))
			chapter_builder_mark(c->to, m);
	}
}

int copy_chapter(const struct chapter *from, const struct chapter_filter *f, struct stop *stop,
		 struct chapter_builder *to, struct chapter_copied *n, struct err *err)
{
	struct copier c = { .from = from, .filter = f, .to = to, .n = n };
	int rc = 0;

	c.translation = dict_translation_new(chapter_builder_dict(to), &from->dict);
	c.matches = mem_alloc(from->dict.n_series + 1, 1);
	for (uint32_t i = 0; i < from->dict.n_series; i++)
		c.matches[i] = -1;
	for (uint32_t i = 0; rc == 0 && i < from->n_blocks; i++) {
		rc = stop_check(stop, err);
		if (rc == 0)
			rc = copy_block(&c, i, err);
	}
	copy_marks(&c);
	dict_translation_free(c.translation);
	free(c.matches);
	free(c.order);
	free(c.values);
	buf_release(&c.raw);
	return rc;
}
