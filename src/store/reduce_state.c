/*
 * reduce_state.c - the reductions of series across chapters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A state has the rows of the result. Elements of later chapters are appended to it. If an increase meets an element that
 * is not later than all before, the series is unordered, and its profiles are added again one by one.
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "store/reduce_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void reduce_matrix_init(struct reduce_matrix *m, uint32_t n_columns)
{
	*m = (struct reduce_matrix){ .n_columns = n_columns, .column = mem_zalloc(n_columns, sizeof(*m->column)) };
}

void reduce_matrix_release(struct reduce_matrix *m)
{
	for (uint32_t c = 0; c < m->n_columns && m->column; c++)
		free(m->column[c]);
	free(m->column);
	free(m->row);
	*m = (struct reduce_matrix){ 0 };
}

uint32_t reduce_matrix_add(struct reduce_matrix *m, uint32_t row)
{
	if (m->n == m->cap) {
		size_t cap = m->cap;

		m->row = mem_grow(m->row, &m->cap, (size_t)m->n + 1, sizeof(*m->row));
		for (uint32_t c = 0; c < m->n_columns; c++) {
			size_t own = cap;

			m->column[c] = mem_grow(m->column[c], &own, m->cap, sizeof(**m->column));
			assert(own == m->cap);
		}
	}
	m->row[m->n] = row;
	for (uint32_t c = 0; c < m->n_columns; c++)
		m->column[c][m->n] = 0;
	return m->n++;
}

void reduce_state_release(struct reduce_state *s)
{
	reduce_matrix_release(&s->e.m);
	reduce_matrix_release(&s->base.m);
}

static int get_state(struct reducer *r, uint32_t series, uint32_t shape, struct reduce_state **out, struct err *err)
{
	uint64_t word = (uint64_t)series << 32 | shape;
	uint32_t before = r->state_keys.n, id;

	if (keys_add(&r->state_keys, &word, 1, keys_hash(&word, 1), &id, err) < 0)
		return ERR_LIMIT;
	if (id == before) {
		r->state = mem_grow(r->state, &r->cap_states, (size_t)id + 1, sizeof(*r->state));
		r->state[id] = (struct reduce_state){ 0 };
	}
	*out = &r->state[id];
	return 0;
}

/* Set the slots of the rows of a matrix to their indexes. */
static void set_slots(struct reducer *r, const struct reduce_matrix *m)
{
	size_t before = r->cap_slots;

	r->slot = mem_grow(r->slot, &r->cap_slots, r->dict.n_rows, sizeof(*r->slot));
	for (size_t i = before; i < r->cap_slots; i++)
		r->slot[i] = PROFILE_NONE;
	for (uint32_t i = 0; i < m->n; i++)
		r->slot[m->row[i]] = i;
}

/* Add the rows of another matrix that are missing, and set the slots of all rows. */
static void join_rows(struct reducer *r, struct reduce_matrix *m, const struct reduce_matrix *other)
{
	set_slots(r, m);
	for (uint32_t i = 0; i < other->n; i++)
		if (r->slot[other->row[i]] == PROFILE_NONE)
			r->slot[other->row[i]] = reduce_matrix_add(m, other->row[i]);
}

static void clear_slots(struct reducer *r, const struct reduce_matrix *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		r->slot[m->row[i]] = PROFILE_NONE;
}

/* The values of a column of other, by the rows of m; slots are those of m. */
static int64_t *align(const struct reducer *r, const struct reduce_matrix *m, const struct reduce_matrix *other,
		      uint32_t column)
{
	int64_t *out = mem_zalloc(m->n, sizeof(*out));

	for (uint32_t i = 0; i < other->n; i++)
		out[r->slot[other->row[i]]] = other->column[column][i];
	return out;
}

/* Columns [n_increase][n] of two snapshots of a series: did another process begin between them? */
static bool is_reset(const struct reduce_shape *s, int64_t *const *before, int64_t *const *after, uint32_t n,
		     const struct reduce_process *p, const struct reduce_process *q)
{
	if (reduce_is_other_process(p, q))
		return true;
	for (uint32_t j = 0; j < s->n_increase; j++)
		for (uint32_t i = 0; s->temporality[s->increase[j]] == TEMPORALITY_CUMULATIVE && i < n; i++)
			if (reduce_fell(before[j][i], after[j][i]))
				return true;
	return false;
}

/* Add the increase between two snapshots to the totals. At a reset, counters begin at 0; before is NULL at the first. */
static int add_increase(const struct reducer *r, const struct reduce_shape *s, struct reduce_matrix *m,
			int64_t *const *before, int64_t *const *after, bool reset, struct err *err)
{
	for (uint32_t i = 0, j = 0; i < s->n_ordered; i++) {
		bool is_counter = s->temporality[s->ordered[i]] == TEMPORALITY_CUMULATIVE;

		if (s->reduce[s->ordered[i]] != REDUCE_INCREASE)
			continue;
		for (uint32_t k = 0; k < m->n && (before || is_counter); k++) {
			int64_t up = after[j][k];

			if ((!(reset && is_counter) && __builtin_sub_overflow(after[j][k], before[j][k], &up)) ||
			    num_add(&m->column[i][k], up))
				return reduce_overflow(r, s, s->ordered[i], err);
		}
		j++;
	}
	return 0;
}

/* Combine a total of a series with that of other profiles. */
static bool combine(enum reduce reduce, int64_t *total, int64_t other, bool is_earlier, bool is_later)
{
	switch (reduce) {
	case REDUCE_FIRST:
		*total = is_earlier ? other : *total;
		return false;
	case REDUCE_LAST:
		*total = is_later ? other : *total;
		return false;
	case REDUCE_MAX: /* rows that one of them lacks are 0 in it */
		*total = other > *total ? other : *total;
		return false;
	default:
		return num_add(total, other);
	}
}

/* Append an element to a state; both have profiles. */
static int append(struct reducer *r, struct reduce_state *s, struct reduce_element *e, struct err *err)
{
	const struct reduce_shape *shape = &r->shape[e->shape];
	struct reduce_matrix *m = &s->e.m;
	uint32_t n_columns = m->n_columns, n_total = shape->n_ordered, n_inc = shape->n_increase;
	bool is_earlier = e->first_ns < s->e.first_ns, is_later = e->last_ns >= s->e.last_ns;
	int64_t **other = mem_alloc(n_columns, sizeof(*other));
	int rc = 0;

	join_rows(r, m, &e->m);
	for (uint32_t c = 0; c < n_columns; c++)
		other[c] = align(r, m, &e->m, c);
	for (uint32_t i = 0; rc == 0 && i < n_total; i++)
		for (uint32_t k = 0; rc == 0 && k < m->n; k++)
			if (combine(shape->reduce[shape->ordered[i]], &m->column[i][k], other[i][k], is_earlier,
				    is_later))
				rc = reduce_overflow(r, shape, shape->ordered[i], err);
	if (rc == 0 && n_inc) {
		int64_t **last = m->column + n_total + n_inc;
		bool reset = is_reset(shape, last, other + n_total, m->n, &s->e.last, &e->first);

		rc = add_increase(r, shape, m, last, other + n_total, reset, err);
		for (uint32_t j = 0; j < n_inc; j++)
			memcpy(last[j], other[n_total + n_inc + j], m->n * sizeof(**last));
	}
	clear_slots(r, m);
	for (uint32_t c = 0; c < n_columns; c++)
		free(other[c]);
	free(other);
	s->e.n += e->n;
	if (is_earlier) {
		s->e.first_ns = e->first_ns;
		s->e.first = e->first;
	}
	if (is_later) {
		s->e.last_ns = e->last_ns;
		s->e.last = e->last;
	}
	return rc;
}

/* Take the content of an element. */
static void take(struct reduce_element *to, struct reduce_element *e)
{
	reduce_matrix_release(&to->m);
	*to = *e;
	e->m = (struct reduce_matrix){ 0 };
}

int reduce_state_add(struct reducer *r, struct reduce_element *e, bool is_sorted, struct err *err)
{
	struct reduce_state *s;

	if (get_state(r, e->series, e->shape, &s, err) < 0)
		return ERR_LIMIT;
	if (e->n == 0) {
		if (!s->has_base || e->last_ns > s->base.last_ns)
			take(&s->base, e);
		s->has_base = true;
		return 0;
	}
	if (s->e.n == 0) {
		take(&s->e, e);
		return 0;
	}
	if (r->shape[e->shape].n_increase && !is_sorted && e->first_ns <= s->e.last_ns) {
		s->is_unordered = r->series[e->series].is_unordered = true;
		return 0;
	}
	return append(r, s, e, err);
}

/* Add the increase from the snapshot before the window, or from the start of the process if that is in the window. */
static int finish_increase(struct reducer *r, struct reduce_state *s, struct err *err)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];
	struct reduce_matrix *m = &s->e.m;
	int64_t **first, **before;
	bool is_new = s->e.first.started && s->e.first.started >= r->series[s->e.series].t0;
	int rc = 0;

	if (!shape->n_increase || (!s->has_base && !is_new))
		return 0;
	if (!s->has_base)
		return add_increase(r, shape, m, NULL, m->column + shape->n_ordered, true, err);
	join_rows(r, m, &s->base.m);
	first = m->column + shape->n_ordered;
	before = mem_alloc(shape->n_increase, sizeof(*before));
	for (uint32_t j = 0; j < shape->n_increase; j++)
		before[j] = align(r, m, &s->base.m, j);
	is_new |= is_reset(shape, before, first, m->n, &s->base.last, &s->e.first);
	rc = add_increase(r, shape, m, before, first, is_new, err);
	for (uint32_t j = 0; j < shape->n_increase; j++)
		free(before[j]);
	free(before);
	clear_slots(r, m);
	return rc;
}

/* a / n, rounded to the nearest, halves away from 0. */
static int64_t divide_rounded(int64_t a, uint64_t n)
{
	uint64_t v = num_abs(a);
	uint64_t q = v / n + (v % n >= n - v % n);

	return a < 0 ? (int64_t)(0 - q) : (int64_t)q;
}

/* Of the states of a series, only that of its first or last profile counts. */
static bool is_left_out(const struct reducer *r, const struct reduce_state *s, enum reduce reduce)
{
	const struct reduce_series *series = &r->series[s->e.series];

	return (reduce == REDUCE_FIRST && s->e.first_ns > series->first_ns) ||
	       (reduce == REDUCE_LAST && s->e.last_ns < series->last_ns);
}

static int finish_column(struct reducer *r, const struct reduce_state *s, struct reduce_bucket *b, uint32_t i,
			 struct err *err)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];
	const struct reduce_matrix *m = &s->e.m;
	uint32_t t = shape->ordered[i];
	enum reduce reduce = shape->reduce[t];
	uint64_t n = r->series[s->e.series].n_mean;

	if (is_left_out(r, s, reduce))
		return 0;
	assert(n > 0);
	for (uint32_t k = 0; k < m->n; k++) {
		int64_t v = m->column[i][k];

		if (num_add(&b->sum[t][m->row[k]], reduce == REDUCE_MEAN ? divide_rounded(v, n) : v))
			return reduce_overflow(r, shape, t, err);
	}
	return 0;
}

static int finish_state(struct reducer *r, struct reduce_state *s, struct err *err)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];
	struct reduce_bucket *b;
	int rc;

	if (!s->e.n)
		return 0;
	rc = finish_increase(r, s, err);
	if (rc == 0)
		rc = reduce_get_bucket(r, s->e.shape, r->series[s->e.series].group, &b, err);
	for (uint32_t i = 0; rc == 0 && i < shape->n_ordered; i++)
		rc = finish_column(r, s, b, i, err);
	return rc;
}

/*
 * Set n_mean of all series. An instance that is updated has a series for each version, and its mean is that of all of
 * its snapshots.
 */
static int count_snapshots(struct reducer *r, struct err *err)
{
	uint64_t *n = mem_zalloc((size_t)r->series_keys.n + 1, sizeof(*n));
	uint32_t *id = mem_alloc((size_t)r->series_keys.n + 1, sizeof(*id));
	struct keys instances;
	int rc = 0;

	keys_init(&instances, 2, r->series_keys.n);
	for (uint32_t i = 0; i < r->series_keys.n && rc == 0; i++) {
		const struct reduce_series *s = &r->series[i];
		uint64_t word[2] = { s->has_instance ? s->instance : (uint64_t)i << 32 | UINT32_MAX, s->group };

		rc = keys_add(&instances, word, 2, keys_hash(word, 2), &id[i], err);
		if (rc == 0)
			n[id[i]] += s->n_starts;
	}
	for (uint32_t i = 0; i < r->series_keys.n && rc == 0; i++)
		r->series[i].n_mean = n[id[i]];
	keys_release(&instances);
	free(id);
	free(n);
	return rc;
}

int reduce_state_finish_all(struct reducer *r, struct err *err)
{
	int rc = count_snapshots(r, err);

	for (uint32_t i = 0; rc == 0 && i < r->state_keys.n; i++)
		rc = finish_state(r, &r->state[i], err);
	return rc;
}

/* Is there, in chapters that end at t1 or before, perhaps a later snapshot before the window? */
static bool needs_base(const struct reducer *r, const struct reduce_state *s, int64_t t1)
{
	if (!s->e.n || !r->shape[s->e.shape].n_increase)
		return false;
	return s->has_base ? s->base.last_ns < t1 : r->series[s->e.series].has_older;
}

bool reduce_needs_base(struct reducer *r, int64_t t1)
{
	bool needs = false;

	for (uint32_t i = 0; i < r->series_keys.n; i++)
		r->series[i].needs_base = false;
	for (uint32_t i = 0; i < r->state_keys.n; i++)
		if (needs_base(r, &r->state[i], t1))
			needs = r->series[r->state[i].e.series].needs_base = true;
	return needs;
}

void reduce_mark_older(struct reducer *r, const uint8_t hash[16])
{
	uint64_t word[2];
	uint32_t id;

	memcpy(word, hash, sizeof(word));
	if (keys_find(&r->series_keys, word, 2, keys_hash(word, 2), &id))
		r->series[id].has_older = true;
}

bool reduce_is_unordered(const struct reducer *r)
{
	for (uint32_t i = 0; i < r->state_keys.n; i++)
		if (r->state[i].is_unordered)
			return true;
	return false;
}

static int compare_elements(const void *a, const void *b)
{
	const struct reduce_element *x = a, *y = b;

	return x->first_ns < y->first_ns ? -1 : x->first_ns > y->first_ns;
}

int reduce_state_add_sorted(struct reducer *r, struct reduce_element *e, size_t n, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->state_keys.n; i++) {
		struct reduce_state *s = &r->state[i];

		if (s->is_unordered) {
			reduce_matrix_release(&s->e.m);
			s->e.n = 0;
			s->is_unordered = false;
		}
	}
	if (n)
		qsort(e, n, sizeof(*e), compare_elements);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = reduce_state_add(r, &e[i], true, err);
	return rc;
}
