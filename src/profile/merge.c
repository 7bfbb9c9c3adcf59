/*
 * merge.c - merge profiles into their sum
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are read in blocks of rows. merge_ids.c translates stacks and label sets to ids of the result, each once per
 * source. The key of a row is then these two ids, or just the stack id when it has no labels. Values are added column
 * by column. Each merger_add adds to the same result. But if new sources change its types (to a finer unit, or by
 * removing a type), the result is sealed and becomes the first source of a new one. merger_end_group does the same
 * when a sum is zero. In profile_merge, which has all sources at once, merge_stacks.c finds equal stacks instead.
 */
#include "config.h"

#include "profile/merge.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/stop.h"
#include "profile/compact.h"
#include "profile/merge_int.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ROWS = 512, NAME_MAX_BYTES = 32 };

/* A block of rows of a source to add to the result. */
struct merge_block {
	size_t profile;
	uint32_t n;
	uint32_t row[BLOCK_ROWS];                    /* numbers of the rows in the source */
	uint32_t into[BLOCK_ROWS];                   /* numbers of the rows in the result */
	uint32_t stack[BLOCK_ROWS], set[BLOCK_ROWS]; /* ids of the rows in the result */
};

/* Column and ratio of type t in a source. */
static const int64_t *source_values(const struct merger *m, size_t profile, uint32_t t, double *ratio)
{
	size_t at = profile * m->types.n_types + t;

	*ratio = m->types.ratio[at];
	return m->src[profile]->value[m->types.column[at]];
}

static int scale_overflow(const struct merger *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *p = m->src[profile];
	const struct value_type *type = &p->type[m->types.column[profile * m->types.n_types + t]];

	return err_set(err, ERR_RANGE,
		       "%.200s, sample %" PRIu32 ": %.100s in %.100s overflows 64 bits in the finer "
		       "unit of another profile",
		       m->options.name[profile], row + 1, profile_text(p, type->name), profile_text(p, type->unit));
}

static int merge_sum_overflow(const struct merger *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *first = m->src[0];

	return err_set(err, ERR_RANGE,
		       "%.200s, sample %" PRIu32 ": the sum of %.100s for this stack and these "
		       "labels overflows 64 bits",
		       m->options.name[profile], row + 1, profile_text(first, first->type[m->types.column[t]].name));
}

/* List the rows of [lo, hi) that have a value other than 0 after scaling. */
static int block_rows(const struct merger *m, struct merge_block *b, uint32_t lo, uint32_t hi, struct err *err)
{
	bool has_value[BLOCK_ROWS] = { false };

	assert(lo <= hi && hi - lo <= BLOCK_ROWS);
	for (uint32_t t = 0; t < m->types.n_types; t++) {
		double ratio;
		const int64_t *value = source_values(m, b->profile, t, &ratio);

		for (uint32_t row = lo; row < hi; row++) {
			int64_t v;

			if (scale_value(value[row], ratio, &v))
				return scale_overflow(m, b->profile, row, t, err);
			has_value[row - lo] |= v != 0;
		}
	}
	b->n = 0;
	for (uint32_t row = lo; row < hi; row++)
		if (has_value[row - lo])
			b->row[b->n++] = row;
	return 0;
}

static int block_stacks(struct merger *m, const struct merge_block *b, struct err *err)
{
	const struct profile *p = m->src[b->profile];

	if (m->stacks) {
		for (uint32_t i = 0; i < b->n; i++) {
			uint32_t stack = p->stack[b->row[i]];

			m->ids.stack[stack] = merge_stacks_number(m->stacks, b->profile, stack);
		}
		return 0;
	}
	for (uint32_t lo = 0; lo < b->n; lo += MERGE_STACKS) {
		uint32_t stack[MERGE_STACKS], n = 0;

		for (uint32_t i = lo; i < b->n && n < MERGE_STACKS; i++)
			stack[n++] = p->stack[b->row[i]];
		if (merge_ids_stacks(&m->ids, m->b, stack, n, err) < 0)
			return ERR_LIMIT;
	}
	return 0;
}

static uint64_t row_key(uint32_t stack, uint32_t set)
{
	return (uint64_t)stack << 32 | set;
}

/* Grow plain_row to the number of stacks of the result. */
static void plain_grow(struct merger *m)
{
	size_t before = m->cap_plain, n = m->stacks ? merge_stacks_count(m->stacks) : builder_n_stacks(m->b);

	m->plain_row = mem_grow(m->plain_row, &m->cap_plain, n, sizeof(*m->plain_row));
	if (m->cap_plain > before)
		memset(m->plain_row + before, 0xff, (m->cap_plain - before) * sizeof(*m->plain_row));
}

static int block_ids(struct merger *m, struct merge_block *b, struct err *err)
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

/* The array element with the row of a stack and a label set; it contains PROFILE_NONE when there is no row yet. */
static int row_slot(struct merger *m, uint32_t stack, uint32_t set, uint32_t **slot, struct err *err)
{
	uint64_t key = row_key(stack, set);
	uint32_t before = m->labelled.n, id;

	if (!set) {
		*slot = &m->plain_row[stack];
		return 0;
	}
	if (keys_add(&m->labelled, &key, 1, keys_hash(&key, 1), &id, err) < 0)
		return err_wrap(err, "samples");
	m->labelled_row = mem_grow(m->labelled_row, &m->cap_labelled, (size_t)id + 1, sizeof(*m->labelled_row));
	*slot = &m->labelled_row[id];
	if (id == before)
		**slot = PROFILE_NONE;
	return 0;
}

/* Find the rows of the result for a block, and append missing ones. */
static int block_find_rows(struct merger *m, struct merge_block *b, struct err *err)
{
	uint32_t n_before = builder_profile(m->b)->n_rows, n = n_before, from[BLOCK_ROWS];
	struct builder_rows added;

	for (uint32_t i = 0; i < b->n; i++)
		if (b->set[i])
			keys_prefetch(&m->labelled, keys_hash(&(uint64_t){ row_key(b->stack[i], b->set[i]) }, 1));
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t *slot = NULL;

		if (row_slot(m, b->stack[i], b->set[i], &slot, err) < 0)
			return ERR_LIMIT;
		if (*slot == PROFILE_NONE) {
			from[n - n_before] = i;
			*slot = n++;
		}
		b->into[i] = *slot;
	}
	assert(n >= n_before && n - n_before <= b->n);
	if (builder_rows(m->b, n - n_before, &added, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < n - n_before; i++) {
		added.stack[i] = b->stack[from[i]];
		added.labels[i] = b->set[from[i]];
	}
	return 0;
}

static int block_add(struct merger *m, const struct merge_block *b, struct err *err)
{
	assert(b->n <= BLOCK_ROWS && b->profile < m->n);
	for (uint32_t t = 0; t < m->types.n_types; t++) {
		int64_t *sum = builder_values(m->b, t), v = 0;
		double ratio;
		const int64_t *value = source_values(m, b->profile, t, &ratio);

		for (uint32_t i = 0; i < b->n; i++) {
			scale_value(value[b->row[i]], ratio, &v); /* cannot overflow: block_rows checked the range */
			if (num_add(&sum[b->into[i]], v))
				return merge_sum_overflow(m, b->profile, b->row[i], t, err);
		}
	}
	return 0;
}

/* Add the sums that a source has instead of stacks. They cannot be scaled. */
static int merge_add_sums(struct merger *m, size_t profile, struct err *err)
{
	const struct profile *p = m->src[profile];

	for (uint32_t t = 0; t < m->types.n_types; t++) {
		size_t at = profile * m->types.n_types + t;

		if (m->types.n_types != p->n_types || m->types.column[at] != t || m->types.ratio[at] != 1)
			return err_set(err, ERR_FORMAT, "%.200s: sums of other sample types", m->options.name[profile]);
	}
	return merge_sums_add(&m->sums, &m->ids, err);
}

static int merge_rows(struct merger *m, size_t profile, struct err *err)
{
	uint32_t n = m->src[profile]->n_rows;
	struct merge_block b;
	int rc = 0;

	assert(profile < m->n);
	if (m->stacks)
		merge_stacks_take_ids(m->stacks, profile, &m->ids);
	else
		merge_ids_set_source(&m->ids, m->src[profile], false);
	if (m->known.maps.n == 0 && m->src[profile]->n_maps) /* the first mapping is the program */
		rc = merge_ids_mapping(&m->ids, 0, &(uint32_t){ 0 }, err);
	if (rc == 0 && m->src[profile]->sums)
		rc = merge_add_sums(m, profile, err);
	b.profile = profile;
	stop_begin(m->stop, "adding profiles", n);
	for (uint32_t lo = 0; rc == 0 && lo < n && !stop_step(m->stop, lo); lo += BLOCK_ROWS) {
		uint32_t hi = n - lo > BLOCK_ROWS ? lo + BLOCK_ROWS : n;

		if ((rc = block_rows(m, &b, lo, hi, err)) < 0 || (rc = block_ids(m, &b, err)) < 0 ||
		    (rc = block_find_rows(m, &b, err)) < 0)
			break;
		rc = block_add(m, &b, err);
	}
	return rc == 0 ? stop_check(m->stop, err) : rc;
}

static bool merge_is_at_once(const struct merger *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->src[i]->sums)
			return false;
	return m->at_once;
}

/*
 * Reserve memory. Usually all profiles belong to one program, so the sum is only slightly larger than the largest of
 * them.
 */
static void result_reserve(struct merger *m)
{
	size_t stacks = 0, items = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct stack_lists *s = &m->src[i]->stacks;

		stacks = s->n > stacks ? s->n : stacks;
		items = s->off[s->n] > items ? s->off[s->n] : items;
	}
	builder_reserve(m->b, stacks, items, stacks);
}

/* Reserve memory for sources that are merged at once, whose stacks are elsewhere. */
static void result_reserve_at_once(struct merger *m)
{
	size_t rows = 0, funcs = 0, locs = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct profile *p = m->src[i];

		rows += p->n_rows;
		funcs = p->n_funcs > funcs ? p->n_funcs : funcs;
		locs = p->n_locs > locs ? p->n_locs : locs;
	}
	builder_reserve_tables(m->b, funcs, locs);
	builder_reserve_rows(m->b, rows);
}

/* Start an empty result with the common types. */
static void result_init(struct merger *m)
{
	assert(!m->b && m->n > 0);
	m->b = builder_new();
	merge_known_init_builder(&m->known, m->b);
	merge_ids_init(&m->ids, &m->known);
	keys_init(&m->labelled, 1, 0);
	m->plain_row = NULL;
	m->labelled_row = NULL;
	m->cap_plain = m->cap_labelled = 0;
	keys_init(&m->comments, 1, 0);
	merge_header_init(m);
	if (merge_is_at_once(m))
		result_reserve_at_once(m);
	else
		result_reserve(m);
}

static void result_release(struct merger *m)
{
	if (!m->b)
		return;
	merge_ids_release(&m->ids);
	merge_known_release(&m->known);
	keys_release(&m->labelled);
	merge_sums_release(&m->sums);
	merge_stacks_free(m->stacks);
	free(m->plain_row);
	free(m->labelled_row);
	keys_release(&m->comments);
	builder_free(m->b);
	m->b = NULL;
	m->stacks = NULL;
}

static struct profile *result_seal(struct merger *m)
{
	struct profile *p;

	assert(m->b && !m->stacks);
	merge_sums_rows(&m->sums, m->b);
	p = builder_seal(m->b);
	p->sums = merge_sums_seal(&m->sums, p->mem);
	result_release(m);
	profile_compact(p);
	return p;
}

/* Seal the result of sources that were merged at once. */
static int result_seal_at_once(struct merger *m, struct profile **out, struct err *err)
{
	struct profile *p = builder_seal(m->b);
	int rc = merge_stacks_store(m->stacks, p, m->used_up != NULL, err);

	result_release(m);
	if (rc < 0)
		profile_free(p);
	else
		*out = p;
	return rc;
}

/* Free the columns of samples, except the stacks. */
static void merge_free_rows(struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		arena_release(p->mem, p->value[t]);
	arena_release(p->mem, p->stack);
	arena_release(p->mem, p->labels);
	p->n_rows = 0;
}

/* Add the sources from src[first]. */
static int result_add(struct merger *m, size_t first, struct err *err)
{
	int rc = merge_header_add(m, first, err);

	assert(m->b && first <= 1 && first <= m->n);
	if (rc == 0 && merge_is_at_once(m))
		rc = merge_stacks_find(m->src, m->n, &m->types, &m->known, m->stop, &m->stacks, err);
	for (size_t i = first; rc == 0 && i < m->n; i++) {
		rc = merge_rows(m, i, err);
		if (m->stacks && m->used_up)
			merge_free_rows(m->used_up[i]);
	}
	return rc;
}

/* Can sources be added to the current result, which is source 0, without changing its types? */
static bool result_is_usable(const struct merger *m)
{
	uint32_t n_types = builder_n_types(m->b);

	if (m->types.n_types != n_types || m->types.period_source != 0)
		return false;
	for (uint32_t t = 0; t < n_types; t++)
		if (m->types.column[t] != t || m->types.ratio[t] != 1)
			return false;
	return true;
}

/* Build a new result, with the old result, if any, as source 0. */
static int result_rebuild(struct merger *m, struct err *err)
{
	struct profile *old = NULL;
	int rc;

	if (m->b)
		m->src[0] = old = result_seal(m);
	result_init(m);
	rc = result_add(m, 0, err);
	profile_free(old);
	return rc;
}

static char *merge_copy_string(const char *text)
{
	return mem_strndup(text, strlen(text));
}

/* Set the sources of a merger_add with their names; head is the result so far, or NULL. */
static void sources_set(struct merger *m, const struct profile *head, const struct profile *const *src,
			const char *const *name, size_t n)
{
	size_t at = head != NULL;
	char text[NAME_MAX_BYTES];

	assert(!m->src && m->n == 0);
	m->n = n + at;
	m->src = mem_alloc(m->n, sizeof(*m->src));
	m->own_name = mem_zalloc(m->n, sizeof(*m->own_name));
	if (head)
		m->src[0] = head;
	for (size_t i = 0; i < n; i++) {
		m->src[at + i] = src[i];
		snprintf(text, sizeof(text), "profile %zu", m->n_added + i + 1);
		m->own_name[at + i] = merge_copy_string(name ? name[i] : text);
	}
	if (head)
		m->own_name[0] = merge_copy_string(m->first_name);
	else if (!m->first_name)
		m->first_name = merge_copy_string(m->own_name[0]);
	m->options.name = (const char *const *)m->own_name;
}

static void merge_sources_release(struct merger *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->own_name[i]);
	free(m->own_name);
	free(m->src);
	m->own_name = NULL;
	m->src = NULL;
	m->n = 0;
}

/* Add the current sources; the first is the result if there is one. */
static int merge_sources_add(struct merger *m, struct err *err)
{
	int rc = common_types_find(m->src, m->n, &m->options, &m->types, err);

	if (rc == 0 && m->b && result_is_usable(m))
		rc = result_add(m, 1, err);
	else if (rc == 0)
		rc = result_rebuild(m, err);
	common_types_release(&m->types);
	return rc;
}

int merger_add(struct merger *m, const struct profile *const *src, const char *const *name, size_t n, struct err *err)
{
	int rc;

	assert(n > 0);
	sources_set(m, m->b ? builder_profile(m->b) : NULL, src, name, n);
	rc = merge_sources_add(m, err);
	merge_sources_release(m);
	for (size_t i = 0; i < n; i++)
		profile_source_add_from(&m->source_lines, src[i]);
	m->n_added += n;
	return rc;
}

static bool merge_has_zero_row(const struct merger *m)
{
	uint32_t n_types = builder_n_types(m->b), n_rows = builder_profile(m->b)->n_rows;

	for (uint32_t row = 0; row < n_rows; row++) {
		bool has_value = false;

		for (uint32_t t = 0; !has_value && t < n_types; t++)
			has_value = builder_values(m->b, t)[row] != 0;
		if (!has_value)
			return true;
	}
	return false;
}

int merger_end_group(struct merger *m, struct err *err)
{
	struct profile *p;
	int rc;

	merge_header_end_group(m);
	if (!m->b || !merge_has_zero_row(m))
		return 0;
	p = result_seal(m);
	sources_set(m, p, NULL, NULL, 0);
	rc = merge_sources_add(m, err);
	merge_sources_release(m);
	profile_free(p);
	return rc;
}

struct merger *merger_new(bool intersect)
{
	struct merger *m = mem_zalloc(1, sizeof(*m));

	m->options.intersect = intersect;
	return m;
}

void merger_set_stop(struct merger *m, struct stop *stop)
{
	m->stop = stop;
}

static void merger_end(struct merger *m)
{
	assert(m->b);
	merge_header_end_group(m);
	builder_meta(m->b)->time_ns = m->time_ns;
}

static void merge_store_source_lines(const struct merger *m, struct profile *p)
{
	if (m->source_lines.n)
		profile_source_store(&m->source_lines, p);
}

struct profile *merger_finish(struct merger *m)
{
	struct profile *p;

	merger_end(m);
	p = result_seal(m);
	merge_store_source_lines(m, p);
	return p;
}

void merger_free(struct merger *m)
{
	if (!m)
		return;
	result_release(m);
	profile_source_release(&m->source_lines);
	free(m->first_name);
	free(m);
}

int profile_merge(const struct profile *const *src, size_t n, const struct merge_options *options, struct profile **out,
		  struct err *err)
{
	struct merger *m = merger_new(options && options->intersect);
	struct profile *p = NULL;
	int rc;

	m->at_once = true;
	m->stop = options ? options->stop : NULL;
	m->used_up = options ? options->used_up : NULL;
	rc = merger_add(m, src, options ? options->name : NULL, n, err);
	if (rc == 0) {
		merger_end(m);
		if (m->stacks)
			rc = result_seal_at_once(m, &p, err);
		else
			p = result_seal(m);
	}
	if (rc == 0) {
		merge_store_source_lines(m, p);
		*out = p;
	}
	merger_free(m);
	return rc;
}
