/*
 * copy.c - write what a query selects as a segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/copy.h"

#include "base/mem.h"
#include "store/local/read/select.h"
#include "store/local/tier/tier.h"

#include <stdlib.h>
#include <string.h>

/* ns to ms, rounded down. */
static int64_t ms_of(int64_t ns)
{
	return ns / 1000000 - (ns % 1000000 < 0);
}

int copy_open(struct store *s, const struct store_query *q, struct store_copy *out, struct err *err)
{
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	int rc;

	*out = (struct store_copy){ .query = q };
	if (q->limit > 0)
		return err_set(err, ERR_USAGE, "limit= cannot be used here; select a window");
	rc = select_open(s, q, &out->selection, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < out->selection.n; i++) {
		const struct select_chapter *ch = &out->selection.chapter[i];

		t0 = ch->t0 < t0 ? ch->t0 : t0;
		t1 = ch->t1 > t1 ? ch->t1 : t1;
		out->bytes += ch->bytes;
		out->tier = ch->tier > out->tier ? ch->tier : out->tier;
	}
	t0 = t0 < q->t0 ? q->t0 : t0;
	t1 = t1 >= q->t1 ? q->t1 - 1 : t1;
	out->t0 = ms_of(t0);
	out->t1 = ms_of(t1) + 1;
	return 0;
}

static int compare_services(const void *a, const void *b)
{
	const struct select_chapter *const *x = a, *const *y = b;
	int order = strcmp((*x)->service, (*y)->service);

	return order ? order : (*x > *y) - (*x < *y);
}

static int copy_service(struct store_copy *c, const struct select_chapter *const *list, size_t n, int level,
			struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	struct chapter_filter f = { .t0 = c->query->t0, .t1 = c->query->t1, .query = c->query };
	struct chapter_builder *b = chapter_builder_new(list[0]->service);
	struct chapter_copied copied = CHAPTER_COPIED;
	struct chapter *ch = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct chapter *from = NULL;

		rc = select_read(list[i], &from, err);
		if (rc == 0)
			rc = copy_chapter(from, &f, stop, b, &copied, err);
		if (rc == ERR_FORMAT && from)
			select_damage(list[i], err);
		select_release(list[i], from);
	}
	if (rc == 0 && copied.profiles > 0)
		rc = chapter_builder_finish(b, level, &ch, err);
	if (rc == 0 && ch)
		rc = fn(arg, ch, err);
	chapter_free(ch);
	chapter_builder_free(b);
	c->copied += copied.profiles;
	return rc;
}

int copy_run(struct store_copy *c, int level, struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	size_t n = c->selection.n;
	const struct select_chapter **list = mem_alloc(n + 1, sizeof(const struct select_chapter *));
	int rc = 0;

	c->copied = 0;
	for (size_t i = 0; i < n; i++)
		list[i] = &c->selection.chapter[i];
	if (n > 0)
		qsort(list, n, sizeof(*list), compare_services);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && !strcmp(list[hi]->service, list[lo]->service);)
			hi++;
		rc = copy_service(c, list + lo, hi - lo, level, stop, fn, arg, err);
	}
	free(list);
	if (rc == 0 && c->copied == 0)
		rc = err_set(err, ERR_IO, "no profile of %s is selected", c->query->service);
	return rc;
}

/* ---- copy profiles from one chapter to another ---- */

struct copier {
	const struct chapter *from;
	const struct chapter_filter *filter;
	struct chapter_builder *to;
	struct dict_translation *translation;
	struct chapter_copied *n;
	signed char *matches; /* [n_series] of the query: 1, 0, -1: not known */
	struct buf raw;
};

int copy_stored(struct dict_translation *t, uint32_t series, struct stored *s, struct chapter_builder *to,
		struct err *err)
{
	int rc = dict_translate_series(t, series, &s->series, err);

	if (rc == 0)
		rc = dict_translate_meta(t, s->meta, &s->meta, err);
	if (rc == 0)
		rc = dict_translate_rows(t, s->row, s->n, err);
	if (rc < 0)
		return rc;
	tier_sort_rows(s);
	chapter_builder_add(to, s);
	return 0;
}

static int copy_profile(struct copier *c, struct stored *s, struct err *err)
{
	int rc = copy_stored(c->translation, s->series, s, c->to, err);

	if (rc < 0)
		return rc;
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
		return f->select ? f->select(f->arg, c->from, series, err) : 1;
	if (c->matches[series] < 0) {
		int rc = select_series(f->query, c->from, &c->from->dict.series[series], err);

		if (rc >= 0 && select_is_merged(f->query, c->from, &c->from->dict.series[series]))
			return select_fail_merged(f->query, c->from, &c->from->dict.series[series], err);
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
	buf_release(&c.raw);
	return rc;
}
