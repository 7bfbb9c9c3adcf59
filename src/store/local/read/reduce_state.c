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
#include "store/local/read/reduce_int.h"

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

static int reduce_state_get(struct reducer *r, uint32_t series, uint32_t shape, struct reduce_state **out,
			    struct err *err)
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
static void reduce_state_join_rows(struct reducer *r, struct reduce_matrix *m, const struct reduce_matrix *other)
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
		     const struct tier_process *p, const struct tier_process *q)
{
	if (tier_is_other_process(p, q))
		return true;
	for (uint32_t j = 0; j < s->n_increase; j++)
		for (uint32_t i = 0; s->temporality[s->increase[j]] == TEMPORALITY_CUMULATIVE && i < n; i++)
			if (tier_fell(before[j][i], after[j][i]))
				return true;
	return false;
}

/* Add the increase from a snapshot to the first one of an element to the totals. At a reset, counters begin at 0; before is NULL at the first. */
static int reduce_state_add_increase(struct reducer *r, const struct reduce_element *e, struct reduce_matrix *m,
				     int64_t *const *before, int64_t *const *after, bool reset, struct err *err)
{
	const struct reduce_shape *s = &r->shape[e->shape];
	int rc = r->wants_gains ? select_rows_extend(&r->selected, r->q, &r->dict, err) : 0;

	for (uint32_t i = 0, j = 0; rc == 0 && i < s->n_ordered; i++) {
		bool is_counter = s->temporality[s->ordered[i]] == TEMPORALITY_CUMULATIVE;

		struct reduce_gain gain = { e->series, e->shape, s->ordered[i], e->first_ns, 0 };

		if (s->reduce[s->ordered[i]] != REDUCE_INCREASE)
			continue;
		for (uint32_t k = 0; k < m->n && (before || is_counter); k++) {
			int64_t up = after[j][k];

			if ((!(reset && is_counter) && __builtin_sub_overflow(after[j][k], before[j][k], &up)) ||
			    num_add(&m->column[i][k], up))
				return reduce_overflow(r, s, s->ordered[i], err);
			if (select_has_row(&r->selected, m->row[k]))
				gain.value = num_add_capped(gain.value, up);
		}
		if (r->wants_gains && is_counter && gain.value)
			reduce_gains_add(&r->gains, &gain);
		j++;
	}
	return rc;
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
static int reduce_state_append(struct reducer *r, struct reduce_state *s, struct reduce_element *e, struct err *err)
{
	const struct reduce_shape *shape = &r->shape[e->shape];
	struct reduce_matrix *m = &s->e.m;
	uint32_t n_columns = m->n_columns, n_total = shape->n_ordered, n_inc = shape->n_increase;
	bool is_earlier = e->first_ns < s->e.first_ns, is_later = e->last_ns >= s->e.last_ns;
	int64_t **other = mem_alloc(n_columns, sizeof(*other));
	int rc = 0;

	reduce_state_join_rows(r, m, &e->m);
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

		s->e.n_restarts += reset;
		rc = reduce_state_add_increase(r, e, m, last, other + n_total, reset, err);
		for (uint32_t j = 0; j < n_inc; j++)
			memcpy(last[j], other[n_total + n_inc + j], m->n * sizeof(**last));
	}
	clear_slots(r, m);
	for (uint32_t c = 0; c < n_columns; c++)
		free(other[c]);
	free(other);
	s->e.n += e->n;
	s->e.n_restarts += e->n_restarts;
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
static void reduce_state_take(struct reduce_element *to, struct reduce_element *e)
{
	reduce_matrix_release(&to->m);
	*to = *e;
	e->m = (struct reduce_matrix){ 0 };
}

/* The counts up to a snapshot are in slots: the next increase is counted from it. */
static int reduce_state_skip_to(struct reducer *r, struct reduce_state *s, struct reduce_element *e)
{
	const struct reduce_shape *shape = &r->shape[e->shape];
	int64_t **last;

	if (e->last_ns <= s->e.last_ns)
		return 0;
	reduce_state_join_rows(r, &s->e.m, &e->m);
	last = s->e.m.column + shape->n_ordered + shape->n_increase;
	for (uint32_t j = 0; j < shape->n_increase; j++) {
		int64_t *other = align(r, &s->e.m, &e->m, j);

		memcpy(last[j], other, s->e.m.n * sizeof(**last));
		free(other);
	}
	clear_slots(r, &s->e.m);
	s->e.last = e->last;
	s->e.last_ns = e->last_ns;
	return 0;
}

int reduce_state_add_base(struct reducer *r, struct reduce_element *e, bool is_own, struct err *err)
{
	struct reduce_state *s;

	if (reduce_state_get(r, e->series, e->shape, &s, err) < 0)
		return ERR_LIMIT;
	if (s->e.n && e->first_ns > s->e.first_ns)
		return reduce_state_skip_to(r, s, e);
	if (!s->has_base || e->last_ns > s->base.last_ns)
		reduce_state_take(&s->base, e);
	s->has_base = true;
	s->is_base_own = is_own;
	return 0;
}

int reduce_state_add(struct reducer *r, struct reduce_element *e, bool is_sorted, struct err *err)
{
	struct reduce_state *s;

	if (reduce_state_get(r, e->series, e->shape, &s, err) < 0)
		return ERR_LIMIT;
	if (s->e.n == 0) {
		reduce_state_take(&s->e, e);
		return 0;
	}
	if (r->shape[e->shape].n_increase && !is_sorted && e->first_ns <= s->e.last_ns) {
		s->is_unordered = r->series[e->series].is_unordered = true;
		return 0;
	}
	return reduce_state_append(r, s, e, err);
}

/* Did the process of the first snapshot of a series start in the window? */
static bool started_in_window(const struct reducer *r, const struct reduce_element *e)
{
	int64_t begin = r->q->begin_ns ? r->q->begin_ns : r->series[e->series].t0;

	return e->first.started && e->first.started >= begin;
}

/* Note the counters of a first snapshot, column [n_increase]; the part that was counted in the window is unknown. */
static int reduce_state_note_unknown(struct reducer *r, const struct reduce_element *e, int64_t *const *column,
				     struct err *err)
{
	const struct reduce_shape *shape = &r->shape[e->shape];
	int64_t total = 0;

	for (uint32_t j = 0; j < shape->n_increase; j++) {
		uint32_t t = shape->increase[j];
		size_t i = 0;

		total = 0;
		for (uint32_t k = 0; k < e->m.n && shape->temporality[t] == TEMPORALITY_CUMULATIVE; k++)
			if (select_has_row(&r->selected, e->m.row[k]) && num_add(&total, column[j][k]))
				return reduce_overflow(r, shape, t, err);
		while (i < r->n_unknown && (r->unknown[i].type.name != shape->type[t].name ||
					    r->unknown[i].type.unit != shape->type[t].unit))
			i++;
		if (i == r->n_unknown && total) {
			r->unknown = mem_grow(r->unknown, &r->cap_unknown, i + 1, sizeof(*r->unknown));
			r->unknown[r->n_unknown++] = (struct reduce_unknown){ .type = shape->type[t] };
		}
		if (total) {
			r->unknown[i].total = num_add_capped(r->unknown[i].total, total);
			r->unknown[i].n++;
		}
	}
	return 0;
}

/* A bucket of the group of an element with the types of its shape. */
static struct reduce_bucket *find_bucket(struct reducer *r, const struct reduce_element *e)
{
	const struct reduce_shape *s = &r->shape[e->shape];

	for (uint32_t i = 0; i < r->bucket_keys.n; i++) {
		const struct reduce_shape *o = &r->shape[r->bucket[i].shape];
		uint32_t t = 0;

		while (t < s->n_types && s->n_types == o->n_types && s->type[t].name == o->type[t].name &&
		       s->type[t].unit == o->type[t].unit)
			t++;
		if (t == s->n_types && r->bucket[i].group == r->series[e->series].group && r->bucket[i].n_metas) {
			reduce_bucket_grow(r, &r->bucket[i]);
			return &r->bucket[i];
		}
	}
	return NULL;
}

static int finish_first(struct reducer *r, const struct reduce_element *e, struct err *err)
{
	const struct reduce_shape *s = &r->shape[e->shape];
	struct reduce_bucket *b = find_bucket(r, e);

	if (!b || !started_in_window(r, e))
		return reduce_state_note_unknown(r, e, e->m.column, err);
	for (uint32_t j = 0; j < s->n_increase; j++) {
		uint32_t t = s->increase[j];
		struct reduce_gain gain = { e->series, e->shape, t, e->first_ns, 0 };

		for (uint32_t k = 0; k < e->m.n; k++) {
			if (num_add(&b->sum[t][e->m.row[k]], e->m.column[j][k]))
				return reduce_overflow(r, s, t, err);
			gain.value = num_add_capped(gain.value, e->m.column[j][k]);
		}
		if (r->wants_gains && gain.value)
			reduce_gains_add(&r->gains, &gain);
	}
	return 0;
}

int reduce_state_finish_firsts(struct reducer *r, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->n_firsts; i++)
		rc = finish_first(r, &r->first[i], err);
	return rc;
}

/*
 * Add the increase from the snapshot before the window, or before the first one of a series: another series of the instance
 * may have it. Counters of a process that started in the window begin at 0.
 */
static int finish_increase(struct reducer *r, struct reduce_state *s, struct err *err)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];
	struct reduce_matrix *m = &s->e.m;
	int64_t **first, **before;
	bool is_new = started_in_window(r, &s->e);
	int rc = 0;

	if (!shape->n_increase)
		return 0;
	if (!s->has_base || s->base.last_ns > s->e.first_ns)
		return is_new ? reduce_state_add_increase(r, &s->e, m, NULL, m->column + shape->n_ordered, true, err)
			      : reduce_state_note_unknown(r, &s->e, m->column + shape->n_ordered, err);
	reduce_state_join_rows(r, m, &s->base.m);
	first = m->column + shape->n_ordered;
	before = mem_alloc(shape->n_increase, sizeof(*before));
	for (uint32_t j = 0; j < shape->n_increase; j++)
		before[j] = align(r, m, &s->base.m, j);
	if (s->base.last.started == s->e.first.started)
		is_new = false;
	is_new |= is_reset(shape, before, first, m->n, &s->base.last, &s->e.first);
	r->n_restarts += is_new;
	rc = reduce_state_add_increase(r, &s->e, m, before, first, is_new, err);
	for (uint32_t j = 0; j < shape->n_increase; j++)
		free(before[j]);
	free(before);
	clear_slots(r, m);
	return rc;
}

/* Of the states of an instance, only that of its first or last profile counts. */
static bool is_left_out(const struct reducer *r, const struct reduce_state *s, enum reduce reduce)
{
	const struct reduce_series *series = &r->series[s->e.series];
	const struct reduce_instance *instance = &r->instance[series->instance];

	return (reduce == REDUCE_FIRST && (instance->first != s->e.series || s->e.first_ns > series->first_ns)) ||
	       (reduce == REDUCE_LAST && (instance->last != s->e.series || s->e.last_ns < series->last_ns));
}

/* Add a column to a bucket; means are added by reduce_mean.c. */
static int finish_column(struct reducer *r, const struct reduce_state *s, struct reduce_bucket *b, uint32_t i,
			 struct err *err)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];
	const struct reduce_matrix *m = &s->e.m;
	uint32_t t = shape->ordered[i];

	if (shape->reduce[t] == REDUCE_MEAN || is_left_out(r, s, shape->reduce[t]))
		return 0;
	for (uint32_t k = 0; k < m->n; k++)
		if (num_add(&b->sum[t][m->row[k]], m->column[i][k]))
			return reduce_overflow(r, shape, t, err);
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
	r->n_restarts += s->e.n_restarts;
	if (rc == 0)
		rc = reduce_get_bucket(r, s->e.shape, r->series[s->e.series].group, &b, err);
	for (uint32_t i = 0; rc == 0 && i < shape->n_ordered; i++)
		rc = finish_column(r, s, b, i, err);
	return rc;
}

/* Is the profile of a series that starts at t before the other one? If both start then, the order is that of the hashes. */
static bool reduce_state_is_before(const struct reducer *r, uint32_t series, int64_t t, uint32_t other, int64_t t_other)
{
	return t != t_other ? t < t_other
			    : memcmp(r->series[series].hash, r->series[other].hash, sizeof(r->series->hash)) < 0;
}

/* Find the number of profiles of each instance, and its first and last series. */
static void reduce_state_count_instances(struct reducer *r)
{
	for (uint32_t i = 0; i < strtab_count(r->instance_names); i++)
		r->instance[i].first = r->instance[i].last = PROFILE_NONE;
	for (uint32_t i = 0; i < r->series_keys.n; i++) {
		const struct reduce_series *s = &r->series[i];
		struct reduce_instance *x = &r->instance[s->instance];

		if (!s->profiles)
			continue;
		x->profiles += s->profiles;
		if (x->first == PROFILE_NONE ||
		    reduce_state_is_before(r, i, s->first_ns, x->first, r->series[x->first].first_ns))
			x->first = i;
		if (x->last == PROFILE_NONE ||
		    reduce_state_is_before(r, x->last, r->series[x->last].last_ns, i, s->last_ns))
			x->last = i;
	}
}

/* Move the maximums of a state to another one of the instance. */
static void move_maximums(struct reducer *r, struct reduce_state *to, struct reduce_state *s)
{
	const struct reduce_shape *shape = &r->shape[s->e.shape];

	reduce_state_join_rows(r, &to->e.m, &s->e.m);
	for (uint32_t c = 0; c < shape->n_ordered; c++) {
		int64_t *other;

		if (shape->reduce[shape->ordered[c]] != REDUCE_MAX)
			continue;
		other = align(r, &to->e.m, &s->e.m, c);
		for (uint32_t k = 0; k < to->e.m.n; k++)
			combine(REDUCE_MAX, &to->e.m.column[c][k], other[k], false, false);
		free(other);
		for (uint32_t k = 0; k < s->e.m.n; k++)
			s->e.m.column[c][k] = 0;
	}
	clear_slots(r, &to->e.m);
}

/* Of several series of an instance, with equal kept labels and types, the maximum of each row counts. */
static int join_maximums(struct reducer *r, struct err *err)
{
	struct keys keys;
	uint32_t *first = mem_alloc((size_t)r->state_keys.n + 1, sizeof(*first)), id;
	int rc = 0;

	keys_init(&keys, 2, r->state_keys.n);
	for (uint32_t i = 0; rc == 0 && i < r->state_keys.n; i++) {
		struct reduce_state *s = &r->state[i];
		const struct reduce_series *series = &r->series[s->e.series];
		uint64_t word[2] = { (uint64_t)series->instance << 32 | series->group, s->e.shape };
		uint32_t before = keys.n;

		if (!s->e.n)
			continue;
		rc = keys_add(&keys, word, 2, keys_hash(word, 2), &id, err);
		if (rc == 0 && id == before)
			first[id] = i;
		else if (rc == 0)
			move_maximums(r, &r->state[first[id]], s);
	}
	keys_release(&keys);
	free(first);
	return rc;
}

int reduce_state_finish_all(struct reducer *r, struct err *err)
{
	int rc;

	reduce_state_count_instances(r);
	rc = select_rows_extend(&r->selected, r->q, &r->dict, err);
	if (rc == 0 && r->q->reduce == REDUCE_MAX)
		rc = join_maximums(r, err);
	for (uint32_t i = 0; rc == 0 && i < r->state_keys.n; i++)
		rc = finish_state(r, &r->state[i], err);
	if (rc == 0)
		rc = reduce_state_finish_firsts(r, err);
	return rc == 0 ? reduce_mean_finish(r, err) : rc;
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

/* Is there perhaps, in chapters that end at t1 or before, a snapshot of another series before the first one of this state? */
static bool needs_earlier(const struct reducer *r, const struct reduce_state *s, int64_t t1)
{
	const struct reduce_series *series = &r->series[s->e.series];

	if (!s->e.n || !r->shape[s->e.shape].n_increase || (s->has_base && s->is_base_own))
		return false;
	if (t1 != INT64_MAX && !r->instance[series->instance].has_older)
		return false;
	return s->has_base ? s->base.last_ns < t1 : r->instance[series->instance].n_series > 1 || t1 != INT64_MAX;
}

bool reduce_needs_earlier(struct reducer *r, int64_t t1)
{
	r->n_needy = 0;
	for (uint32_t i = 0; i < r->state_keys.n; i++) {
		if (!needs_earlier(r, &r->state[i], t1))
			continue;
		r->needy = mem_grow(r->needy, &r->cap_needy, r->n_needy + 1, sizeof(*r->needy));
		r->needy[r->n_needy++] = r->state[i].e.series;
	}
	return r->n_needy > 0;
}

bool reduce_has_increase(const struct reducer *r)
{
	for (uint32_t i = 0; i < r->shape_keys.n; i++)
		if (r->shape[i].n_increase)
			return true;
	return false;
}

void reduce_mark_older(struct reducer *r, const uint8_t hash[16], const struct buf *instance)
{
	uint64_t word[2];
	uint32_t id;
	str_id name;

	memcpy(word, hash, sizeof(word));
	if (strtab_find(r->instance_names, instance->data, instance->len, &name))
		r->instance[name].has_older = true;
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

/* Forget the gains of unordered series. */
static void forget_gains(struct reducer *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->gains.n; i++)
		if (!r->series[r->gains.gain[i].series].is_unordered)
			r->gains.gain[n++] = r->gains.gain[i];
	r->gains.n = n;
}

int reduce_state_add_sorted(struct reducer *r, struct reduce_element *e, size_t n, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < r->state_keys.n; i++) {
		struct reduce_state *s = &r->state[i];

		if (s->e.n &&
		    r->series[s->e.series].is_unordered) { /* of all types: all its profiles were read again */
			reduce_matrix_release(&s->e.m);
			s->e.n = 0;
			s->is_unordered = false;
		}
	}
	forget_gains(r);
	if (n)
		qsort(e, n, sizeof(*e), compare_elements);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = e[i].n ? reduce_state_add(r, &e[i], true, err) : reduce_state_add_base(r, &e[i], true, err);
	return rc;
}
