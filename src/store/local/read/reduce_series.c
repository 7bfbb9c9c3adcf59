/*
 * reduce_series.c - reduce the blocks of one series in a chapter, in order of time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row of a block is first expanded to its values in all profiles of the block. What remains of a series is one element, a
 * list of the rows that it has.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/read/reduce_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Vectors of the current series: for each ordered column, then for each increase. */
enum vector_kind {
	V_TOTAL,
	V_COUNT,
	N_ORDERED_KINDS,
	V_FIRST = N_ORDERED_KINDS,
	V_LAST,
	V_BASE,
	V_HEAD,
	V_TAIL,
	V_END
};

static int64_t *vector_of(const struct reduce_work *w, enum vector_kind kind, uint32_t i)
{
	const struct reduce_shape *s = w->shape;

	if (kind < N_ORDERED_KINDS)
		return w->vector[kind * s->n_ordered + i];
	return w->vector[N_ORDERED_KINDS * s->n_ordered + (kind - N_ORDERED_KINDS) * s->n_increase + i];
}

/* Make the vectors for the current shape. They are zero between series. */
int reduce_series_begin(struct reduce_work *w, struct err *err)
{
	const struct reduce_shape *s = w->shape;
	size_t n = N_ORDERED_KINDS * (size_t)s->n_ordered + (V_END - N_ORDERED_KINDS) * (size_t)s->n_increase;

	if (n <= w->n_vectors)
		return 0;
	if (reduce_work_grow(w, n - w->n_vectors, err) < 0)
		return ERR_LIMIT;
	w->vector = mem_grow(w->vector, &w->cap_vectors, n, sizeof(*w->vector));
	while (w->n_vectors < n)
		w->vector[w->n_vectors++] = mem_zalloc(w->n_rows, sizeof(int64_t));
	return 0;
}

static void touch(struct reduce_work *w, uint32_t row)
{
	if (w->is_touched[row])
		return;
	w->is_touched[row] = true;
	w->touched[w->n_touched++] = row;
}

static void increase_row(const struct reduce_column *p, uint32_t row, const int64_t *v)
{
	struct reduce_work *w = p->w;
	struct reduce_range r = p->range;

	if (r.base != NO_PROFILE)
		vector_of(w, V_BASE, p->inc)[row] = v[r.base];
	if (r.lo == r.hi)
		return;
	for (uint32_t k = r.lo; w->r->wants_gains && k < r.hi && select_has_row(&w->c->selected, row); k++)
		w->total[p->inc][k] += (uint64_t)v[k];
	vector_of(w, V_HEAD, p->inc)[row] = v[r.lo];
	vector_of(w, V_TAIL, p->inc)[row] = v[r.hi - 1];
	for (uint32_t k = r.lo + 1; p->is_cumulative && k < r.hi; k++)
		w->is_reset[k] |= tier_fell(v[k - 1], v[k]);
}

/* Reduce the values of a row of the current series. */
static void add_ordered(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct reduce_column *p = arg;
	struct reduce_range r = p->range;
	int64_t v[BLOCK_PROFILES_MAX], *total, *count;

	if (row >= p->w->n_rows) {
		p->is_bad = true;
		return;
	}
	touch(p->w, row);
	reduce_expand(p, n, cell, value, r.hi, v);
	total = &vector_of(p->w, V_TOTAL, p->i)[row];
	count = &vector_of(p->w, V_COUNT, p->i)[row];
	if (p->reduce == REDUCE_INCREASE)
		increase_row(p, row, v);
	if (r.lo == r.hi)
		return;
	if (p->reduce == REDUCE_FIRST && p->is_first_block)
		*total = v[r.lo];
	if (p->reduce == REDUCE_LAST)
		*total = v[r.hi - 1];
	for (uint32_t k = r.lo; p->reduce == REDUCE_MEAN && k < r.hi; k++)
		p->is_overflow |= num_add(total, v[k]);
	for (uint32_t k = r.lo; p->reduce == REDUCE_MAX && k < r.hi; k++)
		if (!(*count)++ || v[k] > *total)
			*total = v[k];
}

/* At the end of a process its last values are added, since the next counts from 0. */
static void add_ends(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct reduce_column *p = arg;
	int64_t v[BLOCK_PROFILES_MAX], *total;

	if (row >= p->w->n_rows)
		return;
	reduce_expand(p, n, cell, value, p->range.hi, v);
	total = &vector_of(p->w, V_TOTAL, p->i)[row];
	for (uint32_t k = p->range.lo + 1; k < p->range.hi; k++)
		if (p->w->is_reset[k])
			p->is_overflow |= num_add(total, v[k - 1]);
}

/* Does the first profile of a block begin a new process? */
static bool is_reset_between(struct reduce_work *w, const struct tier_process *next)
{
	const struct reduce_shape *s = w->shape;

	if (tier_is_other_process(&w->e.last, next))
		return true;
	for (uint32_t j = 0; j < s->n_increase; j++) {
		const int64_t *last = vector_of(w, V_LAST, j), *head = vector_of(w, V_HEAD, j);

		for (uint32_t i = 0; s->temporality[s->increase[j]] == TEMPORALITY_CUMULATIVE && i < w->n_touched; i++)
			if (tier_fell(last[w->touched[i]], head[w->touched[i]]))
				return true;
	}
	return false;
}

/* Note what was counted before each profile of a block. is_reset: at the first one */
static void note_gains(struct reduce_work *w, const struct block *b, const struct reduce_range *r, bool is_reset)
{
	const struct reduce_shape *s = w->shape;

	for (uint32_t j = 0; j < s->n_increase; j++) {
		struct reduce_gain gain = { .series = w->e.series, .shape = w->e.shape, .column = s->increase[j] };

		if (s->temporality[gain.column] != TEMPORALITY_CUMULATIVE)
			continue;
		for (uint32_t k = r->lo; k < r->hi; k++) {
			uint64_t before = k > r->lo ? w->total[j][k - 1] : w->last_total[j];

			gain.time_ns = b->start_ns[k];
			gain.value = (int64_t)(w->total[j][k] - ((k > r->lo ? w->is_reset[k] : is_reset) ? 0 : before));
			if (gain.value && (k > r->lo || w->e.n))
				reduce_gains_add(&w->s->gains, &gain);
		}
		w->last_total[j] = w->total[j][r->hi - 1];
	}
}

/* Add the increase from the first to the last profile of a block, and from the block before. */
static bool join_block(struct reduce_work *w, const struct block *b, const struct reduce_range *range)
{
	const struct tier_process *first = &w->c->process[b->meta[range->lo]];
	const struct reduce_shape *s = w->shape;
	bool is_first = w->e.n == 0, is_overflow = false;
	bool is_reset = !is_first && is_reset_between(w, first);

	w->e.n_restarts += is_reset;
	if (w->r->wants_gains)
		note_gains(w, b, range, is_reset);
	for (uint32_t i = 0, j = 0; i < s->n_ordered; i++) {
		bool is_counter = s->temporality[s->ordered[i]] == TEMPORALITY_CUMULATIVE;
		int64_t *total, *head, *tail, *last, *begin;

		if (s->reduce[s->ordered[i]] != REDUCE_INCREASE)
			continue;
		total = vector_of(w, V_TOTAL, i);
		head = vector_of(w, V_HEAD, j), tail = vector_of(w, V_TAIL, j);
		last = vector_of(w, V_LAST, j), begin = vector_of(w, V_FIRST, j);
		for (uint32_t k = 0; k < w->n_touched; k++) {
			uint32_t row = w->touched[k];
			int64_t up, from = is_first ? head[row] : is_reset && is_counter ? 0 : last[row];

			is_overflow |= __builtin_sub_overflow(tail[row], from, &up) || num_add(&total[row], up);
			if (is_first)
				begin[row] = head[row];
			last[row] = tail[row];
			head[row] = tail[row] = 0;
		}
		j++;
	}
	return is_overflow;
}

/* Values of LAST are those of this block only. */
static void forget_last(struct reduce_work *w)
{
	for (uint32_t i = 0; i < w->shape->n_ordered; i++)
		if (w->shape->reduce[w->shape->ordered[i]] == REDUCE_LAST)
			for (uint32_t k = 0; k < w->n_touched; k++)
				vector_of(w, V_TOTAL, i)[w->touched[k]] = 0;
}

static int add_ends_of_processes(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
				 struct err *err)
{
	const struct reduce_shape *s = w->shape;
	bool has_reset = false;

	for (uint32_t k = range->lo + 1; k < range->hi; k++) {
		has_reset |= w->is_reset[k];
		w->e.n_restarts += s->n_increase && w->is_reset[k];
	}
	for (uint32_t i = 0; has_reset && i < s->n_ordered; i++) {
		struct reduce_column p = reduce_column_init(w, b, range, s->ordered[i]);
		int rc;

		p.i = i;
		if (p.reduce != REDUCE_INCREASE || !p.is_cumulative)
			continue;
		rc = block_each_row(b, s->ordered[i], add_ends, &p, err);
		if (rc < 0 || (rc = reduce_column_check(&p, s->ordered[i], err)) < 0)
			return rc;
	}
	return 0;
}

static void set_base(struct reduce_work *w, const struct block *b, const struct reduce_range *range)
{
	if (range->base == NO_PROFILE)
		return;
	w->has_base = true;
	w->base_ns = b->start_ns[range->base];
	w->base = w->c->process[b->meta[range->base]];
}

/* Add the ordered columns of a block to the current series. */
int reduce_series_add(struct reduce_work *w, const struct block *b, const struct reduce_range *range, struct err *err)
{
	const struct reduce_shape *s = w->shape;
	const struct tier_process *process = w->c->process;
	uint32_t inc = 0;
	int rc = 0;

	memset(w->is_reset, 0, sizeof(w->is_reset));
	if (w->r->wants_gains && s->n_increase) {
		w->total = mem_grow(w->total, &w->cap_total, s->n_increase, sizeof(*w->total));
		w->last_total = mem_grow(w->last_total, &w->cap_last_total, s->n_increase, sizeof(*w->last_total));
		memset(w->total, 0, s->n_increase * sizeof(*w->total));
	}
	for (uint32_t k = range->lo + 1; k < range->hi; k++)
		w->is_reset[k] = tier_is_other_process(&process[b->meta[k - 1]], &process[b->meta[k]]);
	if (range->lo < range->hi)
		forget_last(w);
	for (uint32_t i = 0; i < s->n_ordered; i++) {
		struct reduce_column p = reduce_column_init(w, b, range, s->ordered[i]);

		p.i = i;
		p.inc = p.reduce == REDUCE_INCREASE ? inc++ : 0;
		if ((p.reduce != REDUCE_INCREASE && range->lo == range->hi))
			continue;
		rc = block_each_row(b, s->ordered[i], add_ordered, &p, err);
		if (rc < 0 || (rc = reduce_column_check(&p, s->ordered[i], err)) < 0)
			return rc;
	}
	set_base(w, b, range);
	if (range->lo == range->hi)
		return 0;
	rc = add_ends_of_processes(w, b, range, err);
	if (rc == 0 && s->n_increase && join_block(w, b, range))
		rc = reduce_overflow(w->r, s, s->increase[0], err);
	return rc;
}

static void reduce_series_add_element(struct reduce_work *w, const struct reduce_element *e)
{
	w->s->element = mem_grow(w->s->element, &w->s->cap_elements, w->s->n_elements + 1, sizeof(*w->s->element));
	w->s->element[w->s->n_elements++] = *e;
}

/* Append the rows of the current series with a value in one of the vectors. */
static void reduce_series_collect_rows(const struct reduce_work *w, int64_t *const *vector, uint32_t n,
				       struct reduce_matrix *m)
{
	for (uint32_t i = 0; i < w->n_touched; i++) {
		uint32_t row = w->touched[i], at = 0;
		bool has_row = false;

		for (uint32_t k = 0; k < n; k++) {
			if (!vector[k][row])
				continue;
			if (!has_row)
				at = reduce_matrix_add(m, row);
			has_row = true;
			m->column[k][at] = vector[k][row];
		}
	}
}

/* A row that some profiles lack has the value 0 in them. */
static void finish_max(struct reduce_work *w)
{
	for (uint32_t i = 0; i < w->shape->n_ordered; i++) {
		int64_t *total = vector_of(w, V_TOTAL, i), *count = vector_of(w, V_COUNT, i);

		for (uint32_t k = 0; w->shape->reduce[w->shape->ordered[i]] == REDUCE_MAX && k < w->n_touched; k++)
			if (count[w->touched[k]] < w->e.n && total[w->touched[k]] < 0)
				total[w->touched[k]] = 0;
	}
}

/* End the current series: make elements of its rows, and clear the vectors. */
void reduce_series_end(struct reduce_work *w)
{
	const struct reduce_shape *s = w->shape;
	uint32_t n_total = s->n_ordered, n_inc = s->n_increase;
	size_t n_vectors = N_ORDERED_KINDS * (size_t)n_total + (V_END - N_ORDERED_KINDS) * (size_t)n_inc;
	int64_t **column = mem_alloc(n_total + 2 * (size_t)n_inc, sizeof(*column));

	if (n_inc && w->has_base && w->pass != PASS_PROFILES) {
		struct reduce_element e = { .series = w->e.series,
					    .shape = w->e.shape,
					    .first_ns = w->base_ns,
					    .last_ns = w->base_ns,
					    .first = w->base,
					    .last = w->base };

		for (uint32_t j = 0; j < n_inc; j++)
			column[j] = vector_of(w, V_BASE, j);
		reduce_matrix_init(&e.m, n_inc);
		reduce_series_collect_rows(w, column, n_inc, &e.m);
		reduce_series_add_element(w, &e);
	}
	if (w->e.n && n_total && w->pass != PASS_BASES) {
		finish_max(w);
		for (uint32_t i = 0; i < n_total; i++)
			column[i] = vector_of(w, V_TOTAL, i);
		for (uint32_t j = 0; j < n_inc; j++) {
			column[n_total + j] = vector_of(w, V_FIRST, j);
			column[n_total + n_inc + j] = vector_of(w, V_LAST, j);
		}
		reduce_matrix_init(&w->e.m, n_total + 2 * n_inc);
		reduce_series_collect_rows(w, column, n_total + 2 * n_inc, &w->e.m);
		reduce_series_add_element(w, &w->e);
	}
	free(column);
	for (uint32_t k = 0; k < w->n_touched; k++) {
		for (size_t i = 0; i < n_vectors; i++)
			w->vector[i][w->touched[k]] = 0;
		w->is_touched[w->touched[k]] = false;
	}
	w->n_touched = 0;
	w->has_base = false;
	w->e = (struct reduce_element){ .series = w->e.series, .shape = w->e.shape };
}
