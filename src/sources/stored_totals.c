/*
 * stored_totals.c - totals of a query of a store over time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The store reports blocks by series and time. Of gauges, the sums of the snapshots of all series and the numbers of profiles
 * of all instances are kept, until they can be divided and rounded as in store/reduce_mean.c. The increase of a cumulative type
 * is known from its rows only: a restart is seen by one that fell.
 */
#include "config.h"

#include "sources/stored_totals.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "sources/sources.h"
#include "store/instance.h"
#include "store/means.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Snapshots of a gauge in a step, of one series. */
struct gauge_sum {
	uint32_t type, step; /* step n_steps: the window */
	str_id instance;
	const char *group; /* value of its label */
	int64_t sum;
};

/* Profiles of an instance in a step. */
struct stored_totals_seen {
	uint32_t step; /* n_steps: the window */
	str_id instance;
	uint64_t profiles;
};

struct stored_totals_adder {
	const struct store_query *q;
	const char *by;
	struct stored_totals *out;
	struct buf series, next; /* names of the current series, and of that of a block */
	struct buf name;         /* of an instance */
	struct buf value;        /* of a group of several labels */
	struct stored_group *group;
	bool has_profiles;
	int64_t **sum;     /* [n_types][n_steps + 1] of the current series; NULL for types that are not gauges */
	uint64_t *counted; /* [n_steps + 1] profiles of the current series */
	str_id instance;   /* of the current series */
	struct strtab *instances;
	struct stored_totals_seen *seen;           /* [n_seen] */
	struct gauge_sum *gauge;                   /* [n_gauges] */
	struct instance_version current, *version; /* of the current series; [n_versions] of all series */
	size_t n_seen, cap_seen, n_gauges, cap_gauges, n_versions, cap_versions;
	size_t cap_types, cap_groups, cap_sums;
};

static const char *stored_totals_copy(struct stored_totals_adder *a, const char *text)
{
	return arena_strndup(a->out->memory, text, strlen(text));
}

/* --- types and groups --- */

static void group_add_type(struct stored_totals_adder *a, struct stored_group *g)
{
	struct stored_totals *out = a->out;
	int64_t **total = arena_alloc(out->memory, out->n_types, sizeof(*total));

	if (out->n_types > 1)
		memcpy(total, g->total, (out->n_types - 1) * sizeof(*total));
	total[out->n_types - 1] = arena_zalloc(out->memory, out->n_steps, sizeof(**total));
	g->total = total;
}

static uint32_t stored_totals_find_type(struct stored_totals_adder *a, const char *name, const char *unit,
					enum temporality temporality)
{
	struct stored_totals *out = a->out;
	bool is_gauge = temporality == TEMPORALITY_GAUGE;

	for (uint32_t t = 0; t < out->n_types; t++)
		if (strcmp(out->type[t].name, name) == 0 && strcmp(out->type[t].unit, unit) == 0 &&
		    out->type[t].temporality == temporality)
			return t;
	out->type = mem_grow(out->type, &a->cap_types, (size_t)out->n_types + 1, sizeof(*out->type));
	out->type[out->n_types++] =
		(struct stored_type){ stored_totals_copy(a, name), stored_totals_copy(a, unit), temporality, 0 };
	for (size_t i = 0; i < out->n_groups; i++)
		group_add_type(a, &out->group[i]);
	a->sum = mem_grow(a->sum, &a->cap_sums, out->n_types, sizeof(*a->sum));
	a->sum[out->n_types - 1] = is_gauge ? mem_zalloc((size_t)out->n_steps + 1, sizeof(**a->sum)) : NULL;
	return out->n_types - 1;
}

/* The group of a value, which is inserted in order if it is new. */
static struct stored_group *stored_totals_find_group(struct stored_totals_adder *a, const char *value)
{
	struct stored_totals *out = a->out;
	size_t lo;

	if (sources_find_name(out->group, out->n_groups, sizeof(*out->group), value, &lo))
		return &out->group[lo];
	out->group = mem_grow(out->group, &a->cap_groups, out->n_groups + 1, sizeof(*out->group));
	memmove(&out->group[lo + 1], &out->group[lo], (out->n_groups - lo) * sizeof(*out->group));
	out->n_groups++;
	out->group[lo] = (struct stored_group){
		.value = stored_totals_copy(a, value),
		.total = arena_alloc(out->memory, out->n_types, sizeof(*out->group[lo].total)),
	};
	for (uint32_t t = 0; t < out->n_types; t++)
		out->group[lo].total[t] = arena_zalloc(out->memory, out->n_steps, sizeof(int64_t));
	return &out->group[lo];
}

/* --- series --- */

static void stored_totals_add(int64_t *sum, int64_t v)
{
	*sum = num_add_capped(*sum, v);
}

/* Keep the sums of the gauges of the current series. */
static void series_end(struct stored_totals_adder *a)
{
	struct stored_totals *out = a->out;

	for (uint32_t i = 0; i <= out->n_steps; i++) {
		if (!a->counted[i])
			continue;
		a->seen = mem_grow(a->seen, &a->cap_seen, a->n_seen + 1, sizeof(*a->seen));
		a->seen[a->n_seen++] = (struct stored_totals_seen){ i, a->instance, a->counted[i] };
		a->counted[i] = 0;
		for (uint32_t t = 0; t < out->n_types; t++) {
			if (!a->sum[t] || !a->sum[t][i])
				continue;
			a->gauge = mem_grow(a->gauge, &a->cap_gauges, a->n_gauges + 1, sizeof(*a->gauge));
			a->gauge[a->n_gauges++] =
				(struct gauge_sum){ t, i, a->instance, a->group->value, a->sum[t][i] };
			a->sum[t][i] = 0;
		}
	}
	out->n_series += a->has_profiles;
	if (a->has_profiles) {
		a->version = mem_grow(a->version, &a->cap_versions, a->n_versions + 1, sizeof(*a->version));
		a->version[a->n_versions++] = a->current;
	}
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

/* The values of the labels that make groups. */
static const char *stored_totals_group_value(struct stored_totals_adder *a, const struct store_block_total *b)
{
	const char *by = a->by ? a->by : "";

	if (!strchr(by, STORED_SEPARATOR))
		return *by ? label_value(b, by) : "";
	a->value.len = 0;
	while (*by) {
		size_t n = strcspn(by, (const char[]){ STORED_SEPARATOR, 0 });
		const char *name = arena_strndup(a->out->memory, by, n);

		buf_addz(&a->value, label_value(b, name));
		by += n;
		if (*by == STORED_SEPARATOR)
			buf_add(&a->value, by++, 1);
	}
	return buf_text(&a->value);
}

static void stored_totals_add_word(struct buf *out, const char *word)
{
	buf_add(out, word, strlen(word) + 1);
}

/* Begin a series, unless the block continues the current one. */
static void series_begin(struct stored_totals_adder *a, const struct store_block_total *b)
{
	struct buf before = a->series;

	a->next.len = 0;
	stored_totals_add_word(&a->next, b->service);
	stored_totals_add_word(&a->next, b->kind);
	for (size_t i = 0; i < b->n_labels; i++) {
		stored_totals_add_word(&a->next, b->label[i].name);
		stored_totals_add_word(&a->next, b->label[i].value);
	}
	if (a->next.len == before.len && memcmp(a->next.data, before.data, before.len) == 0)
		return;
	series_end(a);
	a->series = a->next;
	a->next = before;
	a->group = stored_totals_find_group(a, stored_totals_group_value(a, b));
	instance_begin(&a->name, b->service);
	for (size_t i = 0; i < b->n_labels; i++)
		instance_add(&a->name, b->label[i].name, b->label[i].value);
	a->instance = strtab_add(a->instances, a->name.data, a->name.len);
	a->current = (struct instance_version){ stored_totals_copy(a, b->service),
						stored_totals_copy(a, label_value(b, "version")) };
}

static int stored_totals_add_block(void *arg, const struct store_block_total *b, struct err *err)
{
	struct stored_totals_adder *a = arg;
	struct stored_totals *out = a->out;
	uint32_t step = (uint32_t)((b->t0 - out->t0) / out->step_ns);

	(void)err;
	series_begin(a, b);
	for (uint32_t i = 0; i < b->n_types; i++) {
		uint32_t t = stored_totals_find_type(a, b->type[i], b->unit[i], b->temporality[i]);

		if (b->temporality[i] == TEMPORALITY_GAUGE) {
			stored_totals_add(&a->sum[t][step], b->total[i]);
			stored_totals_add(&a->sum[t][out->n_steps], b->total[i]);
		} else if (b->temporality[i] == TEMPORALITY_DELTA) {
			stored_totals_add(&a->group->total[t][step], b->total[i]);
			stored_totals_add(&out->type[t].window, b->total[i]);
		}
	}
	out->profiles[step] += b->profiles;
	a->counted[step] += b->profiles;
	a->counted[out->n_steps] += b->profiles;
	a->has_profiles |= b->profiles > 0;
	out->tiers |= 1U << b->tier;
	return 0;
}

/* --- means --- */

static int compare_seen(const void *a, const void *b)
{
	const struct stored_totals_seen *x = a, *y = b;

	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* Add up the series of each instance, and count the instances of each step and of the window. */
static void stored_totals_count_instances(struct stored_totals_adder *a)
{
	size_t n = 0;

	if (a->n_seen)
		qsort(a->seen, a->n_seen, sizeof(*a->seen), compare_seen);
	for (size_t i = 0; i < a->n_seen; i++) {
		if (n && compare_seen(&a->seen[n - 1], &a->seen[i]) == 0) {
			a->seen[n - 1].profiles += a->seen[i].profiles;
			continue;
		}
		a->seen[n++] = a->seen[i];
		if (a->seen[i].step < a->out->n_steps)
			a->out->instances[a->seen[i].step]++;
		else
			a->out->n_instances++;
	}
	a->n_seen = n;
}

static int compare_gauges(const void *a, const void *b)
{
	const struct gauge_sum *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return strcmp(x->group, y->group);
}

/* The means of a type in a step, added up for each group. */
static void add_means(struct stored_totals_adder *a, const struct gauge_sum *g, size_t n)
{
	struct means sum = { 0 };
	int64_t value;

	for (size_t i = 0; i < n; i++) {
		const struct stored_totals_seen key = { g[i].step, g[i].instance, 0 }, *seen;
		int64_t *to = &a->out->type[g->type].window;

		seen = bsearch(&key, a->seen, a->n_seen, sizeof(key), compare_seen);
		means_add(&sum, means_class(&sum, seen->profiles < UINT32_MAX ? seen->profiles : UINT32_MAX), g[i].sum);
		if (i + 1 < n && strcmp(g[i].group, g[i + 1].group) == 0)
			continue;
		if (g->step < a->out->n_steps)
			to = &stored_totals_find_group(a, g[i].group)->total[g->type][g->step];
		if (means_take(&sum, &value))
			value = INT64_MAX;
		stored_totals_add(to, value);
	}
	means_release(&sum);
}

static void add_all_means(struct stored_totals_adder *a)
{
	if (a->n_gauges)
		qsort(a->gauge, a->n_gauges, sizeof(*a->gauge), compare_gauges);
	for (size_t i = 0, end; i < a->n_gauges; i = end) {
		for (end = i + 1; end < a->n_gauges && a->gauge[end].type == a->gauge[i].type &&
				  a->gauge[end].step == a->gauge[i].step;)
			end++;
		add_means(a, a->gauge + i, end - i);
	}
}

int stored_totals_read(struct store *s, const struct store_query *q, const char *by, struct stop *stop,
		       struct stored_totals *out, struct err *err)
{
	struct stored_totals_adder a = { .q = q, .by = by, .out = out };
	uint64_t n = ((uint64_t)q->t1 - (uint64_t)q->t0 - 1) / (uint64_t)q->step_ns + 1;
	int rc;

	*out = (struct stored_totals){ .memory = arena_new(), .t0 = q->t0, .step_ns = q->step_ns };
	if (n > STORED_STEPS_MAX)
		return err_set(err, ERR_USAGE, "%" PRIu64 " steps; at most %d are possible", n, STORED_STEPS_MAX);
	out->n_steps = (uint32_t)n;
	out->profiles = arena_zalloc(out->memory, out->n_steps, sizeof(*out->profiles));
	out->instances = arena_zalloc(out->memory, out->n_steps, sizeof(*out->instances));
	a.counted = mem_zalloc((size_t)out->n_steps + 1, sizeof(*a.counted));
	a.instances = strtab_new();
	rc = store_totals(s, q, stop, stored_totals_add_block, &a, err);
	series_end(&a);
	stored_totals_count_instances(&a);
	add_all_means(&a);
	instance_describe_versions(a.version, a.n_versions, &out->builds);
	free(a.version);
	for (uint32_t t = 0; t < out->n_types; t++)
		free(a.sum[t]);
	free(a.sum);
	free(a.counted);
	free(a.seen);
	free(a.gauge);
	strtab_free(a.instances);
	buf_release(&a.value);
	buf_release(&a.series);
	buf_release(&a.next);
	buf_release(&a.name);
	return rc;
}

/* --- increases --- */

struct increases {
	struct stored_totals_adder a;
	uint32_t type;
};

static void stored_totals_add_increase(void *arg, const struct store_increase *i)
{
	struct increases *x = arg;
	struct stored_totals *out = x->a.out;
	struct stored_type *type = &out->type[x->type];

	if (strcmp(i->type, type->name) != 0 || strcmp(i->unit, type->unit) != 0)
		return;
	stored_totals_add(
		&stored_totals_find_group(&x->a, i->kept)->total[x->type][(i->time_ns - out->t0) / out->step_ns],
		i->value);
	stored_totals_add(&type->window, i->value);
}

struct store_query stored_step_query(const struct store_query *q, const struct stored_totals *t, uint32_t step)
{
	struct store_query own = *q;

	own.t0 = t->t0 + step * t->step_ns;
	own.t1 = q->t1 - own.t0 < t->step_ns ? q->t1 : own.t0 + t->step_ns;
	own.begin_ns = q->begin_ns ? q->begin_ns : q->t0;
	if (q->limit)
		own.limit = t->profiles[step];
	return own;
}

int stored_totals_read_increase(struct store *s, const struct store_query *q, const char *by, struct stop *stop,
				uint32_t type, struct stored_totals *out, struct err *err)
{
	struct increases x = { { .out = out, .cap_groups = out->n_groups }, type };
	struct store_query own = *q;

	own.keep = by ? &by : NULL;
	own.n_keep = by ? 1 : 0;
	return store_each_increase(s, &own, stop, stored_totals_add_increase, &x, err);
}

uint32_t stored_totals_find(const struct stored_totals *t, const char *name)
{
	for (uint32_t i = 0; i < t->n_types; i++)
		if (strcmp(t->type[i].name, name) == 0)
			return i;
	return t->n_types ? t->n_types - 1 : 0;
}

void stored_totals_release(struct stored_totals *t)
{
	free(t->type);
	free(t->group);
	buf_release(&t->builds);
	arena_free(t->memory);
	*t = (struct stored_totals){ 0 };
}
