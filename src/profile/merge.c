/*
 * merge.c - add profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are walked row by row, in blocks. Stacks and label sets are translated to ids of the
 * result, each once per source (merge_ids.c), so that a row is found by two numbers; its values
 * are then added column by column. Only when a sum became zero is the result compacted.
 */
#include "config.h"

#include "profile/merge.h"

#include "base/idtab.h"
#include "base/num.h"
#include "profile/agree.h"
#include "profile/builder.h"
#include "profile/compact.h"
#include "profile/keys.h"
#include "profile/merge_ids.h"
#include "profile/scale.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { BLOCK_ROWS = 512 };

struct merge {
	const struct profile *const *src;
	size_t n;
	struct agreement agreed;
	struct builder *b;
	struct merge_ids ids;
	struct keys rows; /* stack << 32 | label set */
};

/* Rows of one source on their way into the result. */
struct block {
	size_t profile;
	uint32_t n;
	uint32_t row[BLOCK_ROWS];  /* in the source */
	uint32_t into[BLOCK_ROWS]; /* in the result */
	uint64_t key[BLOCK_ROWS], hash[BLOCK_ROWS];
};

static void merge_types(struct merge *m)
{
	const struct agreement *a = &m->agreed;

	for (uint32_t t = 0; t < a->n_types; t++) {
		const struct profile *first = m->src[0], *finest = m->src[a->unit_of[t]];
		uint32_t at = a->column[a->unit_of[t] * (size_t)a->n_types + t];
		str_id name = merge_ids_text(&m->ids, first, first->type[a->column[t]].name);

		builder_type(m->b, name, merge_ids_text(&m->ids, finest, finest->type[at].unit));
	}
}

static int merge_period(struct merge *m, struct err *err)
{
	const struct profile *first = m->src[0], *finest = m->src[m->agreed.period_from];
	struct profile_meta *meta = builder_meta(m->b);
	const char *unit = profile_text(finest, finest->meta.period_type.unit);

	meta->has_period_type = first->meta.has_period_type;
	meta->period_type.name = merge_ids_text(&m->ids, first, first->meta.period_type.name);
	meta->period_type.unit = merge_ids_text(&m->ids, finest, finest->meta.period_type.unit);
	for (size_t i = 0; i < m->n; i++) {
		const struct profile *p = m->src[i];
		const char *own = profile_text(p, p->meta.period_type.unit);
		int64_t period;

		if (scale_period(p->meta.period, own, unit, &period))
			return err_set(err, ERR_RANGE,
				       "profile %zu: a period of %" PRId64 " %.100s is too much in %.100s", i + 1,
				       p->meta.period, own, unit);
		if (meta->period == 0 || meta->period < period)
			meta->period = period;
	}
	return 0;
}

/* The earliest time; but like pprof, a profile without one makes those before it forgotten. */
static int merge_times(struct merge *m, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);

	for (size_t i = 0; i < m->n; i++) {
		const struct profile_meta *own = &m->src[i]->meta;

		if (meta->time_ns == 0 || own->time_ns < meta->time_ns)
			meta->time_ns = own->time_ns;
		if (num_add(&meta->duration_ns, own->duration_ns))
			return err_set(err, ERR_RANGE,
				       "profile %zu: its duration of %" PRId64
				       " ns, added to those before, leaves 64 bits",
				       i + 1, own->duration_ns);
	}
	return 0;
}

static int merge_comments(struct merge *m, struct err *err)
{
	struct keys seen;
	int rc = 0;

	keys_init(&seen, 1, 0);
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t c = 0; rc == 0 && c < m->src[i]->meta.n_comments; c++) {
			str_id text = merge_ids_text(&m->ids, m->src[i], m->src[i]->meta.comment[c]);
			uint32_t before = seen.n, id = 0;

			rc = keys_add(&seen, &(uint64_t){ text }, 1, hash_u64(text), &id, err);
			if (rc == 0 && id == before)
				builder_comment(m->b, text);
		}
	keys_release(&seen);
	return rc;
}

static int merge_header(struct merge *m, struct err *err)
{
	struct profile_meta *meta = builder_meta(m->b);
	const struct profile *first = m->src[0];

	meta->drop_frames = merge_ids_text(&m->ids, first, first->meta.drop_frames);
	meta->keep_frames = merge_ids_text(&m->ids, first, first->meta.keep_frames);
	for (size_t i = 0; i < m->n; i++) {
		const struct profile *p = m->src[i];

		if (meta->default_type == 0)
			meta->default_type = merge_ids_text(&m->ids, p, agreement_default(&m->agreed, p, i));
		if (meta->doc_url == 0)
			meta->doc_url = merge_ids_text(&m->ids, p, p->meta.doc_url);
	}
	if (merge_period(m, err) < 0 || merge_times(m, err) < 0)
		return ERR_RANGE;
	return merge_comments(m, err);
}

/* Column and ratio of type t in a source. */
static const int64_t *source_values(const struct merge *m, size_t profile, uint32_t t, double *ratio)
{
	size_t at = profile * m->agreed.n_types + t;

	*ratio = m->agreed.ratio[at];
	return m->src[profile]->value[SIDE_TARGET][m->agreed.column[at]];
}

static int scale_failed(const struct merge *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *p = m->src[profile];
	const struct value_type *type = &p->type[m->agreed.column[profile * m->agreed.n_types + t]];

	return err_set(err, ERR_RANGE,
		       "profile %zu, sample %" PRIu32 ": its %.100s in %.100s is too much for the finer "
		       "unit of another profile",
		       profile + 1, row + 1, profile_text(p, type->name), profile_text(p, type->unit));
}

static int add_failed(const struct merge *m, size_t profile, uint32_t row, uint32_t t, struct err *err)
{
	const struct profile *first = m->src[0];

	return err_set(err, ERR_RANGE,
		       "profile %zu, sample %" PRIu32 ": its %.100s, added to that of the same stack and "
		       "labels before, leaves 64 bits",
		       profile + 1, row + 1, profile_text(first, first->type[m->agreed.column[t]].name));
}

/* Note the rows of [lo, hi) that have some value other than 0 once they are scaled. */
static int block_rows(const struct merge *m, struct block *b, uint32_t lo, uint32_t hi, struct err *err)
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

static int block_stacks(struct merge *m, const struct block *b, struct err *err)
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

static int block_keys(struct merge *m, struct block *b, struct err *err)
{
	const struct profile *p = m->src[b->profile];

	if (block_stacks(m, b, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t set;

		if (merge_ids_labels(&m->ids, p->labels[b->row[i]], &set, err) < 0)
			return ERR_LIMIT;
		b->key[i] = (uint64_t)m->ids.stack[p->stack[b->row[i]]] << 32 | set;
		b->hash[i] = keys_hash(&b->key[i], 1);
		idtab_prefetch(&m->rows.ids, b->hash[i]);
	}
	return 0;
}

/* Find the rows that the block is added to, appending what there is none for. */
static int block_places(struct merge *m, struct block *b, struct err *err)
{
	uint32_t before = m->rows.n;
	struct builder_rows added;

	for (uint32_t i = 0; i < b->n; i++)
		if (keys_add(&m->rows, &b->key[i], 1, b->hash[i], &b->into[i], err) < 0)
			return err_wrap(err, "samples");
	if (builder_rows(m->b, m->rows.n - before, &added, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = before; i < m->rows.n; i++) {
		added.stack[i - before] = (uint32_t)(m->rows.word[i] >> 32);
		added.labels[i - before] = (uint32_t)m->rows.word[i];
	}
	return 0;
}

static int block_add(struct merge *m, const struct block *b, struct err *err)
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

static int merge_rows(struct merge *m, size_t profile, struct err *err)
{
	uint32_t n = m->src[profile]->n_rows;
	struct block b = { .profile = profile };
	int rc = merge_ids_source(&m->ids, m->src[profile], err);

	for (uint32_t lo = 0; rc == 0 && lo < n; lo += BLOCK_ROWS) {
		uint32_t hi = n - lo > BLOCK_ROWS ? lo + BLOCK_ROWS : n;

		if ((rc = block_rows(m, &b, lo, hi, err)) < 0 || (rc = block_keys(m, &b, err)) < 0 ||
		    (rc = block_places(m, &b, err)) < 0)
			break;
		rc = block_add(m, &b, err);
	}
	return rc;
}

/* Most merges are of profiles of one program: they need little more than the largest does. */
static void merge_expect(struct merge *m)
{
	size_t stacks = 0, items = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct csr *s = &m->src[i]->stacks;

		stacks = s->n > stacks ? s->n : stacks;
		items = s->off[s->n] > items ? s->off[s->n] : items;
	}
	builder_expect(m->b, stacks, items);
}

static int merge_all(struct merge *m, struct err *err)
{
	int rc;

	merge_types(m);
	merge_expect(m);
	rc = merge_header(m, err);
	for (size_t i = 0; rc == 0 && i < m->n; i++)
		rc = merge_rows(m, i, err);
	return rc;
}

static size_t rows_expected(const struct profile *const *src, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = src[i]->n_rows > most ? src[i]->n_rows : most;
	return most;
}

int profile_merge(const struct profile *const *src, size_t n, struct profile **out, struct err *err)
{
	struct merge m = { .src = src, .n = n, .b = builder_new() };
	int rc;

	assert(n >= 2);
	merge_ids_init(&m.ids, m.b);
	keys_init(&m.rows, 1, rows_expected(src, n));
	rc = agreement_find(src, n, &m.agreed, err);
	if (rc == 0)
		rc = merge_all(&m, err);
	merge_ids_release(&m.ids);
	keys_release(&m.rows);
	agreement_release(&m.agreed);
	if (rc == 0) {
		*out = builder_seal(m.b);
		profile_compact(*out);
	}
	builder_free(m.b);
	return rc;
}
