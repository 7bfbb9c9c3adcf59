/*
 * select.c - stacks, profiles and values over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/time.h"
#include "profile/encode.h"
#include "sources/stored_totals.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_DEFAULT = 8192, /* as Pyroscope's querier.max-flamegraph-nodes-default and -max */
	NODES_MAX = 1 << 20,
	POINTS_MAX = 20000,
	READ_STEPS_MAX = 2000, /* if profiles are read, for labels of samples */
	ID_BYTES = 16,
	STEP_MAX_S = 100000000,
};

#define TIME_MAX_MS INT64_C(9000000000000) /* in ns, with a step, it fits into int64_t */

/* ---- selections of stacks ---- */

static int select_nodes(struct grafana_call *c, const struct pyro_request *r, size_t *out)
{
	if (r->max_nodes > NODES_MAX || r->max_nodes < 0)
		return grafana_refuse(c, GRAFANA_BAD, "max_nodes is %" PRId64 "; at most %d are possible", r->max_nodes,
				      NODES_MAX);
	*out = r->max_nodes ? (size_t)r->max_nodes : NODES_DEFAULT;
	return 0;
}

/* Set the id of the only profile to read: a UUID, with or without hyphens. */
static int select_id(struct grafana_call *c, const struct pyro_request *r, struct store_query *q)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *id = arena_zalloc(c->request.memory, 1, ID_BYTES);
	size_t n = 0;

	if (r->profile_ids.n > 1)
		return grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				      "profile_id_selector: this server selects one profile at a time");
	if (r->profile_ids.n == 0)
		return 0;
	for (const char *at = r->profile_ids.item[0]; *at; at++) {
		const char *digit = strchr(digits, *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);

		if (*at == '-')
			continue;
		if (!digit || n == (size_t)ID_BYTES * 2)
			return grafana_refuse(c, GRAFANA_BAD, "profile_id_selector: not the id of a profile");
		id[n / 2] = (uint8_t)(id[n / 2] << 4 | (digit - digits));
		n++;
	}
	q->id = id;
	return n == (size_t)ID_BYTES * 2
		       ? 0
		       : grafana_refuse(c, GRAFANA_BAD, "profile_id_selector: not the id of a profile");
}

/* Select the profiles of a request for stacks. Returns as grafana_select. */
static int select_stacks(struct grafana_call *c, const struct pyro_request *r, struct grafana_selection *s)
{
	int rc = grafana_select(c, r, r->selector, r->profile_type, s);

	if (rc == 0 && !*r->profile_type)
		rc = grafana_refuse(c, GRAFANA_BAD, "the profile type is missing");
	if (rc == 0 && r->has_pgo)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				    "go_pgo: this server does not prepare profiles for Go's compiler");
	if (rc == 0 && r->has_async)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "async: this server answers queries at once only");
	if (rc == 0 && r->spans.n && r->trace_ids.n)
		rc = grafana_refuse(c, GRAFANA_BAD, "span_selector and trace_id_selector cannot be combined");
	rc = rc ? rc : select_id(c, r, &s->q);
	rc = rc ? rc : grafana_select_values(c, s, "span_id", &r->spans);
	return rc ? rc : grafana_select_values(c, s, "trace_id", &r->trace_ids);
}

/* Read the stacks of a request as a side of a tree. Returns 0, with an empty side if nothing matches, or ERR_*. */
static int select_read_side(struct grafana_call *c, const struct pyro_request *r, int side, struct grafana_tree *out)
{
	struct grafana_selection s;
	struct profile *p = NULL;
	uint32_t type = 0;
	int rc = select_stacks(c, r, &s);

	if (rc == 0)
		rc = grafana_read(c, &s, &p, &type);
	if (rc == 0 && p)
		rc = grafana_tree_add(out, side, p, type, c->stop, &c->err);
	profile_free(p);
	grafana_selection_release(&s);
	return rc < 0 ? rc : 0;
}

int grafana_tree_read(struct grafana_call *c, const struct pyro_request *left, const struct pyro_request *right,
		      struct grafana_tree *out)
{
	size_t nodes = 0, more = 0;
	int rc = select_nodes(c, left, &nodes);

	if (rc == 0 && right)
		rc = select_nodes(c, right, &more);
	rc = rc < 0 ? rc : select_read_side(c, left, 0, out);
	if (rc == 0 && right)
		rc = select_read_side(c, right, 1, out);
	if (rc < 0)
		return rc;
	if (left->call_site.n)
		grafana_tree_keep(out, &left->call_site);
	grafana_tree_sort(out, more > nodes ? more : nodes);
	return 0;
}

/* ---- profiles ---- */

/* Append the profile of a request with its sample type alone; nothing if nothing matches. */
static int select_add_profile(struct grafana_call *c, struct buf *out)
{
	const struct pyro_request *r = &c->request;
	struct grafana_selection s;
	struct profile *p = NULL;
	uint32_t type = 0;
	int rc = select_stacks(c, r, &s);

	if (rc == 0 && r->call_site.n)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				    "stack_trace_selector: this server selects stacks in flame graphs only");
	if (rc == 0)
		rc = grafana_read(c, &s, &p, &type);
	if (rc == 0 && p) {
		struct profile own = *p; /* borrows from p */

		own.n_types = 1;
		own.type = &p->type[type];
		own.value = &p->value[type];
		own.meta.default_type = 0;
		rc = profile_encode(&own, out, &c->err);
	}
	profile_free(p);
	grafana_selection_release(&s);
	return rc < 0 ? rc : 0;
}

int grafana_profile(struct grafana_call *c)
{
	return select_add_profile(c, &c->out);
}

static int select_pprof(struct grafana_call *c)
{
	size_t outer = pyro_open(&c->out, 5), inner = pyro_open(&c->out, 1);
	int rc = select_add_profile(c, &c->out);

	pyro_close(&c->out, inner);
	pyro_close(&c->out, outer);
	return rc;
}

int grafana_stacktraces(struct grafana_call *c)
{
	struct grafana_tree t;
	size_t mark;
	int rc;

	if (c->request.format == PYRO_FORMAT_PPROF)
		return select_pprof(c);
	if (c->request.format < PYRO_FORMAT_DEFAULT || c->request.format > PYRO_FORMAT_TREE)
		return grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				      "this server has no format %" PRId64
				      " of stacks; flame graph, tree and pprof are available",
				      c->request.format);
	grafana_tree_init(&t);
	rc = grafana_tree_read(c, &c->request, NULL, &t);
	if (rc == 0 && c->request.format == PYRO_FORMAT_TREE) {
		mark = pyro_open(&c->out, 2);
		grafana_tree_put_bytes(&t, &c->out);
		pyro_close(&c->out, mark);
	} else if (rc == 0) {
		mark = pyro_open(&c->out, 1);
		grafana_tree_put_flame(&t, false, &c->out);
		pyro_close(&c->out, mark);
	}
	grafana_tree_release(&t);
	return rc;
}

int grafana_diff(struct grafana_call *c)
{
	const struct pyro_request *left = c->request.left, *right = c->request.right;
	struct grafana_tree t;
	size_t mark;
	int rc;

	if (!left || !right)
		return grafana_refuse(c, GRAFANA_BAD, "a comparison needs left and right");
	grafana_tree_init(&t);
	rc = grafana_tree_read(c, left, right, &t);
	if (rc == 0) {
		mark = pyro_open(&c->out, 1);
		grafana_tree_put_flame(&t, true, &c->out);
		pyro_close(&c->out, mark);
	}
	grafana_tree_release(&t);
	return rc;
}

/* ---- values over time ---- */

/* The points of a request: at start, start + step, ..., each with the profiles of the step before it, as in Pyroscope. */
static int select_points(struct grafana_call *c, const struct pyro_request *r, struct store_query *q,
			 struct grafana_points *out)
{
	int64_t n;

	if (!(r->step_s >= 0.001) || r->step_s > STEP_MAX_S)
		return grafana_refuse(c, GRAFANA_BAD, "step must be a number of seconds, from 0.001 to %d", STEP_MAX_S);
	if (r->end_ms > TIME_MAX_MS)
		return grafana_refuse(c, GRAFANA_BAD, "end is after the year 2255; it is in milliseconds since 1970");
	out->start_ms = r->start_ms;
	out->step_ms = (int64_t)floor(r->step_s * 1000 + 1e-6);
	n = (r->end_ms - r->start_ms) / out->step_ms + 1;
	if (n > POINTS_MAX)
		return grafana_refuse(c, GRAFANA_BAD, "%" PRId64 " points; at most %d are possible", n, POINTS_MAX);
	out->n = (uint32_t)n;
	q->step_ns = out->step_ms * NS_PER_MS;
	q->t0 = num_sub_capped((r->start_ms + 1) * NS_PER_MS, q->step_ns);
	q->t1 = q->t0 + n * q->step_ns;
	return 0;
}

struct select_note {
	const char *name;
	bool is_found;
};

static int select_note_label(void *arg, const struct store_series *s, struct err *err)
{
	struct select_note *note = arg;

	(void)err;
	for (size_t i = 0; i < s->n_labels; i++)
		note->is_found |= strcmp(s->label[i].name, note->name) == 0;
	return 0;
}

/* Return 1 if the label is one of series, 0 if only samples can have it, or ERR_*. */
static int select_is_series_label(struct grafana_call *c, const struct store_query *q, const char *name)
{
	struct select_note note = { name, strcmp(name, "service") == 0 || strcmp(name, "kind") == 0 };
	struct store_query all = *q;
	int rc;

	all.n_match = 0; /* conditions may be on samples */
	all.kind = "";   /* as for conditions: in any kind, at any time */
	all.t0 = INT64_MIN;
	all.t1 = INT64_MAX;
	rc = note.is_found ? 0 : store_each_series(c->store, &all, select_note_label, &note, &c->err);
	return rc < 0 ? rc : note.is_found;
}

/* Find the type of the request among those that were read. */
static uint32_t select_type(const struct stored_totals *t, const struct pyro_type *type)
{
	uint32_t i = 0;

	while (i < t->n_types && (strcmp(t->type[i].name, type->type) != 0 || strcmp(t->type[i].unit, type->unit) != 0))
		i++;
	return i;
}

/* Values of one label of samples: [n] per step. */
struct select_groups {
	struct strtab *values;
	int64_t **total; /* by id of the value */
	size_t cap;
	uint32_t n;
};

static int64_t *select_group(struct select_groups *g, const char *value)
{
	str_id id = strtab_addz(g->values, value);
	size_t had = g->cap;

	g->total = mem_grow(g->total, &g->cap, (size_t)id + 1, sizeof(*g->total));
	if (g->cap > had)
		memset(g->total + had, 0, (g->cap - had) * sizeof(*g->total));
	if (!g->total[id])
		g->total[id] = mem_zalloc(g->n, sizeof(**g->total));
	return g->total[id];
}

static const char *select_label_text(const struct profile *p, uint32_t set, const char *key)
{
	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		if (p->label_is_text[label] && strcmp(profile_text(p, p->label_key[label]), key) == 0)
			return profile_text(p, p->label_text[label]);
	}
	return "";
}

/* Read the profiles of a step, and add the values of its samples by a label. */
static int select_read_step(struct grafana_call *c, const struct grafana_selection *s, const char *by, uint32_t step,
			    struct select_groups *g)
{
	struct profile *p = NULL;
	uint32_t type = 0;
	int rc = grafana_read(c, s, &p, &type);

	for (uint32_t i = 0; rc == 0 && p && i < p->n_rows; i++) {
		int64_t *total = select_group(g, select_label_text(p, p->labels[i], by));

		total[step] = num_add_capped(total[step], p->value[type][i]);
	}
	profile_free(p);
	return rc;
}

static int select_by_sample(struct grafana_call *c, struct grafana_selection *s, const char *by,
			    const struct stored_totals *t, const struct grafana_points *points, const bool *has,
			    grafana_group_fn *fn, void *arg)
{
	struct select_groups g = { .values = strtab_new(), .n = points->n };
	const struct store_query q = s->q;
	int rc = points->n > READ_STEPS_MAX
			 ? grafana_refuse(c, GRAFANA_BAD,
					  "%" PRIu32 " points; at most %d are possible by a label of samples",
					  points->n, READ_STEPS_MAX)
			 : 0;

	for (uint32_t i = 0; rc == 0 && i < points->n; i++) {
		s->q = stored_step_query(&q, t, i);
		if (has[i])
			rc = select_read_step(c, s, by, i, &g);
		c->sources.len = 0;
	}
	s->q = q;
	for (uint32_t i = 0; rc == 0 && i < strtab_count(g.values); i++)
		if (i < g.cap && g.total[i])
			rc = fn(arg, strtab_text(g.values, i), points, g.total[i], has);
	for (size_t i = 0; i < g.cap; i++)
		free(g.total[i]);
	free(g.total);
	strtab_free(g.values);
	return rc;
}

static int select_by_series(struct grafana_call *c, struct grafana_selection *s, const char *by,
			    struct stored_totals *t, const struct grafana_points *points, const bool *has,
			    grafana_group_fn *fn, void *arg)
{
	uint32_t type = select_type(t, &s->type);
	int rc = 0;

	if (type == t->n_types)
		return 0;
	if (t->type[type].temporality == TEMPORALITY_CUMULATIVE && by && strchr(by, STORED_SEPARATOR))
		return grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "group_by: this server groups counters by one label");
	if (t->type[type].temporality == TEMPORALITY_CUMULATIVE)
		rc = stored_totals_read_increase(c->store, &s->q, by, c->stop, type, t, &c->err);
	for (size_t i = 0; rc == 0 && i < t->n_groups; i++)
		rc = fn(arg, t->group[i].value, points, t->group[i].total[type], has);
	return rc;
}

/* The labels of a request that make groups, as stored_totals_read takes them; NULL if there are none. */
static const char *select_group_by(const struct pyro_request *r, struct buf *names)
{
	const char separator = STORED_SEPARATOR;

	for (size_t i = 0; i < r->group_by.n; i++) {
		if (i)
			buf_add(names, &separator, 1);
		buf_addz(names, grafana_store_label(r->group_by.item[i]));
	}
	return r->group_by.n ? buf_text(names) : NULL;
}

int grafana_each_group(struct grafana_call *c, const struct pyro_request *r, grafana_group_fn *fn, void *arg)
{
	struct buf names = { 0 };
	const char *by = select_group_by(r, &names);
	struct grafana_selection s;
	struct grafana_points points;
	struct stored_totals t = { 0 };
	bool *has = NULL;
	int rc = select_stacks(c, r, &s), in_series = 1;

	if (rc == 0 && r->call_site.n)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				    "stack_trace_selector: this server has no values over time of functions");
	rc = rc ? rc : select_points(c, r, &s.q, &points);
	for (size_t i = 0; rc == 0 && in_series > 0 && i < r->group_by.n; i++)
		in_series = select_is_series_label(c, &s.q, grafana_store_label(r->group_by.item[i]));
	if (rc == 0 && in_series == 0 && r->group_by.n > 1)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED,
				    "group_by: this server groups by one label of samples, or by several of series");
	rc = in_series < 0 ? in_series : rc;
	if (rc == 0)
		rc = stored_totals_read(c->store, &s.q, in_series ? by : NULL, c->stop, &t, &c->err);
	if (rc == 0) {
		has = mem_zalloc(points.n, sizeof(*has));
		for (uint32_t i = 0; i < points.n; i++)
			has[i] = t.profiles[i] > 0;
		rc = in_series ? select_by_series(c, &s, by, &t, &points, has, fn, arg)
			       : select_by_sample(c, &s, by, &t, &points, has, fn, arg);
	} else if (grafana_is_nothing(c, &s.q, rc)) {
		rc = 0;
	}
	free(has);
	stored_totals_release(&t);
	grafana_selection_release(&s);
	buf_release(&names);
	return rc < 0 ? rc : 0;
}

/* ---- SelectSeries ---- */

/* An encoded series. */
struct select_series {
	struct buf message;
	double total;
};

struct select_list {
	const struct pyro_request *r;
	struct select_series *item; /* [n] */
	size_t n, cap;
};

/* Append the labels of a group. */
static void select_put_labels(const struct pyro_texts *by, const char *value, struct buf *out)
{
	const char end[] = { by->n > 1 ? STORED_SEPARATOR : 0, 0 };

	for (size_t i = 0; i < by->n; i++) {
		size_t n = strcspn(value, end), mark;

		if (n) {
			mark = pyro_open(out, 1);
			pyro_put_text(out, 1, by->item[i]);
			pyro_put_bytes(out, 2, value, n);
			pyro_close(out, mark);
		}
		value += n + (value[n] != 0);
	}
}

static int select_add_series(void *arg, const char *value, const struct grafana_points *points, const int64_t *total,
			     const bool *has)
{
	struct select_list *list = arg;
	bool has_groups = list->r->group_by.n > 0;
	struct select_series s = { 0 };
	size_t mark;

	select_put_labels(&list->r->group_by, value, &s.message);
	for (uint32_t i = 0; i < points->n; i++) {
		if (!has[i] || (has_groups && !total[i]))
			continue;
		mark = pyro_open(&s.message, 2);
		pyro_put_double(&s.message, 1, (double)total[i]);
		pyro_put_int(&s.message, 2, points->start_ms + i * points->step_ms);
		pyro_close(&s.message, mark);
		s.total += (double)total[i];
	}
	list->item = mem_grow(list->item, &list->cap, list->n + 1, sizeof(*list->item));
	list->item[list->n++] = s;
	return 0;
}

static int select_compare_series(const void *a, const void *b)
{
	const struct select_series *x = a, *y = b;
	size_t n = x->message.len < y->message.len ? x->message.len : y->message.len;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return n ? memcmp(x->message.data, y->message.data, n) : 0;
}

int grafana_time_series(struct grafana_call *c)
{
	struct select_list list = { .r = &c->request };
	int64_t limit = c->request.limit;
	int rc = 0;

	if (c->request.aggregation == PYRO_AVERAGE)
		rc = grafana_refuse(c, GRAFANA_UNIMPLEMENTED, "aggregation: this server has no average over profiles");
	rc = rc < 0 ? rc : grafana_each_group(c, &c->request, select_add_series, &list);
	if (rc == 0 && limit > 0 && list.n > 1)
		qsort(list.item, list.n, sizeof(*list.item), select_compare_series);
	for (size_t i = 0; i < list.n; i++) {
		const struct buf *m = &list.item[i].message;

		if (rc == 0 && m->len && (limit <= 0 || (int64_t)i < limit))
			pyro_put_bytes(&c->out, 1, m->data, m->len);
		buf_release(&list.item[i].message);
	}
	free(list.item);
	return rc;
}
