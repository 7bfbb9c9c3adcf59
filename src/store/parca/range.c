/*
 * range.c - the backend of servers of Parca: series, and values over time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is no list of series, so values over time are asked by all labels. Their steps begin at whole multiples of the step.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
#include "store/parca/parca_int.h"
#include "store/pyroscope/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_MS = 1000, LONG_STEP_MS = 15000, NOT_FOUND = 404 };

#define RANGE_DAY_MS INT64_C(86400000)

struct range_reader {
	struct parca_call *c;
	const struct pyro_column *column;
	int64_t step_ms;
	summed_point_fn *fn; /* NULL: series are added to the sets */
	void *arg;
	int rc;
};

/* ---- responses ---- */

/* Read {"name":...,"value":...}. */
static void range_read_label(struct jsonr *r, struct arena *mem, struct store_label *out)
{
	*out = (struct store_label){ "", "" };
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		const char **to = jsonr_is(r, "name") ? &out->name : jsonr_is(r, "value") ? &out->value : NULL;

		if (!to)
			jsonr_skip(r);
		else if (jsonr_string(r))
			*to = arena_strndup(mem, r->text, r->len);
	}
}

static size_t range_read_labels(struct jsonr *r, struct arena *mem, struct store_label label[PARCA_LABELS_MAX])
{
	size_t n = 0;

	if (!jsonr_open(r, JSONR_OBJECT))
		return 0;
	while (jsonr_key(r)) {
		if (!jsonr_is(r, "labels")) {
			jsonr_skip(r);
		} else if (jsonr_open(r, JSONR_ARRAY)) {
			while (jsonr_item(r))
				if (n < PARCA_LABELS_MAX)
					range_read_label(r, mem, &label[n++]);
				else
					jsonr_fail(r, ERR_LIMIT, "more than %d labels", PARCA_LABELS_MAX);
		}
	}
	return n;
}

static void range_read_point(struct range_reader *x, struct jsonr *r, const struct pyro_set *set)
{
	const struct pyro_span *span = &x->c->span;
	int64_t start_ns = -1, start_ms, value = 0;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "value"))
			jsonr_int(r, &value);
		else if (!jsonr_is(r, "timestamp"))
			jsonr_skip(r);
		else if (jsonr_string(r) && !time_parse_exact(r->text, r->len, &start_ns))
			jsonr_fail(r, ERR_FORMAT, "not a time");
	}
	start_ms = start_ns / NS_PER_MS;
	if (r->rc < 0 || x->rc < 0 || start_ns < 0 || value == 0 || start_ms > span->end_ms)
		return;
	if (start_ms < span->start_ms)
		start_ms = span->start_ms;
	x->rc = x->fn(x->arg, set, start_ms * NS_PER_MS, value, x->c->err);
}

/* Read a series: its labels, then its values. Values come after the labels; else they are an error. */
static void range_read_series(struct range_reader *x, struct jsonr *r)
{
	struct store_label label[PARCA_LABELS_MAX];
	struct pyro_sets own;
	struct pyro_sets *sets = x->fn ? &own : &x->c->sets;
	const char *kind = x->c->q->kind && *x->c->q->kind ? x->c->q->kind : NULL;
	bool has_labels = false;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	pyro_sets_init(&own);
	if (!kind) {
		char *name = arena_strndup(x->c->sets.memory, x->column->id, strcspn(x->column->id, ":"));

		kind = pyro_kind_of_name(name);
		kind = kind ? kind : name;
	}
	while (jsonr_key(r)) {
		if (jsonr_is(r, "labelset")) {
			size_t n = range_read_labels(r, sets->memory, label);

			has_labels = true;
			pyro_sets_add(sets, kind, x->c->service_label, label, n);
		} else if (jsonr_is(r, "samples") && x->fn && !has_labels) {
			jsonr_fail(r, ERR_FORMAT, "a series has values before its labels");
		} else if (jsonr_is(r, "samples") && x->fn && jsonr_open(r, JSONR_ARRAY)) {
			while (jsonr_item(r))
				range_read_point(x, r, own.set);
		} else {
			jsonr_skip(r);
		}
	}
	pyro_sets_release(&own);
}

static int range_read(struct range_reader *x)
{
	struct parca_call *c = x->c;
	struct buf path = { 0 }, step = { 0 };
	struct bytes bytes = { 0 };
	struct jsonr r;
	long status;
	int rc;

	buf_addz(&path, "/api/profiles/query_range");
	parca_add_query(c, "query", x->column->id, &path);
	parca_add_time(&path, "start", c->span.start_ms);
	parca_add_time(&path, "end", c->span.end_ms);
	buf_addf(&step, "%" PRId64 ".%03ds", x->step_ms / 1000, (int)(x->step_ms % 1000));
	parca_add_field(&path, "step", buf_text(&step));
	for (size_t i = 0; i < c->n_names; i++)
		parca_add_field(&path, "sum_by", c->name[i]);
	rc = parca_get(c, buf_text(&path), &bytes, &status);
	buf_release(&path);
	buf_release(&step);
	if (rc < 0)
		return status == NOT_FOUND ? 0 : rc;
	if (bytes.n && bytes.data[0] == '<') { /* 404 with nothing to find, for which Parca sends the page of its UI */
		free(bytes.data);
		return 0;
	}
	jsonr_init(&r, bytes.data, bytes.n, JSONR_DEPTH, c->err);
	if (jsonr_open(&r, JSONR_OBJECT)) {
		while (x->rc == 0 && jsonr_key(&r))
			if (!jsonr_is(&r, "series"))
				jsonr_skip(&r);
			else if (jsonr_open(&r, JSONR_ARRAY))
				while (x->rc == 0 && jsonr_item(&r))
					range_read_series(x, &r);
	}
	rc = x->rc < 0 ? x->rc : r.rc < 0 ? parca_damaged(c, &r) : 0;
	jsonr_release(&r);
	free(bytes.data);
	return rc;
}

int parca_walk(struct parca_call *c, const struct pyro_column *column, int64_t step_ms, summed_point_fn *fn, void *arg)
{
	struct range_reader x = { .c = c, .column = column, .step_ms = step_ms, .fn = fn, .arg = arg };

	return range_read(&x);
}

int parca_add_sets(struct parca_call *c, const struct pyro_column *column)
{
	struct range_reader x = { .c = c, .column = column, .step_ms = c->span.end_ms - c->span.start_ms + 1 };

	return range_read(&x);
}

/* ---- the functions of the store ---- */

int parca_each_series(struct store *store, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err)
{
	struct parca_call c = { .s = (struct pyro_store *)store, .q = q, .err = err };
	int rc = parca_begin(&c, q->kind ? q->kind : "");

	for (size_t i = 0; rc == 0 && i < c.sets.n_columns; i++)
		rc = parca_add_sets(&c, &c.sets.column[i]);
	rc = rc == 0 ? summed_each_set(&c.sets, &c.span, fn, arg, err) : rc;
	parca_end(&c);
	return rc > 0 ? 0 : rc;
}

/* The step in which a series with values counts as a profile. */
static int64_t range_fine_step(const struct pyro_span *span)
{
	return span->end_ms - span->start_ms > RANGE_DAY_MS ? LONG_STEP_MS : STEP_MS;
}

int parca_totals(struct store *store, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err)
{
	struct summed_totals x = { .counts = true, .fn = fn, .arg = arg };
	struct parca_call c = { .s = (struct pyro_store *)store, .q = q, .stop = stop, .err = err };
	int rc = parca_begin(&c, q->kind);

	for (size_t i = 0; rc == 0 && i < c.sets.n_columns; i++) {
		x.column = &c.sets.column[i];
		if (q->reduce != REDUCE_SUM && (!x.column->is_delta || pyro_is_gauge(x.column->type, x.column->unit)))
			continue;
		rc = parca_walk(&c, x.column, range_fine_step(&c.span), summed_add_total, &x);
		x.counts = false;
	}
	parca_end(&c);
	return rc > 0 ? 0 : rc;
}

int parca_list(struct store *store, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err)
{
	struct parca_call c = { .s = (struct pyro_store *)store, .q = q, .stop = stop, .err = err };
	int rc = parca_begin(&c, q->kind);
	struct summed_list x;

	if (rc == 0) {
		summed_list_init(&x, &c.sets, range_fine_step(&c.span), fn, arg);
		rc = parca_walk(&c, &c.sets.column[c.sets.n_columns - 1], x.step_ms, summed_add_item, &x);
	}
	parca_end(&c);
	return rc > 0 ? 0 : rc;
}
