/*
 * reduce_slice.c - add up blocks of a chapter, in vectors with an element per row of its dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sums are added to a vector per column for all series of a group; reduce_series.c makes the other reductions.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/read/reduce_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Max elements of the vectors of a thread: 1 GiB. */
#define VECTOR_ELEMENTS_MAX ((size_t)1 << 27)

int reduce_work_grow(struct reduce_work *w, size_t vectors, struct err *err)
{
	if (vectors > (VECTOR_ELEMENTS_MAX - w->n_elements) / (w->n_rows + 1))
		return err_set(err, ERR_LIMIT, "%s: %zu rows with this many sample types need too much memory",
			       w->c->c->service, w->n_rows);
	w->n_elements += vectors * (w->n_rows + 1);
	return 0;
}

/* The sums of the current group and shape. */
static int get_dense(struct reduce_work *w, uint32_t shape, struct reduce_dense **out, struct err *err)
{
	const struct reduce_shape *s = &w->r->shape[shape];
	struct reduce_dense *d;

	for (size_t i = 0; i < w->n_dense; i++)
		if (w->dense[i].shape == shape) {
			*out = &w->dense[i];
			return 0;
		}
	if (reduce_work_grow(w, s->n_types, err) < 0)
		return ERR_LIMIT;
	w->dense = mem_grow(w->dense, &w->cap_dense, w->n_dense + 1, sizeof(*w->dense));
	d = &w->dense[w->n_dense++];
	*d = (struct reduce_dense){ .shape = shape };
	reduce_columns_init(&d->sum, s->n_types);
	*out = d;
	return 0;
}

/* Move the rows that have a value to a matrix. */
static int reduce_slice_move_rows(const struct reduce_work *w, struct reduce_dense *d, struct reduce_matrix *out,
				  struct err *err)
{
	struct reduce_columns *c = &d->sum;

	for (uint32_t row = 0; row < w->n_rows; row++) {
		bool has_value = false;

		for (uint32_t t = 0; t < c->n_types; t++)
			has_value |= c->value[t] && c->value[t][row];
		if (!has_value)
			continue;
		reduce_matrix_add(out, row);
		for (uint32_t t = 0; t < c->n_types; t++)
			if (!reduce_columns_get(c, t, row, &out->column[t][out->n - 1]))
				return reduce_overflow(w->r, &w->r->shape[d->shape], t, err);
		for (uint32_t t = 0; t < c->n_types; t++)
			if (c->value[t])
				c->value[t][row] = 0;
	}
	return 0;
}

/* Move the rows of the sums of a shape to the result of the slice. */
static int end_sum(struct reduce_work *w, struct reduce_dense *d, struct err *err)
{
	struct reduce_sum *out;
	int rc = 0;

	if (!d->has_profiles)
		return 0;
	w->s->sum = mem_grow(w->s->sum, &w->s->cap_sums, w->s->n_sums + 1, sizeof(*w->s->sum));
	out = &w->s->sum[w->s->n_sums++];
	*out = (struct reduce_sum){
		.shape = d->shape, .group = w->group, .profiles = d->profiles, .duration_ns = d->duration_ns
	};
	reduce_matrix_init(&out->m, d->sum.n_types);
	if (w->r->wants_forest) {                             /* there is one group */
		for (uint32_t t = 0; t < d->sum.n_types; t++) /* those that no block has */
			(void)reduce_columns_prepare(&d->sum, t, d->sum.like[t], d->sum.factor[t], false, w->n_rows);
		out->dense = d->sum;
		d->sum = (struct reduce_columns){ 0 };
	} else {
		rc = reduce_slice_move_rows(w, d, &out->m, err);
	}
	d->profiles = 0;
	d->has_profiles = false;
	d->duration_ns = 0;
	return rc;
}

static int end_group(struct reduce_work *w, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->n_dense; i++)
		rc = end_sum(w, &w->dense[i], err);
	for (uint32_t i = 0; i < w->c->c->dict.n_metas; i++) {
		if (w->meta_first[i] == INT64_MAX)
			continue;
		w->s->meta = mem_grow(w->s->meta, &w->s->cap_metas, w->s->n_metas + 1, sizeof(*w->s->meta));
		w->s->meta[w->s->n_metas++] = (struct reduce_meta){ w->group, i, w->meta_first[i] };
		w->meta_first[i] = INT64_MAX;
	}
	return rc;
}

/* Add the values in the range. */
static void reduce_slice_add_plain(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct reduce_column *p = arg;
	int64_t sum = 0;
	uint32_t i = 0;
	bool is_overflow = false;

	if (row >= p->w->n_rows) {
		p->is_bad = true;
		return;
	}
	while (i < n && cell[i] < p->range.lo)
		i++;
	if (p->range.hi < p->b->n)
		while (n > i && cell[n - 1] >= p->range.hi)
			n--;
	for (; i < n; i++)
		is_overflow |= num_add(&sum, value[i]);
	p->is_overflow |= is_overflow | num_add(&p->sum[row], sum);
}

/* Add the values of a chain in the range. */
static void reduce_slice_add_chain(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct reduce_column *p = arg;
	int64_t v[BLOCK_PROFILES_MAX];

	if (row >= p->w->n_rows) {
		p->is_bad = true;
		return;
	}
	reduce_expand(p, n, cell, value, p->range.hi, v);
	for (uint32_t k = p->range.lo; k < p->range.hi; k++)
		p->is_overflow |= num_add(&p->sum[row], v[k]);
}

int reduce_column_check(const struct reduce_column *p, uint32_t column, struct err *err)
{
	if (p->is_bad)
		return err_set(err, ERR_FORMAT, "a block has a row that does not exist");
	if (p->is_overflow)
		return reduce_overflow(p->w->r, p->w->shape, column, err);
	return 0;
}

struct reduce_column reduce_column_init(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
					uint32_t column)
{
	return (struct reduce_column){ .w = w,
				       .b = b,
				       .range = *range,
				       .is_chain = b->is_chain[column],
				       .is_cumulative = w->shape->temporality[column] == TEMPORALITY_CUMULATIVE,
				       .is_first_block = w->e.n == 0,
				       .reduce = w->shape->reduce[column] };
}

/* Count the profiles of a range. */
static int count_profiles(struct reduce_work *w, const struct block *b, const struct reduce_range *r,
			  struct reduce_dense *d, struct err *err)
{
	struct reduce_slice *s = w->s;

	s->start = mem_grow(s->start, &s->cap_starts, s->n_starts + (r->hi - r->lo), sizeof(*s->start));
	for (uint32_t k = r->lo; k < r->hi; k++) {
		int64_t *first = &w->meta_first[b->meta[k]];

		if (!b->slot || b->slot[k].n)
			s->start[s->n_starts++] =
				(struct sum_start){ w->e.series, b->slot ? b->slot[k].n : 1,
						    b->slot ? b->slot[k].tier : TIER_RAW, b->start_ns[k] };
		d->profiles += b->slot ? b->slot[k].n : 1;
		if (b->start_ns[k] < *first)
			*first = b->start_ns[k];
		if (num_add(&d->duration_ns, b->duration_ns[k]))
			return err_set(err, ERR_RANGE, "the sum of the durations overflows 64 bits");
	}
	d->has_profiles = true;
	return 0;
}

/* Prepare the columns of sums for a block: those that are multiples of others in all blocks have no values. Of
   tiers, instances that were added up have blocks without values. */
static int reduce_slice_prepare(struct reduce_work *w, const struct block *b, struct reduce_dense *d, struct err *err)
{
	const struct reduce_shape *s = w->shape;
	bool has_values = d->has_values;

	for (uint32_t t = 0; t < s->n_types; t++) {
		uint32_t like = t, of;
		int64_t factor = 1, multiple;

		if (s->reduce[t] != REDUCE_SUM || block_is_empty(b, t))
			continue;
		if (block_is_multiple(b, t, &of, &multiple) && !b->is_chain[t] && s->reduce[of] == REDUCE_SUM) {
			like = of;
			factor = multiple;
		}
		if (!reduce_columns_prepare(&d->sum, t, like, factor, !has_values, w->n_rows))
			return reduce_overflow(w->r, s, t, err);
		d->has_values = true;
	}
	return 0;
}

static int reduce_slice_add_sums(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
				 struct reduce_dense *d, struct err *err)
{
	int rc = reduce_slice_prepare(w, b, d, err);

	for (uint32_t t = 0; rc == 0 && t < w->shape->n_types; t++) {
		struct reduce_column p = reduce_column_init(w, b, range, t);

		p.sum = d->sum.value[t];
		if (!p.sum)
			continue;
		rc = block_each_row(b, t, p.is_chain ? reduce_slice_add_chain : reduce_slice_add_plain, &p, err);
		rc = rc < 0 ? rc : reduce_column_check(&p, t, err);
	}
	return rc;
}

static int reduce_slice_add_range(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
				  struct err *err)
{
	const struct tier_process *process = w->c->process;
	struct reduce_dense *d;
	int rc = 0;

	if (b->slot)
		rc = reduce_slot_check(w, b, range, err);
	if (rc == 0 && range->lo < range->hi && w->pass == PASS_WINDOW) {
		rc = get_dense(w, w->e.shape, &d, err);
		if (rc == 0)
			rc = count_profiles(w, b, range, d, err);
		if (rc == 0)
			rc = reduce_slice_add_sums(w, b, range, d, err);
	}
	if (rc == 0 && w->shape->n_ordered)
		rc = reduce_series_add(w, b, range, err);
	if (rc < 0 || range->lo == range->hi)
		return rc;
	if (w->e.n == 0) {
		w->e.first_ns = b->start_ns[range->lo];
		w->e.first = process[b->meta[range->lo]];
	}
	for (uint32_t k = range->lo; k < range->hi; k++)
		w->e.n += b->slot ? b->slot[k].n : 1;
	w->e.last_ns = b->start_ns[range->hi - 1];
	w->e.last = process[b->meta[range->hi - 1]];
	return 0;
}

static uint32_t first_at(const struct block *b, int64_t t)
{
	uint32_t lo = 0, hi = b->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (b->start_ns[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool reduce_slice_has_id(const struct reduce_series *s, int64_t start_ns, const uint8_t wanted[16])
{
	uint8_t id[16];

	block_profile_id(s->hash, start_ns, id);
	return memcmp(id, wanted, sizeof(id)) == 0;
}

/* The profiles of a block that belong to the query. */
static struct reduce_range reduce_slice_find_range(const struct reduce_work *w, const struct block *b)
{
	const struct store_query *q = w->r->q;
	const struct reduce_series *series = &w->r->series[w->e.series];
	bool is_earlier = w->pass == PASS_EARLIER;
	struct reduce_range r = { first_at(b, is_earlier ? series->first_ns : series->t0), first_at(b, q->t1),
				  NO_PROFILE };

	if (r.hi < r.lo)
		r.hi = r.lo;
	while (q->id && r.lo < r.hi && !reduce_slice_has_id(series, b->start_ns[r.lo], q->id))
		r.lo++;
	if (q->id && r.lo < r.hi)
		r.hi = r.lo + 1;
	if (r.lo > 0 && w->shape->n_increase)
		r.base = r.lo - 1;
	if (w->pass == PASS_BASES || is_earlier)
		r.hi = r.lo;
	return r;
}

/* Add each profile by itself, as an element. */
static int reduce_slice_add_profiles(struct reduce_work *w, const struct block *b, const struct reduce_range *r,
				     struct err *err)
{
	int rc = 0;

	for (uint32_t k = r->lo; rc == 0 && k < r->hi; k++) {
		struct reduce_range one = { k, k + 1, NO_PROFILE };

		rc = reduce_slice_add_range(w, b, &one, err);
		reduce_series_end(w);
	}
	return rc;
}

static int reduce_slice_check_block(const struct reduce_work *w, const struct block *b, uint32_t shape, struct err *err)
{
	const struct reduce_shape *s = &w->r->shape[shape];

	if (b->n_columns != s->n_types)
		return err_set(err, ERR_FORMAT,
			       "a block has %" PRIu32 " columns, its profiles have %" PRIu32 " sample types",
			       b->n_columns, s->n_types);
	for (uint32_t k = 0; k < b->n; k++)
		if (w->c->shape[b->meta[k]] != shape)
			return err_set(err, ERR_FORMAT, "profiles of a block have different sample types");
	return 0;
}

/* Add an item whose profiles have the current shape; an item with another one is left for later. */
static int reduce_slice_add_item(struct reduce_work *w, struct reduce_item *item, uint32_t *shape, struct err *err)
{
	struct block b;
	struct reduce_range range;
	uint32_t own;
	int rc = chapter_open_block(w->c->c, item->block, &w->buffer, &b, err);

	if (rc < 0)
		return rc;
	own = w->c->shape[b.meta[0]];
	if (*shape == PROFILE_NONE) {
		*shape = own;
		w->shape = &w->r->shape[own];
		w->e = (struct reduce_element){ .series = item->series, .shape = own };
		rc = reduce_series_begin(w, err);
	}
	if (rc == 0 && own == *shape)
		rc = reduce_slice_check_block(w, &b, own, err);
	if (rc == 0 && own == *shape)
		item->is_done = true;
	if (rc == 0 && own == *shape && b.slot && b.slot[0].role != SLOT_SUM) {
		rc = reduce_slot_add_snapshots(w, &b, err);
	} else if (rc == 0 && own == *shape) {
		range = reduce_slice_find_range(w, &b);
		rc = w->pass == PASS_PROFILES ? reduce_slice_add_profiles(w, &b, &range, err)
					      : reduce_slice_add_range(w, &b, &range, err);
		if (rc == 0 && w->pass == PASS_EARLIER)
			reduce_series_end(w); /* the next block may be of another series */
	}
	block_release(&b);
	return rc;
}

/* Add the items of a series, first those with the types of the first item. */
static int add_items(struct reduce_work *w, struct reduce_item *item, size_t n, struct err *err)
{
	for (;;) {
		uint32_t shape = PROFILE_NONE;
		int rc = 0;

		for (size_t i = 0; rc == 0 && i < n; i++)
			if (!item[i].is_done)
				rc = reduce_slice_add_item(w, &item[i], &shape, err);
		if (rc < 0 || shape == PROFILE_NONE)
			return rc;
		reduce_series_end(w);
	}
}

/* Add what count_profiles would count. */
static int reduce_slice_count_sum(struct reduce_work *w, const struct sum_content *c, struct reduce_dense *d,
				  struct err *err)
{
	struct reduce_slice *s = w->s;

	s->start = mem_grow(s->start, &s->cap_starts, s->n_starts + c->n_starts, sizeof(*s->start));
	for (size_t i = 0; i < c->n_starts; i++) {
		if (!c->start[i].profiles)
			continue;
		s->start[s->n_starts] = c->start[i];
		s->start[s->n_starts++].series = w->c->series[c->start[i].series];
	}
	for (size_t i = 0; i < c->n_metas; i++) {
		int64_t *first = &w->meta_first[c->meta[i].meta];

		*first = c->meta[i].first_ns < *first ? c->meta[i].first_ns : *first;
	}
	s->n_restarts += c->restarts;
	d->profiles += c->profiles;
	d->has_profiles = true;
	if (num_add(&d->duration_ns, c->duration_ns))
		return err_set(err, ERR_RANGE, "the sum of the durations overflows 64 bits");
	return 0;
}

/* Add the sum of all profiles of a kind. */
static int reduce_slice_add_sum(struct reduce_work *w, const struct reduce_item *item, struct err *err)
{
	uint32_t shape = w->c->shape[w->c->c->sum[item->block].meta];
	struct reduce_dense *d;
	struct sum_content c;
	int rc = chapter_open_sum(w->c->c, item->block, &c, err);

	if (rc < 0)
		return rc;
	w->shape = &w->r->shape[shape];
	rc = get_dense(w, shape, &d, err);
	if (rc == 0)
		rc = reduce_slice_count_sum(w, &c, d, err);
	if (rc == 0)
		rc = reduce_slice_add_sums(w, &c.rows, &(struct reduce_range){ 0, 1, NO_PROFILE }, d, err);
	chapter_close_sum(&c);
	return rc;
}

static int store_reduce_slice_run(struct reduce_work *w, struct err *err)
{
	struct reduce_item *item = w->c->item;
	int rc = 0;

	for (size_t i = w->s->lo, end; rc == 0 && i < w->s->hi; i = end) {
		uint32_t group = w->r->series[item[i].series].group;

		for (end = i + 1;
		     end < w->s->hi && !item[i].is_sum && !item[end].is_sum && item[end].series == item[i].series;)
			end++;
		rc = group == w->group ? 0 : end_group(w, err);
		w->group = group;
		rc = rc < 0 ? rc : stop_check(w->r->stop, err);
		if (rc == 0)
			rc = item[i].is_sum ? reduce_slice_add_sum(w, &item[i], err)
					    : add_items(w, item + i, end - i, err);
	}
	return rc < 0 ? rc : end_group(w, err);
}

void reduce_slice_run(const struct reducer *r, struct reduce_slice *s, enum reduce_pass pass)
{
	const struct dict *d = &s->chapter->c->dict;
	struct reduce_work w = { .r = r, .s = s, .c = s->chapter, .pass = pass, .n_rows = d->n_rows };

	w.meta_first = mem_alloc(d->n_metas, sizeof(*w.meta_first));
	for (uint32_t i = 0; i < d->n_metas; i++)
		w.meta_first[i] = INT64_MAX;
	w.touched = mem_alloc(d->n_rows, sizeof(*w.touched));
	w.is_touched = mem_zalloc(d->n_rows, sizeof(*w.is_touched));
	s->rc = store_reduce_slice_run(&w, &s->err);
	for (size_t i = 0; i < w.n_dense; i++)
		reduce_columns_release(&w.dense[i].sum);
	free(w.dense);
	for (size_t i = 0; i < w.n_vectors; i++)
		free(w.vector[i]);
	free(w.vector);
	free(w.touched);
	free(w.is_touched);
	free(w.meta_first);
	free(w.total);
	free(w.last_total);
	buf_release(&w.buffer);
}

void reduce_slice_release(struct reduce_slice *s)
{
	for (size_t i = 0; i < s->n_sums; i++) {
		reduce_matrix_release(&s->sum[i].m);
		reduce_columns_release(&s->sum[i].dense);
	}
	for (size_t i = 0; i < s->n_elements; i++)
		reduce_matrix_release(&s->element[i].m);
	free(s->sum);
	free(s->element);
	free(s->start);
	free(s->meta);
	free(s->gains.gain);
}
