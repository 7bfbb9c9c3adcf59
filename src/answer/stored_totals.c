/*
 * stored_totals.c - totals of a query of a store over time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The store reports blocks by series and time. Of cumulative types, the previous snapshot of the series is kept; of gauges,
 * the sum and number of the snapshots of the series in each step.
 */
#include "config.h"

#include "answer/stored_totals.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of a type of the current series. */
struct state {
	int64_t last; /* of the previous snapshot */
	bool has_last;
	int64_t *sum;      /* [n_steps] of snapshots of a gauge; NULL for other types */
	uint64_t *counted; /* [n_steps] */
};

struct adder {
	const struct store_query *q;
	const char *by;
	struct stored_totals *out;
	struct buf series, next; /* names of the current series, and of that of a block */
	struct stored_group *group;
	bool has_profiles;
	struct state *state; /* [cap_state] for each type */
	struct strtab *instance;
	struct seen {
		uint32_t step;
		str_id instance;
	} * seen; /* [n_seen] */
	size_t n_seen, cap_seen;
	size_t cap_types, cap_groups, cap_state;
};

static const char *copy(struct adder *a, const char *text)
{
	return arena_strndup(a->out->memory, text, strlen(text));
}

/* --- types and groups --- */

static void group_add_type(struct adder *a, struct stored_group *g)
{
	struct stored_totals *out = a->out;
	int64_t **total = arena_alloc(out->memory, out->n_types, sizeof(*total));

	if (out->n_types > 1)
		memcpy(total, g->total, (out->n_types - 1) * sizeof(*total));
	total[out->n_types - 1] = arena_zalloc(out->memory, out->n_steps, sizeof(**total));
	g->total = total;
}

static uint32_t find_type(struct adder *a, const char *name, const char *unit, enum temporality temporality)
{
	struct stored_totals *out = a->out;
	bool is_gauge = temporality == TEMPORALITY_GAUGE;
	size_t before = a->cap_state;

	for (uint32_t t = 0; t < out->n_types; t++)
		if (strcmp(out->type[t].name, name) == 0 && strcmp(out->type[t].unit, unit) == 0 &&
		    out->type[t].temporality == temporality)
			return t;
	out->type = mem_grow(out->type, &a->cap_types, (size_t)out->n_types + 1, sizeof(*out->type));
	out->type[out->n_types++] = (struct stored_type){ copy(a, name), copy(a, unit), temporality };
	for (size_t i = 0; i < out->n_groups; i++)
		group_add_type(a, &out->group[i]);
	a->state = mem_grow(a->state, &a->cap_state, out->n_types, sizeof(*a->state));
	memset(a->state + before, 0, (a->cap_state - before) * sizeof(*a->state));
	a->state[out->n_types - 1] = (struct state){
		.sum = is_gauge ? mem_zalloc(out->n_steps, sizeof(int64_t)) : NULL,
		.counted = is_gauge ? mem_zalloc(out->n_steps, sizeof(uint64_t)) : NULL,
	};
	return out->n_types - 1;
}

/* The group of a value, which is inserted in order if it is new. */
static struct stored_group *find_group(struct adder *a, const char *value)
{
	struct stored_totals *out = a->out;
	size_t lo = 0, hi = out->n_groups;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;

		if (strcmp(out->group[middle].value, value) < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	if (lo < out->n_groups && strcmp(out->group[lo].value, value) == 0)
		return &out->group[lo];
	out->group = mem_grow(out->group, &a->cap_groups, out->n_groups + 1, sizeof(*out->group));
	memmove(&out->group[lo + 1], &out->group[lo], (out->n_groups - lo) * sizeof(*out->group));
	out->n_groups++;
	out->group[lo] = (struct stored_group){
		.value = copy(a, value),
		.total = arena_alloc(out->memory, out->n_types, sizeof(*out->group[lo].total)),
	};
	for (uint32_t t = 0; t < out->n_types; t++)
		out->group[lo].total[t] = arena_zalloc(out->memory, out->n_steps, sizeof(int64_t));
	return &out->group[lo];
}

/* --- series --- */

static void add(int64_t *sum, int64_t v)
{
	*sum = num_add_capped(*sum, v);
}

static void series_end(struct adder *a)
{
	struct stored_totals *out = a->out;

	for (uint32_t t = 0; t < out->n_types; t++) {
		struct state *s = &a->state[t];

		s->has_last = false;
		for (uint32_t i = 0; s->sum && i < out->n_steps; i++) {
			if (!s->counted[i])
				continue;
			add(&a->group->total[t][i], s->sum[i] / (int64_t)s->counted[i]);
			s->sum[i] = 0;
			s->counted[i] = 0;
		}
	}
	out->n_series += a->has_profiles;
	a->has_profiles = false;
}

static const char *label_value(const struct store_block_total *b, const char *name)
{
	for (size_t i = 0; i < b->n_labels; i++)
		if (strcmp(b->label[i].name, name) == 0)
			return b->label[i].value;
	if (strcmp(name, "service") == 0)
		return b->service;
	return strcmp(name, "kind") == 0 ? b->kind : "";
}

static void add_word(struct buf *out, const char *word)
{
	buf_add(out, word, strlen(word) + 1);
}

/* Begin a series, unless the block continues the current one. */
static void series_begin(struct adder *a, const struct store_block_total *b)
{
	struct buf before = a->series;

	a->next.len = 0;
	add_word(&a->next, b->service);
	add_word(&a->next, b->kind);
	for (size_t i = 0; i < b->n_labels; i++) {
		add_word(&a->next, b->label[i].name);
		add_word(&a->next, b->label[i].value);
	}
	if (a->next.len == before.len && memcmp(a->next.data, before.data, before.len) == 0)
		return;
	series_end(a);
	a->series = a->next;
	a->next = before;
	a->group = find_group(a, a->by ? label_value(b, a->by) : "");
}

/* Note the instance of a block. */
static void note_instance(struct adder *a, const struct store_block_total *b, uint32_t step)
{
	str_id id = strtab_addz(a->instance, label_value(b, "instance"));

	if (a->n_seen && a->seen[a->n_seen - 1].step == step && a->seen[a->n_seen - 1].instance == id)
		return;
	a->seen = mem_grow(a->seen, &a->cap_seen, a->n_seen + 1, sizeof(*a->seen));
	a->seen[a->n_seen++] = (struct seen){ step, id };
}

static int compare_seen(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* Count the distinct instances of each step, and of the window. */
static void count_instances(struct adder *a)
{
	bool *is_known = mem_zalloc(strtab_count(a->instance), sizeof(*is_known));

	if (a->n_seen)
		qsort(a->seen, a->n_seen, sizeof(*a->seen), compare_seen);
	for (size_t i = 0; i < a->n_seen; i++) {
		const struct seen *s = &a->seen[i];

		a->out->instances[s->step] += i == 0 || compare_seen(s - 1, s) != 0;
		a->out->n_instances += !is_known[s->instance];
		is_known[s->instance] = true;
	}
	free(is_known);
	free(a->seen);
	strtab_free(a->instance);
}

/* The value of a snapshot minus that of the previous one. After a reset the counter began at 0. */
static int64_t increase(struct state *s, int64_t value)
{
	int64_t by = !s->has_last ? 0 : value < s->last ? value : value - s->last;

	s->last = value;
	s->has_last = true;
	return by;
}

static int add_block(void *arg, const struct store_block_total *b, struct err *err)
{
	struct adder *a = arg;
	struct stored_totals *out = a->out;
	bool is_before = b->t0 < out->t0; /* only the start of an increase */
	uint32_t step = is_before ? 0 : (uint32_t)((b->t0 - out->t0) / out->step_ns);

	(void)err;
	if (step >= out->n_steps)
		return 0;
	series_begin(a, b);
	for (uint32_t i = 0; i < b->n_types; i++) {
		uint32_t t = find_type(a, b->type[i], b->unit[i], b->temporality[i]);
		struct state *s = &a->state[t];
		int64_t value = b->total[i];

		if (b->temporality[i] == TEMPORALITY_CUMULATIVE)
			value = increase(s, value);
		if (is_before)
			continue;
		if (b->temporality[i] == TEMPORALITY_GAUGE) {
			add(&s->sum[step], value);
			s->counted[step] += b->profiles;
		} else {
			add(&a->group->total[t][step], value);
		}
	}
	if (!is_before) {
		out->profiles[step] += b->profiles;
		note_instance(a, b, step);
		a->has_profiles = true;
	}
	return 0;
}

int stored_totals_read(struct store *s, const struct store_query *q, const char *by, struct stop *stop,
		       struct stored_totals *out, struct err *err)
{
	struct adder a = { .q = q, .by = by, .out = out };
	uint64_t n = ((uint64_t)q->t1 - (uint64_t)q->t0 - 1) / (uint64_t)q->step_ns + 1;
	int rc;

	*out = (struct stored_totals){ .memory = arena_new(), .t0 = q->t0, .step_ns = q->step_ns };
	if (n > STORED_STEPS_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " steps; at most %d are possible", n, STORED_STEPS_MAX);
	out->n_steps = (uint32_t)n;
	out->profiles = arena_zalloc(out->memory, out->n_steps, sizeof(*out->profiles));
	out->instances = arena_zalloc(out->memory, out->n_steps, sizeof(*out->instances));
	a.instance = strtab_new();
	rc = store_totals(s, q, stop, add_block, &a, err);
	series_end(&a);
	count_instances(&a);
	for (size_t i = 0; i < a.cap_state; i++) {
		free(a.state[i].sum);
		free(a.state[i].counted);
	}
	free(a.state);
	buf_release(&a.series);
	buf_release(&a.next);
	return rc;
}

void stored_totals_release(struct stored_totals *t)
{
	free(t->type);
	free(t->group);
	arena_free(t->memory);
	*t = (struct stored_totals){ 0 };
}
