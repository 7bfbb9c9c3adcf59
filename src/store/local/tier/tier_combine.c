/*
 * tier_combine.c - add up the parts of slots
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A part is kept as varints, like a profile in a chapter builder. The parts of a series are added up soon after it ends. Those of 1h come
 * from all instances, so they are kept until the end; if they are many, those of equal slots are added up before.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/format/varint.h"
#include "store/local/tier/tier_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct tier_part {
	struct stored_slot slot;
	uint32_t series, meta;
	int64_t start_ns, duration_ns;
	size_t at; /* in data */
};

struct tier_list {
	struct tier_part *part; /* [n] */
	size_t n, cap;
	struct buf data;
};

enum {
	READY_BYTES = 16 << 20, /* of parts that are written together; each time costs a pass over the dictionary */
	LATE_BYTES = 64 << 20,  /* of parts that are kept */
};

struct tier_parts {
	enum store_tier to;
	struct dict d;
	struct chapter_builder *out;
	struct tier_list ready, late, sum; /* sum: one part for each slot */
	size_t late_max;                   /* bytes at which late is added up */
	/* the slot that is added up */
	int64_t *value;    /* [cap_rows][n_columns] */
	uint32_t *touched; /* [n_touched] rows */
	bool *is_touched;  /* [cap_rows] */
	size_t cap_values, cap_touched, cap_is_touched;
	uint32_t n_touched, n_columns;
};

struct tier_parts *tier_parts_new(enum store_tier to, struct chapter_builder *out)
{
	struct tier_parts *p = mem_zalloc(1, sizeof(*p));

	p->to = to;
	p->out = out;
	p->late_max = LATE_BYTES;
	dict_init(&p->d);
	return p;
}

static void tier_list_release(struct tier_list *l)
{
	free(l->part);
	buf_release(&l->data);
	*l = (struct tier_list){ 0 };
}

void tier_parts_free(struct tier_parts *p)
{
	if (!p)
		return;
	dict_release(&p->d);
	tier_list_release(&p->ready);
	tier_list_release(&p->late);
	tier_list_release(&p->sum);
	free(p->value);
	free(p->touched);
	free(p->is_touched);
	free(p);
}

struct dict *tier_parts_dict(struct tier_parts *p)
{
	return &p->d;
}

static void tier_list_add(struct tier_list *l, const struct stored *s)
{
	size_t n_values = (size_t)s->n * s->n_columns;

	l->part = mem_grow(l->part, &l->cap, l->n + 1, sizeof(*l->part));
	l->part[l->n++] = (struct tier_part){ s->slot, s->series, s->meta, s->start_ns, s->duration_ns, l->data.len };
	varint_put(&l->data, s->n);
	varint_put(&l->data, s->n_columns);
	for (uint32_t i = 0; i < s->n; i++)
		varint_put_delta(&l->data, s->row[i], i ? s->row[i - 1] : 0);
	for (size_t i = 0; i < n_values; i++)
		varint_put_signed(&l->data, s->value[i]);
}

/* Restore a part; out is released with dict_release_stored. */
static void tier_list_get(const struct tier_list *l, size_t i, struct stored *out)
{
	const struct tier_part *p = &l->part[i];
	const uint8_t *at = (const uint8_t *)l->data.data + p->at, *end = (const uint8_t *)l->data.data + l->data.len;
	uint64_t n = 0, n_columns = 0;
	int64_t v;

	if (!varint_get(&at, end, &n) || !varint_get(&at, end, &n_columns))
		assert(!"own data is well-formed");
	*out = (struct stored){ .slot = p->slot,
				.series = p->series,
				.meta = p->meta,
				.start_ns = p->start_ns,
				.duration_ns = p->duration_ns,
				.n = (uint32_t)n,
				.n_columns = (uint32_t)n_columns };
	out->row = mem_alloc(n, sizeof(*out->row));
	out->value = mem_alloc(n, n_columns * sizeof(*out->value));
	for (uint64_t k = 0; k < n && varint_get_signed(&at, end, &v); k++)
		out->row[k] = (uint32_t)((k ? out->row[k - 1] : 0) + (uint64_t)v);
	for (uint64_t k = 0; k < n * n_columns && varint_get_signed(&at, end, &v); k++)
		out->value[k] = v;
}

static int tier_compare_parts(const void *a, const void *b)
{
	const struct tier_part *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->slot.role != y->slot.role)
		return x->slot.role < y->slot.role ? -1 : 1;
	if (x->meta != y->meta)
		return x->meta < y->meta ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool is_same_slot(const struct tier_part *x, const struct tier_part *y)
{
	return x->series == y->series && x->start_ns == y->start_ns && x->slot.role == y->slot.role &&
	       x->meta == y->meta && x->slot.role != SLOT_BASE;
}

/* Is there a later last snapshot of the series? */
static bool is_old_base(const struct tier_list *l, size_t i)
{
	const struct tier_part *own = &l->part[i];

	for (size_t k = i + 1; own->slot.role == SLOT_BASE && k < l->n && l->part[k].series == own->series; k++)
		if (l->part[k].slot.role == SLOT_BASE)
			return true;
	return false;
}

/* --- adding up --- */

static void tier_grow_rows(struct tier_parts *p)
{
	size_t before = p->cap_values, n = ((size_t)p->d.n_rows + 1) * p->n_columns, touched = p->cap_is_touched;

	p->value = mem_grow(p->value, &p->cap_values, n, sizeof(*p->value));
	memset(p->value + before, 0, (p->cap_values - before) * sizeof(*p->value));
	p->is_touched = mem_grow(p->is_touched, &p->cap_is_touched, (size_t)p->d.n_rows + 1, sizeof(*p->is_touched));
	memset(p->is_touched + touched, 0, p->cap_is_touched - touched);
}

/* Add the values of rows, which may be equal. */
static int add_rows(struct tier_parts *p, const struct stored *s, struct err *err)
{
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t row = s->row[i];

		if (!p->is_touched[row]) {
			p->is_touched[row] = true;
			p->touched =
				mem_grow(p->touched, &p->cap_touched, (size_t)p->n_touched + 1, sizeof(*p->touched));
			p->touched[p->n_touched++] = row;
		}
		for (uint32_t t = 0; t < p->n_columns; t++)
			if (num_add(&p->value[(size_t)row * p->n_columns + t], s->value[(size_t)t * s->n + i]))
				return err_set(err, ERR_RANGE, "the sum of the values of a slot overflows 64 bits");
	}
	return 0;
}

/* Move the rows that were added up to a profile, and clear them. */
static void take_rows(struct tier_parts *p, struct stored *s)
{
	s->n_columns = p->n_columns;
	s->row = mem_alloc(p->n_touched, sizeof(*s->row));
	s->value = mem_zalloc(p->n_touched, p->n_columns * sizeof(*s->value));
	s->n = 0;
	for (uint32_t i = 0; i < p->n_touched; i++) {
		const int64_t *value = &p->value[(size_t)p->touched[i] * p->n_columns];
		bool has_value = false;

		for (uint32_t t = 0; t < p->n_columns; t++)
			has_value |= value[t] != 0;
		if (has_value)
			p->touched[s->n] = p->touched[i];
		s->n += has_value;
		p->is_touched[p->touched[i]] = false;
	}
	for (uint32_t i = 0; i < s->n; i++) {
		s->row[i] = p->touched[i];
		for (uint32_t t = 0; t < p->n_columns; t++)
			s->value[(size_t)t * s->n + i] = p->value[(size_t)s->row[i] * p->n_columns + t];
	}
	for (uint32_t i = 0; i < s->n; i++)
		memset(&p->value[(size_t)s->row[i] * p->n_columns], 0, p->n_columns * sizeof(*p->value));
	p->n_touched = 0;
}

/* Fold the rows of a slot, and add up those that are equal then. */
static int fold(struct tier_parts *p, struct stored *s, struct err *err)
{
	static const uint64_t limit[N_TIERS] = { [TIER_1H] = 2, [TIER_1D] = 5 };
	int rc;

	if (!limit[p->to] || s->slot.role == SLOT_BASE)
		return 0;
	rc = tier_fold(&p->d, s, limit[p->to], err);
	tier_grow_rows(p);
	if (rc == 0)
		rc = add_rows(p, s, err);
	if (rc == 0) {
		free(s->row);
		free(s->value);
		take_rows(p, s);
	}
	return rc;
}

/* Add up the parts [lo, hi) of a list. out is released with dict_release_stored. */
static int combine_parts(struct tier_parts *p, const struct tier_list *l, size_t lo, size_t hi, struct stored *out,
			 struct err *err)
{
	const struct tier_part *first = &l->part[lo];
	struct stored s = {
		.slot = first->slot, .series = first->series, .meta = first->meta, .start_ns = first->start_ns
	};
	int rc = 0;

	p->n_columns = p->d.meta[s.meta].n_types;
	tier_grow_rows(p);
	s.slot.n = s.slot.restarts = 0;
	for (size_t i = lo; rc == 0 && i < hi; i++) {
		struct stored part;

		tier_list_get(l, i, &part);
		s.slot.n += part.slot.n;
		s.slot.restarts += part.slot.restarts;
		s.duration_ns = num_add_capped(s.duration_ns, part.duration_ns);
		rc = add_rows(p, &part, err);
		dict_release_stored(&part);
	}
	take_rows(p, &s);
	*out = s;
	return rc;
}

/* Add up the parts of equal slots of a list, and add the sums to another one. */
static int combine_list(struct tier_parts *p, struct tier_list *from, bool folds, struct tier_list *to, struct err *err)
{
	int rc = 0;

	if (from->n)
		qsort(from->part, from->n, sizeof(*from->part), tier_compare_parts);
	for (size_t lo = 0, hi; rc == 0 && lo < from->n; lo = hi) {
		struct stored s;

		for (hi = lo + 1; hi < from->n && is_same_slot(&from->part[lo], &from->part[hi]);)
			hi++;
		if (is_old_base(from, lo))
			continue;
		rc = combine_parts(p, from, lo, hi, &s, err);
		if (rc == 0 && folds)
			rc = fold(p, &s, err);
		if (rc == 0)
			tier_list_add(to, &s);
		dict_release_stored(&s);
	}
	return rc;
}

/* --- writing --- */

/* Add the sums to the builder: its dictionary gets what is used only. */
static int add_sums(struct tier_parts *p, struct err *err)
{
	struct dict_translation *t = dict_translation_new(chapter_builder_dict(p->out), &p->d);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->sum.n; i++) {
		struct stored s;

		tier_list_get(&p->sum, i, &s);
		rc = dict_translate_rows(t, s.row, s.n, err);
		if (rc == 0)
			rc = dict_translate_meta(t, s.meta, &s.meta, err);
		if (rc == 0)
			rc = dict_translate_series(t, s.series, &s.series, err);
		if (rc == 0) {
			tier_sort_rows(&s);
			chapter_builder_add(p->out, &s);
		}
		dict_release_stored(&s);
	}
	dict_translation_free(t);
	return rc;
}

/* Write the slots of a list, and empty it. */
static int write_list(struct tier_parts *p, struct tier_list *l, struct err *err)
{
	int rc = combine_list(p, l, true, &p->sum, err);

	tier_list_release(l);
	if (rc == 0)
		rc = add_sums(p, err);
	tier_list_release(&p->sum);
	return rc;
}

/* Replace the parts that are kept by their sums. */
static int combine_late(struct tier_parts *p, struct err *err)
{
	struct tier_list sum = { 0 };
	int rc = combine_list(p, &p->late, false, &sum, err);

	tier_list_release(&p->late);
	p->late = sum;
	p->late_max = 2 * sum.data.len > LATE_BYTES ? 2 * sum.data.len : LATE_BYTES;
	return rc;
}

int tier_parts_add(struct tier_parts *p, const struct stored *s, bool is_late, struct err *err)
{
	tier_list_add(is_late ? &p->late : &p->ready, s);
	return p->late.data.len > p->late_max ? combine_late(p, err) : 0;
}

int tier_parts_end_series(struct tier_parts *p, struct err *err)
{
	return p->ready.data.len > READY_BYTES ? write_list(p, &p->ready, err) : 0;
}

int tier_parts_finish(struct tier_parts *p, struct err *err)
{
	int rc = write_list(p, &p->ready, err);

	return rc == 0 ? write_list(p, &p->late, err) : rc;
}
