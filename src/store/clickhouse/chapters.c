/*
 * chapters.c - chapters of profiles in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/radix.h"
#include "store/clickhouse/click_int.h"

#include <stdlib.h>
#include <string.h>

enum { CHAPTER_LEVEL = 1, DICTIONARIES_BYTES = 512 << 20 };

struct click_dictionary *click_get_dictionary(struct click_store *c, const char *service, uint64_t epoch)
{
	struct click_dictionary *e;

	for (size_t i = 0; i < c->n_dictionaries; i++)
		if (c->dictionary[i]->epoch == epoch && strcmp(c->dictionary[i]->service, service) == 0)
			return c->dictionary[i];
	e = click_dictionary_new(service, epoch);
	c->dictionary =
		mem_grow(c->dictionary, &c->cap_dictionaries, c->n_dictionaries + 1, sizeof(struct click_dictionary *));
	c->dictionary[c->n_dictionaries++] = e;
	return e;
}

/* ---- a chapter ---- */

/* A chapter that is made. */
struct click_maker {
	struct click_store *c;
	struct chapter_builder *b;
	struct dict *d;
	uint32_t *series; /* [c->n_series] of the dictionary */
	/* of an epoch */
	struct click_dictionary *e;
	struct dict_translation *translation;
	uint32_t *row; /* [e->d.n_rows] of the dictionary of the chapter */
	/* a profile */
	struct stored s;
	uint64_t *order; /* row << 32 | place in the lists */
	uint32_t *place; /* indexes of rows */
	size_t cap_rows, cap_values, cap_order, cap_places;
};

static int click_compare_epochs(const void *a, const void *b)
{
	const struct click_profile *x = a, *y = b;

	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->shape != y->shape)
		return x->shape < y->shape ? -1 : 1;
	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static int click_compare_u32(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t click_remove_equal(uint32_t *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), click_compare_u32);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || v[i] != v[i - 1])
			v[kept++] = v[i];
	return kept;
}

/* Number k of the stacks of a list, after the one before. */
static uint32_t click_next_row(const struct click_lists *l, size_t k, bool is_sum, uint32_t before)
{
	uint32_t v;

	memcpy(&v, l->row + 4 * k, sizeof(v));
	return is_sum ? v : before + v;
}

/* The numbers of the rows of profiles [n] of an epoch, ascending. The caller frees them. */
static uint32_t *click_list_rows(const struct click_profile *p, size_t n, size_t *n_rows)
{
	uint32_t *list = NULL;
	size_t cap = 0, at = 0, limit = 1 << 16;

	for (size_t i = 0; i < n; i++) {
		uint32_t row = 0;

		if (p[i].is_repeat)
			continue;
		list = mem_grow(list, &cap, at + p[i].own.n + p[i].sum.n + 1, sizeof(*list));
		for (size_t k = 0; k < p[i].own.n; k++)
			list[at++] = row = click_next_row(&p[i].own, k, false, row);
		for (size_t k = 0; k < p[i].sum.n; k++)
			list[at++] = click_next_row(&p[i].sum, k, true, 0);
		if (at > limit) {
			at = click_remove_equal(list, at);
			limit = 2 * at > limit ? 2 * at : limit;
		}
	}
	*n_rows = click_remove_equal(list, at);
	return list;
}

/* Load the dictionary of an epoch, and add the rows of its profiles [n] to that of the chapter. */
static int click_begin_epoch(struct click_maker *m, const struct click_profile *p, size_t n, struct err *err)
{
	uint32_t meta = 0, *row, *own;
	size_t n_rows;
	int rc;

	for (size_t i = 0; i < n; i++)
		meta = p[i].meta > meta ? p[i].meta : meta;
	m->e = click_get_dictionary(m->c, p->series->service, p->epoch);
	row = click_list_rows(p, n, &n_rows);
	rc = click_dictionary_load(m->e, &m->c->server, row, n_rows, meta, m->c->stop, err);
	if (rc == 0) {
		for (size_t i = 0; i < n_rows; i++)
			row[i] = click_ids_get(&m->e->rows, row[i]);
		n_rows = click_remove_equal(row, n_rows);
		own = mem_alloc(n_rows + 1, sizeof(*own));
		memcpy(own, row, n_rows * sizeof(*own));
		m->translation = dict_translation_new(m->d, &m->e->d);
		rc = dict_translate_rows(m->translation, row, n_rows, err);
		m->row = mem_alloc(m->e->d.n_rows + 1, sizeof(*m->row));
		for (size_t i = 0; rc == 0 && i < n_rows; i++)
			m->row[own[i]] = row[i];
		free(own);
	}
	free(row);
	return rc;
}

static void click_end_epoch(struct click_maker *m)
{
	dict_translation_free(m->translation);
	m->translation = NULL;
	free(m->row);
	m->row = NULL;
}

/* The values of a column, which has its count before it. */
static const uint8_t *click_skip_count(const uint8_t *at)
{
	while (*at++ & 0x80)
		continue;
	return at;
}

/* Note the rows of a list, whose places begin at first. */
static void click_order_rows(struct click_maker *m, const struct click_lists *l, bool is_sum, size_t first)
{
	uint32_t row = 0;

	for (size_t k = 0; k < l->n; k++) {
		row = click_next_row(l, k, is_sum, row);
		m->order[first + k] = (uint64_t)m->row[click_ids_get(&m->e->rows, row)] << 32 | (first + k);
	}
}

/* Copy a column of a list, or skip it. Returns the next one. */
static const uint8_t *click_set_column(struct click_maker *m, const uint8_t *column, size_t n, size_t first, uint32_t t,
				       bool is_wanted)
{
	column = click_skip_count(column);
	for (size_t k = 0; k < n && is_wanted; k++)
		memcpy(&m->s.value[(size_t)t * m->s.n + m->place[first + k]], column + 8 * k, 8);
	return column + 8 * n;
}

/* Express the rows of a profile by the dictionary of the chapter, in ascending order. */
static int click_set_rows(struct click_maker *m, const struct click_profile *p, struct err *err)
{
	const uint8_t *own = p->own.value, *sum = p->sum.value;
	size_t n = p->own.n + p->sum.n;

	m->s.row = mem_grow(m->s.row, &m->cap_rows, n + 1, sizeof(*m->s.row));
	m->order = mem_grow(m->order, &m->cap_order, n + 1, sizeof(*m->order));
	m->place = mem_grow(m->place, &m->cap_places, n + 1, sizeof(*m->place));
	click_order_rows(m, &p->own, false, 0);
	click_order_rows(m, &p->sum, true, p->own.n);
	radix_sort_upper(m->order, n);
	for (size_t k = 0; k < n; k++) {
		uint32_t row = (uint32_t)(m->order[k] >> 32), place = (uint32_t)m->order[k];
		bool is_equal = k && row == m->order[k - 1] >> 32;

		if (is_equal && (place < p->own.n) == ((uint32_t)m->order[k - 1] < p->own.n))
			return err_set(err, ERR_FORMAT, "two stacks of a profile of %.100s are equal",
				       p->series->service);
		if (!is_equal)
			m->s.row[m->s.n++] = row;
		m->place[place] = m->s.n - 1;
	}
	m->s.value = mem_grow(m->s.value, &m->cap_values, (size_t)m->s.n * m->s.n_columns + 1, sizeof(*m->s.value));
	memset(m->s.value, 0, (size_t)m->s.n * m->s.n_columns * sizeof(*m->s.value));
	for (uint32_t t = 0; t < m->s.n_columns; t++) {
		bool is_added = p->parts && click_is_added(p->parts->reduce[t]);

		if (p->own.n)
			own = click_set_column(m, own, p->own.n, 0, t, !is_added);
		if (p->sum.n && is_added)
			sum = click_set_column(m, sum, p->sum.n, p->own.n, t, true);
	}
	return 0;
}

/* One row of the empty stack, with the totals. */
static int click_set_totals(struct click_maker *m, const struct click_profile *p, struct err *err)
{
	m->s.row = mem_grow(m->s.row, &m->cap_rows, 1, sizeof(*m->s.row));
	m->s.value = mem_grow(m->s.value, &m->cap_values, p->own.n_columns + 1, sizeof(*m->s.value));
	if (p->own.n_columns)
		memcpy(m->s.value, p->own.value, p->own.n_columns * sizeof(*m->s.value));
	m->s.n = 1;
	return dict_add_row(m->d, PROFILE_NONE, 0, &m->s.row[0], err);
}

static int click_make_profile(struct click_maker *m, const struct click_profile *p, struct err *err)
{
	uint32_t meta = click_ids_get(&m->e->metas, p->meta);
	int rc = 0;

	m->s.series = m->series[p->series - m->c->series];
	m->s.start_ns = p->start_ns;
	m->s.duration_ns = p->duration_ns;
	m->s.n = 0;
	if (meta == PROFILE_NONE)
		return err_set(err, ERR_FORMAT, "a profile of %.100s has no meta", p->series->service);
	rc = dict_translate_meta(m->translation, meta, &m->s.meta, err);
	if (rc < 0)
		return rc;
	m->s.n_columns = m->d->meta[m->s.meta].n_types;
	if (((p->own.n || p->is_total) && p->own.n_columns != m->s.n_columns) ||
	    (p->parts && p->parts->n_types != m->s.n_columns))
		return err_set(err, ERR_FORMAT, "a profile of %.100s has other columns than its meta",
			       p->series->service);
	if (p->is_total)
		rc = click_set_totals(m, p, err);
	else if (!p->is_repeat)
		rc = click_set_rows(m, p, err);
	if (rc == 0 && p->is_repeat)
		chapter_builder_repeat(m->b, &m->s);
	else if (rc == 0)
		chapter_builder_add(m->b, &m->s);
	return rc;
}

static int click_make_epochs(struct click_maker *m, struct click_profile *p, size_t n, struct err *err)
{
	int rc = 0;

	qsort(p, n, sizeof(*p), click_compare_epochs);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		for (hi = lo; hi < n && p[hi].epoch == p[lo].epoch;)
			hi++;
		rc = click_begin_epoch(m, p + lo, hi - lo, err);
		for (size_t i = lo; rc == 0 && i < hi; i++)
			rc = click_make_profile(m, &p[i], err);
		click_end_epoch(m);
	}
	return rc;
}

/* Make a chapter of the profiles of a service. */
static int click_make_chapter(const struct click_window *w, struct click_profiles *x, struct chapter **out,
			      struct err *err)
{
	struct click_maker m = { .c = w->c };
	const char *service = w->c->series[w->lo].service;
	int rc = 0;

	m.b = chapter_builder_new(service);
	m.d = chapter_builder_dict(m.b);
	m.series = mem_alloc(w->c->n_series, sizeof(*m.series));
	for (size_t i = w->lo; rc == 0 && i < w->hi; i++) {
		const struct click_series *s = &w->c->series[i];

		rc = dict_add_series(m.d, service, s->kind, s->label, s->n_labels, &m.series[i], err);
	}
	if (rc == 0)
		rc = click_make_epochs(&m, x->p, x->n, err);
	if (rc == 0)
		rc = chapter_builder_finish(m.b, CHAPTER_LEVEL, out, err);
	if (rc == 0)
		dict_drop_index(&(*out)->dict); /* it belongs to the builder */
	chapter_builder_free(m.b);
	free(m.series);
	free(m.s.row);
	free(m.s.value);
	free(m.order);
	free(m.place);
	return rc;
}

/* ---- the chapters of a query ---- */

struct click_chapters {
	struct chapter **chapter; /* [n] */
	size_t n, cap;
};

/* Add a chapter of profiles, if there are any, and release them. */
static int click_add_chapter(const struct click_window *w, struct click_profiles *x, struct click_chapters *to,
			     struct err *err)
{
	int rc = 0;

	if (x->n) {
		to->chapter = mem_grow(to->chapter, &to->cap, to->n + 1, sizeof(struct chapter *));
		rc = click_make_chapter(w, x, &to->chapter[to->n], err);
		to->n += rc == 0;
	}
	click_profiles_release(x);
	return rc;
}

/* Add the profile of the id of the query. */
static int click_add_id(const struct click_window *w, struct click_chapters *to, struct err *err)
{
	struct click_profiles heads = { 0 }, x = { 0 };
	int rc = click_fetch(w, w->q->t0, w->q->t1, CLICK_HEADS, NULL, 0, &heads, err);

	for (size_t i = 0; rc == 0 && i < heads.n; i++) {
		const struct click_profile *p = &heads.p[i];
		uint8_t id[16];

		block_profile_id(p->series->hash, p->start_ns, id);
		if (memcmp(id, w->q->id, sizeof(id)) == 0)
			rc = click_fetch(w, p->start_ns, p->start_ns + 1, CLICK_FULL, NULL, 0, &x, err);
	}
	click_profiles_release(&heads);
	rc = rc < 0 ? rc : click_add_chapter(w, &x, to, err);
	click_profiles_release(&x);
	return rc;
}

static int click_add_window(const struct click_window *w, struct click_chapters *to, struct err *err)
{
	struct click_profiles x = { 0 };
	int64_t *t = NULL;
	size_t n = 0;
	int rc;

	if (w->c->use != CLICK_FULL) {
		bool has_sums = w->c->use == CLICK_SUMS || w->c->use == CLICK_STEPS;

		rc = has_sums ? click_fetch_sums(w, &x, err)
			      : click_fetch(w, w->q->t0, w->q->t1, w->c->use, NULL, 0, &x, err);
		rc = rc < 0 ? rc : click_add_chapter(w, &x, to, err);
		click_profiles_release(&x);
		return rc;
	}
	if (w->q->id)
		return click_add_id(w, to, err);
	rc = click_cut_window(w, &t, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = click_fetch(w, t[i], t[i + 1], CLICK_FULL, NULL, 0, &x, err);
		rc = rc < 0 ? rc : click_add_chapter(w, &x, to, err);
		click_profiles_release(&x);
	}
	free(t);
	return rc;
}

static int click_add_beside(const struct click_window *w, bool after, struct click_chapters *to, struct err *err)
{
	struct click_profiles x = { 0 };
	int rc = click_fetch_beside(w, after, &x, err);

	rc = rc < 0 ? rc : click_add_chapter(w, &x, to, err);
	click_profiles_release(&x);
	return rc;
}

/* Dictionaries are kept for the next queries, as far as they are small. */
static void click_trim_dictionaries(struct click_store *c)
{
	size_t bytes = 0;

	for (size_t i = 0; i < c->n_dictionaries; i++)
		bytes += c->dictionary[i]->d.memory;
	if (bytes < DICTIONARIES_BYTES)
		return;
	for (size_t i = 0; i < c->n_dictionaries; i++)
		click_dictionary_free(c->dictionary[i]);
	c->n_dictionaries = 0;
}

int click_open_chapters(struct store *s, const struct store_query *q, enum select_which which, struct selection *out,
			struct err *err)
{
	struct click_store *c = click_of(s);
	struct click_chapters list = { 0 };
	int rc = 0;

	if (q->pin && *q->pin)
		return err_set(err, ERR_IO, "there is no pin %s; a store in ClickHouse has no pins", q->pin);
	click_trim_dictionaries(c);
	if (which != SELECT_WINDOW || q->t0 < q->t1)
		rc = click_load_series(c, q->service, q->is_pattern, err);
	if (rc == 0 && (which != SELECT_WINDOW || q->t0 < q->t1)) {
		rc = click_want_series(c, q, err);
		for (size_t lo = 0, hi; rc == 0 && lo < c->n_series; lo = hi) {
			struct click_window w = { c, q, lo, hi = click_service_end(c, lo) };
			bool is_wanted = false;

			for (size_t i = lo; i < hi; i++)
				is_wanted |= c->series[i].is_wanted;
			if (is_wanted)
				rc = which == SELECT_WINDOW ? click_add_window(&w, &list, err)
							    : click_add_beside(&w, which == SELECT_AFTER, &list, err);
		}
	}
	if (rc == 0) {
		select_take_chapters(c->server.name, list.chapter, list.n, which, out);
		return 0;
	}
	for (size_t i = 0; i < list.n; i++)
		chapter_free(list.chapter[i]);
	free(list.chapter);
	return rc;
}
