/*
 * listing.c - the series and profiles of a query, in order
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/local/read/listing.h"

#include <stdlib.h>
#include <string.h>

static int store_listing_add_part(struct store_listing *l, uint32_t chapter, uint32_t block, struct err *err)
{
	const struct chapter *c = l->chapter[chapter];
	const struct dict_series *series = &c->dict.series[c->block[block].series];
	struct store_listing_series *s;
	uint64_t word[2];
	uint32_t before = l->keys.n, id;

	memcpy(word, series->hash, sizeof(word));
	if (keys_add(&l->keys, word, 2, keys_hash(word, 2), &id, err) < 0)
		return ERR_LIMIT;
	l->series = mem_grow(l->series, &l->cap_series, (size_t)id + 1, sizeof(*l->series));
	if (id == before)
		l->series[id] = (struct store_listing_series){ .chapter = chapter, .series = c->block[block].series };
	s = &l->series[id];
	s->part = mem_grow(s->part, &s->cap_parts, s->n_parts + 1, sizeof(*s->part));
	s->part[s->n_parts++] = (struct store_listing_part){ chapter, block };
	return 0;
}

/* Add the blocks of the query. Returns 1 if there are any. */
static int store_listing_add_parts(struct store_listing *l, uint32_t chapter, struct err *err)
{
	const struct chapter *c = l->chapter[chapter];
	uint32_t series = UINT32_MAX;
	int rc = 0, match = 0, has_any = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++) {
		const struct block_entry *b = &c->block[i];

		if (b->series != series)
			match = select_series(l->q, c, &c->dict.series[b->series], err);
		series = b->series;
		if (match < 0)
			return match;
		if (b->t1 >= l->q->t0 && b->t0 < l->q->t1 && select_is_merged(l->q, c, &c->dict.series[b->series]))
			return select_fail_merged(l->q, c, &c->dict.series[b->series], err);
		if (!match || b->t1 < l->q->t0 || b->t0 >= l->q->t1)
			continue;
		rc = store_listing_add_part(l, chapter, i, err);
		has_any = 1;
	}
	return rc < 0 ? rc : has_any;
}

static int store_listing_add_chapter(struct store_listing *l, uint32_t i, struct err *err)
{
	const struct select_chapter *from = &l->sel.chapter[i];
	int rc = stop_check(l->stop, err);

	if (rc == 0)
		rc = select_read(from, &l->chapter[i], err);
	if ((rc == ERR_FORMAT || rc == ERR_IO) && l->q->partial)
		return 0;
	if (rc == 0)
		rc = store_listing_add_parts(l, i, err);
	if (rc <= 0) {
		select_release(from, l->chapter[i]);
		l->chapter[i] = NULL;
	}
	return rc < 0 ? rc : 0;
}

const struct dict_series *local_listing_series_of(const struct store_listing *l, const struct store_listing_series *s)
{
	return &l->chapter[s->chapter]->dict.series[s->series];
}

static int store_listing_compare_labels(const struct chapter *c, const struct dict_series *a, const struct chapter *d,
					const struct dict_series *b)
{
	for (uint32_t i = 0; i < a->n_labels && i < b->n_labels; i++) {
		int order = strcmp(strtab_text(c->dict.str, a->name[i]), strtab_text(d->dict.str, b->name[i]));

		if (order == 0)
			order = strcmp(strtab_text(c->dict.str, a->value[i]), strtab_text(d->dict.str, b->value[i]));
		if (order)
			return order;
	}
	return a->n_labels < b->n_labels ? -1 : a->n_labels > b->n_labels;
}

static int compare_series(const void *x, const void *y, void *arg)
{
	const struct store_listing *l = arg;
	const struct store_listing_series *s = x, *t = y;
	const struct chapter *c = l->chapter[s->chapter], *d = l->chapter[t->chapter];
	const struct dict_series *a = local_listing_series_of(l, s), *b = local_listing_series_of(l, t);
	int order = strcmp(c->service, d->service);

	if (order == 0)
		order = strcmp(strtab_text(c->dict.str, a->kind), strtab_text(d->dict.str, b->kind));
	return order ? order : store_listing_compare_labels(c, a, d, b);
}

int local_listing_open(struct store *s, const struct store_query *q, struct stop *stop, struct store_listing *l,
		       struct err *err)
{
	int rc;

	*l = (struct store_listing){ .from = q, .own = { .match = NULL }, .stop = stop, .cut = { .t0 = INT64_MIN } };
	keys_init(&l->keys, 2, 0);
	rc = select_open(s, q, &l->sel, err);
	if (rc == 0)
		rc = select_split(s, &l->sel, q, &l->own, err);
	l->q = &l->own;
	if (rc == 0 && q->limit)
		rc = select_find_cut(l->q, &l->sel, &l->cut, err);
	l->chapter = mem_zalloc(l->sel.n, sizeof(*l->chapter));
	for (uint32_t i = 0; rc == 0 && i < l->sel.n; i++)
		rc = store_listing_add_chapter(l, i, err);
	if (rc < 0)
		local_listing_close(l);
	else if (l->keys.n)
		qsort_r(l->series, l->keys.n, sizeof(*l->series), compare_series, l);
	return rc;
}

void local_listing_close(struct store_listing *l)
{
	for (size_t i = 0; i < l->sel.n; i++)
		select_release(&l->sel.chapter[i], l->chapter[i]);
	free(l->chapter);
	for (uint32_t i = 0; i < l->keys.n; i++)
		free(l->series[i].part);
	free(l->series);
	free(l->label);
	keys_release(&l->keys);
	select_close(&l->sel);
	select_split_release(&l->own, l->from);
}

const struct store_label *local_listing_labels(struct store_listing *l, const struct store_listing_series *s)
{
	const struct dict_series *series = local_listing_series_of(l, s);
	const struct strtab *str = l->chapter[s->chapter]->dict.str;

	l->label = mem_grow(l->label, &l->cap_labels, (size_t)series->n_labels + 1, sizeof(*l->label));
	for (uint32_t i = 0; i < series->n_labels; i++)
		l->label[i] =
			(struct store_label){ strtab_text(str, series->name[i]), strtab_text(str, series->value[i]) };
	return l->label;
}

static int store_listing_compare_entries(const void *a, const void *b)
{
	const struct store_listing_entry *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* Append the profiles of a block that are in the query. */
static int add_entries(const struct store_listing *l, const struct store_listing_part *part, struct buf *buffer,
		       struct store_listing_entry **entry, size_t *n, size_t *cap, struct err *err)
{
	const struct chapter *c = l->chapter[part->chapter];
	const uint8_t *hash = c->dict.series[c->block[part->block].series].hash;
	int64_t t0 = select_window_start(l->q, &l->cut, hash);
	struct block b;
	int rc = chapter_open_block(c, part->block, buffer, &b, err);

	if (rc < 0)
		return rc == ERR_FORMAT ? select_damage(&l->sel.chapter[part->chapter], err) : rc;
	for (uint32_t k = 0; k < b.n; k++) {
		uint8_t id[16];

		if (b.start_ns[k] < t0 || b.start_ns[k] >= l->q->t1 || (b.slot && b.slot[k].role != SLOT_SUM))
			continue;
		block_profile_id(hash, b.start_ns[k], id);
		if (l->q->id && memcmp(id, l->q->id, sizeof(id)) != 0)
			continue;
		*entry = mem_grow(*entry, cap, *n + 1, sizeof(**entry));
		(*entry)[(*n)++] = (struct store_listing_entry){ *part, k, b.meta[k], b.start_ns[k], b.duration_ns[k] };
	}
	block_release(&b);
	return 0;
}

int local_listing_entries(struct store_listing *l, const struct store_listing_series *s,
			  struct store_listing_entry **entry, size_t *n, struct err *err)
{
	struct buf buffer = { 0 };
	struct store_listing_entry *e = NULL;
	size_t cap = 0;
	int rc = stop_check(l->stop, err);

	*n = 0;
	for (size_t i = 0; rc == 0 && i < s->n_parts; i++) {
		rc = add_entries(l, &s->part[i], &buffer, &e, n, &cap, err);
		if (rc == ERR_FORMAT && l->q->partial)
			rc = 0;
	}
	buf_release(&buffer);
	if (rc < 0) {
		free(e);
		return rc;
	}
	if (*n)
		qsort(e, *n, sizeof(*e), store_listing_compare_entries);
	*entry = e;
	return 0;
}

const char **local_listing_types(const struct chapter *c, const struct dict_meta *m)
{
	const char **name = mem_alloc(2 * (size_t)m->n_types + 1, sizeof(*name));

	for (uint32_t t = 0; t < m->n_types; t++) {
		name[t] = strtab_text(c->dict.str, m->type[t].name);
		name[m->n_types + t] = strtab_text(c->dict.str, m->type[t].unit);
	}
	return name;
}
