/*
 * merge.c - merge profiles into their sum
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are read in blocks of rows. merge_ids.c translates stacks and label sets to ids of the result, each once per
 * source. The key of a row is then these two ids, or just the stack id when it has no labels. Values are added column
 * by column. Each merger_add adds to the same result. But if new sources change its types (to a finer unit, or by
 * removing a type), the result is sealed and becomes the first source of a new one. merger_end_group does the same
 * when a sum is zero.
 */
#include "config.h"

#include "profile/merge.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/stop.h"
#include "profile/common_types.h"
#include "profile/builder.h"
#include "profile/compact.h"
#include "profile/keys.h"
#include "profile/merge_ids.h"
#include "profile/merge_sums.h"
#include "profile/profile.h"
#include "profile/scale.h"
#include "profile/source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merger {
	struct stop *stop;
	size_t n_added;   /* number of sources added */
	char *first_name; /* name of the first source added */
	/* the current result; b is NULL before the first source */
	struct builder *b;
	struct merge_known known;
	struct merge_ids ids;
	struct merge_sums sums;
	uint32_t *plain_row;    /* [cap_plain] row of a stack without labels, or PROFILE_NONE */
	struct keys labelled;   /* stack << 32 | label set of rows with labels */
	uint32_t *labelled_row; /* [labelled.n] */
	size_t cap_plain, cap_labelled;
	struct keys comments;               /* string ids of the comments */
	struct profile_source source_lines; /* source lines of all sources */
	int64_t time_ns;                    /* earliest time of the sources before the last merger_end_group */
	int64_t new_time_ns;                /* earliest time of the sources since merger_end_group */
	bool has_new_time;                  /* was a source added since merger_end_group? */
	/* the sources of the current merger_add; the first is the result if there is one */
	const struct profile **src; /* [n] */
	char **own_name;            /* [n] */
	size_t n;
	struct common_types_options options;
	struct common_types types;
};

static void set_types(struct merger *m)
{
	const struct common_types *a = &m->types;

	for (uint32_t t = 0; t < a->n_types; t++) {
		const struct profile *first = m->src[0], *finest = m->src[a->unit_source[t]];
		uint32_t at = a->column[a->unit_source[t] * (size_t)a->n_types + t];
		str_id name = merge_ids_text(&m->ids, first, first->type[a->column[t]].name);

		builder_type(m->b, name, merge_ids_text(&m->ids, finest, finest->type[at].unit));
	}
}

/* Set types, period type and drop_frames of an empty result from the common types. */
static void header_init(struct merger *m)
{
	const struct profile *first = m->src[0], *finest = m->src[m->types.period_source];
	struct profile_meta *meta = builder_meta(m->b);

	set_types(m);
	meta->has_period_type = first->meta.has_period_type;
	meta->period_type.name = merge_ids_text(&m->ids, first, first->meta.period_type.name);
	meta->period_type.unit = merge_ids_text(&m->ids, finest, finest->meta.period_type.unit);
	meta->drop_frames = merge_ids_text(&m->ids, first, first->meta.drop_frames);
	meta->keep_frames = merge_ids_text(&m->ids, first, first->meta.keep_frames);
}

static int merge_add_period(struct merger *m, size_t i, struct err *err)
{
	const struct profile *p = m->src[i], *finest = m->src[m->types.period_source];
	const char *own = profile_text(p, p->meta.period_type.unit);
	const char *unit = profile_text(finest, finest->meta.period_type.unit);
	struct profile_meta *meta = builder_meta(m->b);
	int64_t period;

	if (scale_period(p->meta.period, own, unit, &period))
		return err_set(err, ERR_RANGE, "%.200s: period of %" PRId64 " %.100s overflows 64 bits in %.100s",
			       m->options.name[i], p->meta.period, own, unit);
	if (meta->period == 0 || meta->period < period)
		meta->period = period;
	return 0;
}

/* The earlier of two times. As in pprof, an unknown time (0) discards the times before it. */
static int64_t earliest(int64_t so_far, int64_t time_ns)
{
	return so_far == 0 || time_ns < so_far ? time_ns : so_far;
}

static int add_times(struct merger *m, size_t i, struct err *err)
{
	const struct profile_meta *own = &m->src[i]->meta;

	if (i > 0 || m->n_added == 0) { /* the result's own time is in m->time_ns */
		m->new_time_ns = earliest(m->new_time_ns, own->time_ns);
		m->has_new_time = true;
	}
	if (num_add(&builder_meta(m->b)->duration_ns, own->duration_ns))
		return err_set(err, ERR_RANGE,
			       "%.200s: duration of %" PRId64 " ns overflows 64 bits when added to the others",
			       m->options.name[i], own->duration_ns);
	return 0;
}

/* Combine the time of the current group with that of the groups before it. */
static void header_end_group(struct merger *m)
{
	if (m->has_new_time)
		m->time_ns = earliest(m->time_ns, m->new_time_ns);
	m->new_time_ns = 0;
	m->has_new_time = false;
}

static int merge_add_comments(struct merger *m, const struct profile *p, struct err *err)
{
	for (uint32_t c = 0; c < p->meta.n_comments; c++) {
		str_id text = merge_ids_text(&m->ids, p, p->meta.comment[c]);
		uint32_t before = m->comments.n, id = 0;

		if (keys_add(&m->comments, &(uint64_t){ text }, 1, hash_u64(text), &id, err) < 0)
			return ERR_LIMIT;
		if (id == before)
			builder_comment(m->b, text);
	}
	return 0;
}

/*
 * The default type of a source, by its name in the result. For a source without a default it is the last type, which
 * pprof loses when types are removed. With intersect, the default stays unset for such a source.
 */
static str_id default_type(struct merger *m, size_t i)
{
	const struct profile *p = m->src[i], *first = m->src[0];
	const struct common_types *a = &m->types;
	str_id own = common_types_default(a, p, i);

	assert(i < m->n);
	if (m->options.intersect && p->meta.default_type == 0)
		return 0;
	for (uint32_t t = 0; own && t < a->n_types; t++)
		if (p->type[a->column[i * a->n_types + t]].name == own)
			return merge_ids_text(&m->ids, first, first->type[a->column[t]].name);
	return merge_ids_text(&m->ids, p, own);
}

static int merge_add_meta(struct merger *m, size_t i, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);
	const struct profile *p = m->src[i];

	if (meta->default_type == 0)
		meta->default_type = default_type(m, i);
	if (meta->doc_url == 0)
		meta->doc_url = merge_ids_text(&m->ids, p, p->meta.doc_url);
	if (merge_add_period(m, i, err) < 0 || add_times(m, i, err) < 0)
		return ERR_RANGE;
	return merge_add_comments(m, p, err);
}

/*
 * Add periods, times, comments and so on of the sources from src[first], where first is 1 when source 0 is the result,
 * else 0.
 *
 * Fails   ERR_RANGE when a sum overflows int64_t; ERR_LIMIT
 */
static int header_add(struct merger *m, size_t first, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);
	int rc = 0;

	for (size_t i = first; rc == 0 && i < m->n; i++)
		rc = merge_add_meta(m, i, err);
	if (rc == 0 && m->types.has_mixed_periods) {
		meta->period = 0;
		meta->has_period_type = false;
		meta->period_type = (struct value_type){ 0 };
	}
	return rc;
}

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
	size_t before = m->cap_plain;

	m->plain_row = mem_grow(m->plain_row, &m->cap_plain, builder_n_stacks(m->b), sizeof(*m->plain_row));
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
	result_reserve(m);
	header_init(m);
}

static void result_release(struct merger *m)
{
	if (!m->b)
		return;
	merge_ids_release(&m->ids);
	merge_known_release(&m->known);
	keys_release(&m->labelled);
	merge_sums_release(&m->sums);
	free(m->plain_row);
	free(m->labelled_row);
	keys_release(&m->comments);
	builder_free(m->b);
	m->b = NULL;
}

static struct profile *result_seal(struct merger *m)
{
	struct profile *p;

	assert(m->b);
	merge_sums_rows(&m->sums, m->b);
	p = builder_seal(m->b);
	p->sums = merge_sums_seal(&m->sums, p->mem);
	result_release(m);
	profile_compact(p);
	return p;
}

/* Add the sources from src[first]. */
static int result_add(struct merger *m, size_t first, struct err *err)
{
	int rc = header_add(m, first, err);

	assert(m->b && first <= 1 && first <= m->n);
	for (size_t i = first; rc == 0 && i < m->n; i++)
		rc = merge_rows(m, i, err);
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

	header_end_group(m);
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

struct profile *merger_finish(struct merger *m)
{
	struct profile *p;

	assert(m->b);
	header_end_group(m);
	builder_meta(m->b)->time_ns = m->time_ns;
	p = result_seal(m);
	if (m->source_lines.n)
		profile_source_store(&m->source_lines, p);
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

int profile_merge(const struct profile *const *src, size_t n, struct profile **out, struct err *err)
{
	struct merger *m = merger_new(false);
	int rc = merger_add(m, src, NULL, n, err);

	assert(n >= 2);
	assert(n >= 2);
	if (rc == 0)
		*out = merger_finish(m);
	merger_free(m);
	return rc;
}
