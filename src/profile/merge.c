/*
 * merge.c - add profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are walked row by row, in blocks. Stacks and label sets are translated to ids of the
 * result, each once per source (merge_ids.c), so that a row is found by two numbers, or by one when it
 * has no labels; its values are then added column by column. The result grows from one merger_add to the next. Only when
 * sources come that change what the result is made of - a finer unit, a type less - it is sealed
 * and becomes the first source of a new one; when a sum became zero, it is compacted in between.
 */
#include "config.h"

#include "profile/merge.h"

#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "profile/agree.h"
#include "profile/builder.h"
#include "profile/compact.h"
#include "profile/keys.h"
#include "profile/merge_header.h"
#include "profile/merge_ids.h"
#include "profile/merge_int.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 512, NAME_MAX_BYTES = 32 };

/* Rows of one source on their way into the result. */
struct block {
	size_t profile;
	uint32_t n;
	uint32_t row[BLOCK_ROWS];                    /* in the source */
	uint32_t into[BLOCK_ROWS];                   /* in the result */
	uint32_t stack[BLOCK_ROWS], set[BLOCK_ROWS]; /* ids of the result */
};

/* Column and ratio of type t in a source. */
static const int64_t *source_values(const struct merger *m, size_t profile, uint32_t t, double *ratio)
{
	size_t at = profile * m->agreed.n_types + t;

	*ratio = m->agreed.ratio[at];
	return m->src[profile]->value[SIDE_TARGET][m->agreed.column[at]];
}

static int scale_failed(const struct merger *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *p = m->src[profile];
	const struct value_type *type = &p->type[m->agreed.column[profile * m->agreed.n_types + t]];

	return err_set(err, ERR_RANGE,
		       "%.200s, sample %" PRIu32 ": its %.100s in %.100s is too much for the finer "
		       "unit of another profile",
		       m->how.name[profile], row + 1, profile_text(p, type->name), profile_text(p, type->unit));
}

static int add_failed(const struct merger *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *first = m->src[0];

	return err_set(err, ERR_RANGE,
		       "%.200s, sample %" PRIu32 ": its %.100s, added to that of the same stack and "
		       "labels before, leaves 64 bits",
		       m->how.name[profile], row + 1, profile_text(first, first->type[m->agreed.column[t]].name));
}

/* Note the rows of [lo, hi) that have some value other than 0 once they are scaled. */
static int block_rows(const struct merger *m, struct block *b, uint32_t lo, uint32_t hi, struct err *err)
{
	bool some[BLOCK_ROWS] = { false };

	for (uint32_t t = 0; t < m->agreed.n_types; t++) {
		double ratio;
		const int64_t *value = source_values(m, b->profile, t, &ratio);

		for (uint32_t row = lo; row < hi; row++) {
			int64_t v;

			if (scale_value(value[row], ratio, &v))
				return scale_failed(m, b->profile, row, t, err);
			some[row - lo] |= v != 0;
		}
	}
	b->n = 0;
	for (uint32_t row = lo; row < hi; row++)
		if (some[row - lo])
			b->row[b->n++] = row;
	return 0;
}

static int block_stacks(struct merger *m, const struct block *b, struct err *err)
{
	const struct profile *p = m->src[b->profile];

	for (uint32_t lo = 0; lo < b->n; lo += MERGE_STACKS) {
		uint32_t stack[MERGE_STACKS], n = 0;

		for (uint32_t i = lo; i < b->n && n < MERGE_STACKS; i++)
			stack[n++] = p->stack[b->row[i]];
		if (merge_ids_stacks(&m->ids, stack, n, err) < 0)
			return ERR_LIMIT;
	}
	return 0;
}

static uint64_t row_key(uint32_t stack, uint32_t set)
{
	return (uint64_t)stack << 32 | set;
}

/* Have a place for every stack of the result. */
static void plain_grow(struct merger *m)
{
	size_t before = m->cap_plain;

	m->plain_row = mem_grow(m->plain_row, &m->cap_plain, builder_n_stacks(m->b), sizeof(*m->plain_row));
	if (m->cap_plain > before)
		memset(m->plain_row + before, 0xff, (m->cap_plain - before) * sizeof(*m->plain_row));
}

static int block_ids(struct merger *m, struct block *b, struct err *err)
{
	const struct profile *p = m->src[b->profile];

	if (block_stacks(m, b, err) < 0)
		return ERR_LIMIT;
	plain_grow(m);
	for (uint32_t i = 0; i < b->n; i++) {
		b->stack[i] = m->ids.stack[p->stack[b->row[i]]];
		if (merge_ids_labels(&m->ids, p->labels[b->row[i]], &b->set[i], err) < 0)
			return ERR_LIMIT;
		if (b->set[i])
			idtab_prefetch(&m->labelled.ids, keys_hash(&(uint64_t){ row_key(b->stack[i], b->set[i]) }, 1));
		else
			__builtin_prefetch(&m->plain_row[b->stack[i]]);
	}
	return 0;
}

/* Where the row of a stack and a label set is noted: PROFILE_NONE stands there when there is none. */
static int row_place(struct merger *m, uint32_t stack, uint32_t set, uint32_t **place, struct err *err)
{
	uint64_t key = row_key(stack, set);
	uint32_t before = m->labelled.n, id;

	if (!set) {
		*place = &m->plain_row[stack];
		return 0;
	}
	if (keys_add(&m->labelled, &key, 1, keys_hash(&key, 1), &id, err) < 0)
		return err_wrap(err, "samples");
	m->labelled_row = mem_grow(m->labelled_row, &m->cap_labelled, (size_t)id + 1, sizeof(*m->labelled_row));
	*place = &m->labelled_row[id];
	if (id == before)
		**place = PROFILE_NONE;
	return 0;
}

/* Find the rows that the block is added to, appending what there is none for. */
static int block_places(struct merger *m, struct block *b, struct err *err)
{
	uint32_t n_before = builder_so_far(m->b)->n_rows, n = n_before, from[BLOCK_ROWS];
	struct builder_rows added;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->set[i])
			keys_prefetch(&m->labelled, keys_hash(&(uint64_t){ row_key(b->stack[i], b->set[i]) }, 1));
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t *place = NULL;

		if (row_place(m, b->stack[i], b->set[i], &place, err) < 0)
			return ERR_LIMIT;
		if (*place == PROFILE_NONE) {
			from[n - n_before] = i;
			*place = n++;
		}
		b->into[i] = *place;
	}
	if (builder_rows(m->b, n - n_before, &added, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < n - n_before; i++) {
		added.stack[i] = b->stack[from[i]];
		added.labels[i] = b->set[from[i]];
	}
	return 0;
}

static int block_add(struct merger *m, const struct block *b, struct err *err)
{
	for (uint32_t t = 0; t < m->agreed.n_types; t++) {
		int64_t *sum = builder_values(m->b, t), v = 0;
		double ratio;
		const int64_t *value = source_values(m, b->profile, t, &ratio);

		for (uint32_t i = 0; i < b->n; i++) {
			scale_value(value[b->row[i]], ratio, &v); /* block_rows saw that it can */
			if (num_add(&sum[b->into[i]], v))
				return add_failed(m, b->profile, b->row[i], t, err);
		}
	}
	return 0;
}

static int merge_rows(struct merger *m, size_t profile, struct err *err)
{
	uint32_t n = m->src[profile]->n_rows;
	struct block b;
	int rc = merge_ids_source(&m->ids, m->src[profile], err);

	b.profile = profile;
	stop_begin(m->stop, "adding profiles", n);
	for (uint32_t lo = 0; rc == 0 && lo < n && !stop_step(m->stop, lo); lo += BLOCK_ROWS) {
		uint32_t hi = n - lo > BLOCK_ROWS ? lo + BLOCK_ROWS : n;

		if ((rc = block_rows(m, &b, lo, hi, err)) < 0 || (rc = block_ids(m, &b, err)) < 0 ||
		    (rc = block_places(m, &b, err)) < 0)
			break;
		rc = block_add(m, &b, err);
	}
	return rc == 0 ? stop_check(m->stop, err) : rc;
}

/* Most merges are of profiles of one program: they need little more than the largest does. */
static void merge_expect(struct merger *m)
{
	size_t stacks = 0, items = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct csr *s = &m->src[i]->stacks;

		stacks = s->n > stacks ? s->n : stacks;
		items = s->off[s->n] > items ? s->off[s->n] : items;
	}
	builder_expect(m->b, stacks, items);
}

/* Begin an empty result of what the sources agreed on. */
static void result_begin(struct merger *m)
{
	m->b = builder_new();
	merge_ids_init(&m->ids, m->b);
	keys_init(&m->labelled, 1, 0);
	m->plain_row = NULL;
	m->labelled_row = NULL;
	m->cap_plain = m->cap_labelled = 0;
	keys_init(&m->comments, 1, 0);
	merge_expect(m);
	merge_header_begin(m);
}

static void result_drop(struct merger *m)
{
	if (!m->b)
		return;
	merge_ids_release(&m->ids);
	keys_release(&m->labelled);
	free(m->plain_row);
	free(m->labelled_row);
	keys_release(&m->comments);
	builder_free(m->b);
	m->b = NULL;
}

static struct profile *result_seal(struct merger *m)
{
	struct profile *p = builder_seal(m->b);

	result_drop(m);
	profile_compact(p);
	return p;
}

/* Add the sources from the one numbered first on. */
static int result_add(struct merger *m, size_t first, struct err *err)
{
	int rc = merge_header_add(m, first, err);

	for (size_t i = first; rc == 0 && i < m->n; i++)
		rc = merge_rows(m, i, err);
	return rc;
}

/* May the result go on as it is? Its head is source 0 of the agreement. */
static bool result_stays(const struct merger *m)
{
	uint32_t n_types = builder_n_types(m->b);

	if (m->agreed.n_types != n_types || m->agreed.period_from != 0)
		return false;
	for (uint32_t t = 0; t < n_types; t++)
		if (m->agreed.column[t] != t || m->agreed.ratio[t] != 1)
			return false;
	return true;
}

/* Make the result anew, with what there is of it, if anything, as source 0. */
static int result_again(struct merger *m, struct err *err)
{
	struct profile *old = NULL;
	int rc;

	if (m->b)
		m->src[0] = old = result_seal(m);
	result_begin(m);
	rc = result_add(m, 0, err);
	profile_free(old);
	return rc;
}

static char *copy_of(const char *text)
{
	return mem_strndup(text, strlen(text));
}

/* The sources of one merger_add behind the head of the result, with names for messages. */
static void sources_set(struct merger *m, const struct profile *head, const struct profile *const *src,
			const char *const *name, size_t n)
{
	size_t at = head != NULL;
	char text[NAME_MAX_BYTES];

	m->n = n + at;
	m->src = mem_alloc(m->n, sizeof(*m->src));
	m->own_name = mem_zalloc(m->n, sizeof(*m->own_name));
	if (head)
		m->src[0] = head;
	for (size_t i = 0; i < n; i++) {
		m->src[at + i] = src[i];
		snprintf(text, sizeof(text), "profile %zu", m->n_added + i + 1);
		m->own_name[at + i] = copy_of(name ? name[i] : text);
	}
	if (head)
		m->own_name[0] = copy_of(m->first_name);
	else if (!m->first_name)
		m->first_name = copy_of(m->own_name[0]);
	m->how.name = (const char *const *)m->own_name;
}

static void sources_release(struct merger *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->own_name[i]);
	free(m->own_name);
	free(m->src);
	m->own_name = NULL;
	m->src = NULL;
	m->n = 0;
}

/* Add the sources that are set; the first is the head when there is a result. */
static int sources_add(struct merger *m, struct err *err)
{
	int rc = agreement_find(m->src, m->n, &m->how, &m->agreed, err);

	if (rc == 0 && m->b && result_stays(m))
		rc = result_add(m, 1, err);
	else if (rc == 0)
		rc = result_again(m, err);
	agreement_release(&m->agreed);
	return rc;
}

int merger_add(struct merger *m, const struct profile *const *src, const char *const *name, size_t n, struct err *err)
{
	int rc;

	assert(n > 0);
	sources_set(m, m->b ? builder_so_far(m->b) : NULL, src, name, n);
	rc = sources_add(m, err);
	sources_release(m);
	for (size_t i = 0; i < n; i++)
		profile_texts_add_of(&m->texts, src[i]);
	m->n_added += n;
	return rc;
}

static bool has_zero_row(const struct merger *m)
{
	uint32_t n_types = builder_n_types(m->b), n_rows = builder_so_far(m->b)->n_rows;

	for (uint32_t row = 0; row < n_rows; row++) {
		bool some = false;

		for (uint32_t t = 0; !some && t < n_types; t++)
			some = builder_values(m->b, t)[row] != 0;
		if (!some)
			return true;
	}
	return false;
}

int merger_pause(struct merger *m, struct err *err)
{
	struct profile *p;
	int rc;

	merge_header_pause(m);
	if (!m->b || !has_zero_row(m))
		return 0;
	p = result_seal(m);
	sources_set(m, p, NULL, NULL, 0);
	rc = sources_add(m, err);
	sources_release(m);
	profile_free(p);
	return rc;
}

struct merger *merger_new(bool intersect)
{
	struct merger *m = mem_zalloc(1, sizeof(*m));

	m->how.intersect = intersect;
	return m;
}

void merger_stop_by(struct merger *m, struct stop *stop)
{
	m->stop = stop;
}

struct profile *merger_finish(struct merger *m)
{
	struct profile *p;

	assert(m->b);
	merge_header_pause(m);
	builder_meta(m->b)->time_ns = m->time_ns;
	p = result_seal(m);
	if (m->texts.n)
		profile_texts_put(&m->texts, p);
	return p;
}

void merger_free(struct merger *m)
{
	if (!m)
		return;
	result_drop(m);
	profile_texts_release(&m->texts);
	free(m->first_name);
	free(m);
}

int profile_merge(const struct profile *const *src, size_t n, struct profile **out, struct err *err)
{
	struct merger *m = merger_new(false);
	int rc = merger_add(m, src, NULL, n, err);

	assert(n >= 2);
	if (rc == 0)
		*out = merger_finish(m);
	merger_free(m);
	return rc;
}
