/*
 * reduce_mean.c - the means of all instances, added up and rounded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The mean of an instance has the number of its snapshots as denominator. The means of a column are added from row to row,
 * and each row gets what the rounded sum has increased by. Rows are in the order of the groups of kept labels, then of
 * reduce_order.c, so these are within 1 of their exact values: the sum of all rows, of a group, and of a stack with all that
 * it calls in a group. answer/stored_totals.c adds the totals of instances in the same way.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/means.h"
#include "store/local/read/reduce_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* A sample type with means; types of several shapes may be equal. */
struct mean_type {
	struct value_type type;
	struct means sum;
};

struct averager {
	struct reducer *r;
	struct reduce_state **state; /* [n] those with means, sorted by group and shape */
	size_t *class;               /* [n] of their numbers of snapshots */
	size_t n;
	struct mean_type *type; /* [n_types] */
	size_t n_types, cap_types;
	struct reduce_order order;
	struct reduce_ordered *row; /* [n_rows] of the group */
	size_t n_rows, cap_rows;
	uint32_t *slot; /* [dict.n_rows] index in row, or PROFILE_NONE */
};

/* A row of a state. */
struct mean_part {
	size_t state;
	uint32_t k;
};

static bool has_means(const struct reduce_shape *s)
{
	for (uint32_t t = 0; t < s->n_types; t++)
		if (s->reduce[t] == REDUCE_MEAN)
			return true;
	return false;
}

static uint32_t reduce_mean_group_of(const struct averager *a, const struct reduce_state *s)
{
	return a->r->series[s->e.series].group;
}

static int compare_states(const void *x, const void *y, void *arg)
{
	const struct averager *a = arg;
	const struct reduce_state *s = *(struct reduce_state *const *)x, *t = *(struct reduce_state *const *)y;
	uint32_t g = reduce_mean_group_of(a, s), h = reduce_mean_group_of(a, t);
	int order = g == h ? 0 : reduce_compare_groups(a->r, g, h);

	if (order)
		return order;
	return s->e.shape < t->e.shape ? -1 : s->e.shape > t->e.shape;
}

static void list_states(struct averager *a)
{
	struct reducer *r = a->r;

	a->state = mem_alloc((size_t)r->state_keys.n + 1, sizeof(struct reduce_state *));
	for (uint32_t i = 0; i < r->state_keys.n; i++)
		if (r->state[i].e.n && has_means(&r->shape[r->state[i].e.shape]))
			a->state[a->n++] = &r->state[i];
	if (a->n)
		qsort_r(a->state, a->n, sizeof(struct reduce_state *), compare_states, a);
}

static struct means *find_sum(struct averager *a, const struct value_type *type)
{
	for (size_t i = 0; i < a->n_types; i++)
		if (a->type[i].type.name == type->name && a->type[i].type.unit == type->unit)
			return &a->type[i].sum;
	a->type = mem_grow(a->type, &a->cap_types, a->n_types + 1, sizeof(*a->type));
	a->type[a->n_types] = (struct mean_type){ .type = *type };
	return &a->type[a->n_types++].sum;
}

/* Find the types with means, and the classes of all states in each of them: they have the same numbers in all. */
static void list_types(struct averager *a)
{
	const struct reducer *r = a->r;

	for (size_t i = 0; i < a->n; i++) {
		const struct reduce_shape *s = &r->shape[a->state[i]->e.shape];

		for (uint32_t t = 0; t < s->n_types; t++)
			if (s->reduce[t] == REDUCE_MEAN)
				find_sum(a, &s->type[t]);
	}
	a->class = mem_alloc(a->n + 1, sizeof(*a->class));
	for (size_t i = 0; i < a->n; i++) {
		uint64_t count = r->instance[r->series[a->state[i]->e.series].instance].profiles;

		for (size_t t = 0; t < a->n_types; t++)
			a->class[i] = means_class(&a->type[t].sum, count);
	}
}

/* --- rows --- */

/* List the rows of the states of a group in their order. */
static int reduce_mean_list_rows(struct averager *a, size_t lo, size_t hi, struct err *err)
{
	struct reducer *r = a->r;
	uint32_t group = reduce_mean_group_of(a, a->state[lo]);
	uint64_t seed = 0;
	int rc;

	for (size_t i = 0; i < r->q->n_keep; i++) {
		const char *value = strtab_text(r->dict.str, r->group[group * r->q->n_keep + i]);

		seed = XXH3_64bits_withSeed(value, strlen(value), seed);
	}
	a->n_rows = 0;
	for (size_t i = lo; i < hi; i++)
		for (uint32_t k = 0; k < a->state[i]->e.m.n; k++) {
			uint32_t row = a->state[i]->e.m.row[k];

			if (a->slot[row] != PROFILE_NONE || !select_has_row(&r->selected, row))
				continue;
			a->slot[row] = 0;
			a->row = mem_grow(a->row, &a->cap_rows, a->n_rows + 1, sizeof(*a->row));
			a->row[a->n_rows++] = (struct reduce_ordered){ .row = row };
		}
	rc = reduce_order_sort(&a->order, seed, a->row, a->n_rows, err);
	for (size_t i = 0; i < a->n_rows; i++)
		a->slot[a->row[i].row] = (uint32_t)i;
	return rc;
}

/* The parts of each row, in the order of the rows; row i has [offset[i], offset[i + 1]). */
static struct mean_part *list_parts(const struct averager *a, size_t lo, size_t hi, size_t *offset)
{
	struct mean_part *part;

	memset(offset, 0, (a->n_rows + 2) * sizeof(*offset));
	for (size_t i = lo; i < hi; i++)
		for (uint32_t k = 0; k < a->state[i]->e.m.n; k++)
			if (a->slot[a->state[i]->e.m.row[k]] != PROFILE_NONE)
				offset[a->slot[a->state[i]->e.m.row[k]] + 2]++;
	for (size_t i = 0; i < a->n_rows; i++)
		offset[i + 2] += offset[i + 1];
	part = mem_alloc(offset[a->n_rows + 1] + 1, sizeof(*part));
	for (size_t i = lo; i < hi; i++)
		for (uint32_t k = 0; k < a->state[i]->e.m.n; k++)
			if (a->slot[a->state[i]->e.m.row[k]] != PROFILE_NONE)
				part[offset[a->slot[a->state[i]->e.m.row[k]] + 1]++] = (struct mean_part){ i, k };
	return part;
}

/* --- sums --- */

/* Add the parts of a row of a column to its bucket. */
static int reduce_mean_add_row(struct averager *a, uint32_t row, const struct mean_part *part, size_t n, size_t type,
			       struct err *err)
{
	struct reducer *r = a->r;
	struct means *sum = &a->type[type].sum;
	const struct reduce_state *first = NULL;
	struct reduce_bucket *b;
	uint32_t column = 0;
	int64_t value;
	int rc;

	for (size_t i = 0; i < n; i++) {
		const struct reduce_state *s = a->state[part[i].state];
		const struct reduce_shape *shape = &r->shape[s->e.shape];

		for (uint32_t j = 0; j < shape->n_ordered; j++) {
			uint32_t t = shape->ordered[j];

			if (shape->reduce[t] != REDUCE_MEAN || find_sum(a, &shape->type[t]) != sum)
				continue;
			means_add(sum, a->class[part[i].state], s -> e.m.column[j][part[i].k]);
			if (!first) {
				first = s;
				column = t;
			}
		}
	}
	if (!first)
		return 0;
	if (means_take(sum, &value))
		return reduce_overflow(r, &r->shape[first->e.shape], column, err);
	rc = reduce_get_bucket(r, first->e.shape, reduce_mean_group_of(a, first), &b, err);
	if (rc == 0 && num_add(&b->sum[column][row], value))
		return reduce_overflow(r, &r->shape[first->e.shape], column, err);
	return rc;
}

static int reduce_mean_add_group(struct averager *a, size_t lo, size_t hi, struct err *err)
{
	struct mean_part *part = NULL;
	size_t *offset = NULL;
	int rc = reduce_mean_list_rows(a, lo, hi, err);

	if (rc == 0) {
		offset = mem_alloc(a->n_rows + 2, sizeof(*offset));
		part = list_parts(a, lo, hi, offset);
	}
	for (size_t i = 0; rc == 0 && i < a->n_rows; i++)
		for (size_t t = 0; rc == 0 && t < a->n_types; t++)
			rc = reduce_mean_add_row(a, a->row[i].row, part + offset[i], offset[i + 1] - offset[i], t, err);
	for (size_t i = 0; i < a->n_rows; i++)
		a->slot[a->row[i].row] = PROFILE_NONE;
	free(part);
	free(offset);
	return rc;
}

/* The largest denominator of a mean; slots of a damaged store can have more profiles. */
static int reduce_mean_check_counts(const struct averager *a, struct err *err)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->r->instance[a->r->series[a->state[i]->e.series].instance].profiles > UINT32_MAX)
			return err_set(err, ERR_RANGE, "an instance has more than %" PRIu32 " profiles", UINT32_MAX);
	return 0;
}

int reduce_mean_finish(struct reducer *r, struct err *err)
{
	struct averager a = { .r = r };
	int rc;

	list_states(&a);
	rc = reduce_mean_check_counts(&a, err);
	if (rc < 0) {
		free(a.state);
		return rc;
	}
	list_types(&a);
	if (a.n) {
		reduce_order_init(&a.order, &r->dict);
		a.slot = mem_alloc(r->dict.n_rows, sizeof(*a.slot));
		memset(a.slot, 0xff, r->dict.n_rows * sizeof(*a.slot));
	}
	for (size_t i = 0, end; rc == 0 && i < a.n; i = end) {
		for (end = i + 1;
		     end < a.n && reduce_mean_group_of(&a, a.state[end]) == reduce_mean_group_of(&a, a.state[i]);)
			end++;
		rc = reduce_mean_add_group(&a, i, end, err);
	}
	if (a.n)
		reduce_order_release(&a.order);
	for (size_t i = 0; i < a.n_types; i++)
		means_release(&a.type[i].sum);
	free(a.type);
	free(a.state);
	free(a.class);
	free(a.row);
	free(a.slot);
	return rc;
}
