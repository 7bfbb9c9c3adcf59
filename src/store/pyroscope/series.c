/*
 * series.c - the backend of servers of Pyroscope: series, and values over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/pprof/cursor.h"
#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"
#include "store/pyroscope/server_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MAX = 256, LIST_STEP_MS = 15000, LIST_STEPS = 5000 };

/* ---- series ---- */

static int pyro_series_damaged(const struct pyro_store *s, struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s: the response is damaged", buf_text(&s->name));
}

/* Read a LabelPair. Returns false if it is damaged. */
static bool pyro_series_read_pair(const struct field *pair, struct arena *mem, struct store_label *out)
{
	struct cursor c = { pair->data, pair->data + pair->n, NULL };
	struct field f = { 0 };

	*out = (struct store_label){ "", "" };
	if (pair->type != WIRE_BYTES)
		return false;
	while (cursor_field(&c, &f)) {
		if (f.number != 1 && f.number != 2)
			continue;
		if (f.type != WIRE_BYTES || (f.n && memchr(f.data, 0, f.n)))
			return false;
		*(f.number == 1 ? &out->name : &out->value) = arena_strndup(mem, (const char *)f.data, f.n);
	}
	return !c.error;
}

/* Read the labels in field 1 of a message. Returns their number, or -1 if it is damaged. */
static int pyro_series_read_labels(const struct field *message, struct arena *mem, struct store_label label[LABELS_MAX])
{
	struct cursor c = { message->data, message->data + message->n, NULL };
	struct field f = { 0 };
	int n = 0;

	if (message->type != WIRE_BYTES)
		return -1;
	while (cursor_field(&c, &f)) {
		if (f.number != 1)
			continue;
		if (n == LABELS_MAX || !pyro_series_read_pair(&f, mem, &label[n]))
			return -1;
		n++;
	}
	return c.error ? -1 : n;
}

/* Add a label set of a response, if it has the kind. Returns false if it is damaged. */
static bool pyro_series_note_set(struct pyro_sets *s, const char *kind, const struct field *message)
{
	struct store_label label[LABELS_MAX];
	int n = pyro_series_read_labels(message, s->memory, label);
	const char *own, *id = "";
	struct pyro_type t;

	for (int i = 0; i < n; i++)
		if (strcmp(label[i].name, "__profile_type__") == 0)
			id = label[i].value;
	if (n < 0)
		return false;
	if (pyro_parse_id(id, s->memory, &t, NULL) < 0)
		return true; /* not a profile */
	own = pyro_kind_of_name(t.name);
	own = own ? own : t.name;
	if (*kind && strcmp(kind, own) != 0)
		return true;
	pyro_sets_add_column(s, id, t.type, t.unit, false);
	pyro_sets_add(s, own, "service_name", label, (size_t)n);
	return true;
}

static int pyro_series_note_all(struct pyro_store *s, const char *kind, const struct bytes *bytes,
				struct pyro_sets *out, struct err *err)
{
	struct cursor c = { bytes->data, bytes->data + bytes->n, NULL };
	struct field f = { 0 };

	while (cursor_field(&c, &f))
		if (f.number == 2 && !pyro_series_note_set(out, kind, &f))
			return pyro_series_damaged(s, err);
	return c.error ? pyro_series_damaged(s, err) : 0;
}

int pyro_read_sets(struct pyro_store *s, const struct store_query *q, const struct pyro_span *span, struct stop *stop,
		   struct pyro_sets *out, struct err *err)
{
	int rc = 0;

	pyro_sets_init(out);
	for (int64_t at = span->start_ms; rc == 0 && at <= span->end_ms; at += PYRO_DAY_MS) {
		struct buf body = { 0 }, selector = { 0 };
		struct bytes bytes = { 0 };
		long status;

		pyro_add_selector(q, NULL, 0, &selector);
		pyro_put_text(&body, 1, buf_text(&selector));
		pyro_put_int(&body, 3, at);
		pyro_put_int(&body, 4, span->end_ms - at < PYRO_DAY_MS ? span->end_ms : at + PYRO_DAY_MS - 1);
		rc = pyro_call(s, "Series", &body, stop, &bytes, &status, err);
		rc = rc < 0 ? rc : pyro_series_note_all(s, q->kind ? q->kind : "", &bytes, out, err);
		free(bytes.data);
		buf_release(&body);
		buf_release(&selector);
	}
	pyro_sets_sort(out);
	return rc;
}

int pyro_each_series(struct store *store, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err)
{
	struct pyro_store *s = (struct pyro_store *)store;
	struct pyro_sets sets = { 0 };
	struct pyro_span span;
	int rc = pyro_find_span(s, q, NULL, &span, err);

	if (rc == 0 && q->t0 <= 0 &&
	    span.end_ms - span.start_ms > PYRO_DAY_MS) /* a list for people: of the newest day */
		span.start_ms = span.end_ms - PYRO_DAY_MS + 1;
	if (rc == 0)
		rc = pyro_read_sets(s, q, &span, NULL, &sets, err);
	if (rc == 0)
		rc = summed_each_set(&sets, &span, fn, arg, err);
	pyro_sets_release(&sets);
	return rc > 0 ? 0 : rc;
}

/* ---- values over time ---- */

struct pyro_series_walker {
	struct pyro_store *s;
	const struct store_query *q;
	struct stop *stop;
	struct pyro_sets sets;
	struct pyro_span span;
	int64_t step_ms;
	summed_point_fn *fn;
	void *arg;
	struct err *err;
};

/* A value as an integer; those that are none, or too large, become the nearest one. */
static int64_t pyro_series_round(double value)
{
	const double limit = 9.2e18;

	if (isnan(value))
		return 0;
	return value >= limit ? INT64_MAX : value <= -limit ? INT64_MIN : (int64_t)value;
}

static int pyro_series_read_point(struct pyro_series_walker *w, const struct pyro_set *set, const struct field *point)
{
	struct cursor c = { point->data, point->data + point->n, NULL };
	struct field f = { 0 };
	int64_t start_ms = 0;
	double value = 0;

	if (point->type != WIRE_BYTES)
		return pyro_series_damaged(w->s, w->err);
	while (cursor_field(&c, &f)) {
		if (f.number == 1 && f.type == WIRE_FIXED64)
			memcpy(&value, &f.value, sizeof(value));
		else if (f.number == 2 && f.type == WIRE_VARINT)
			start_ms = (int64_t)(f.value - (uint64_t)w->step_ms + 1);
	}
	if (c.error)
		return pyro_series_damaged(w->s, w->err);
	if (start_ms < w->span.start_ms)
		start_ms = w->span.start_ms;
	if (start_ms > w->span.end_ms || value == 0)
		return 0;
	return w->fn(w->arg, set, start_ms * NS_PER_MS, pyro_series_round(value), w->err);
}

static int pyro_series_read_points(struct pyro_series_walker *w, const struct field *series)
{
	struct store_label label[LABELS_MAX];
	struct cursor c = { series->data, series->data + series->n, NULL };
	struct pyro_sets one;
	int n, rc;
	struct field f = { 0 };

	pyro_sets_init(&one);
	n = pyro_series_read_labels(series, one.memory, label);
	rc = n < 0 ? pyro_series_damaged(w->s, w->err) : 0;
	if (rc == 0)
		pyro_sets_add(&one, w->q->kind, "service_name", label, (size_t)n);
	while (rc == 0 && cursor_field(&c, &f))
		if (f.number == 2)
			rc = pyro_series_read_point(w, one.set, &f);
	pyro_sets_release(&one);
	return rc;
}

/* Append the request for the values of a profile type by all labels, in steps of a span. */
static void pyro_series_put_request(const struct pyro_series_walker *w, const char *id, int64_t start_ms,
				    int64_t end_ms, struct buf *out)
{
	struct strtab *names = strtab_new();
	struct buf selector = { 0 };

	strtab_addz(names, "service_name");
	for (size_t i = 0; i < w->sets.n_sets; i++)
		for (size_t k = 0; k < w->sets.set[i].n_labels; k++)
			strtab_addz(names, w->sets.set[i].label[k].name);
	pyro_add_selector(w->q, NULL, 0, &selector);
	pyro_put_text(out, 1, id);
	pyro_put_text(out, 2, buf_text(&selector));
	pyro_put_int(out, 3, start_ms);
	pyro_put_int(out, 4, end_ms);
	for (uint32_t i = 1; i < strtab_count(names); i++)
		pyro_put_text(out, 5, strtab_text(names, i));
	pyro_put_double(out, 6, (double)w->step_ms / 1000);
	strtab_free(names);
	buf_release(&selector);
}

/* Walk the values of n steps from a time on. A point is at the last ms of its step. */
static int pyro_series_walk_steps(struct pyro_series_walker *w, const char *id, int64_t at, int64_t n)
{
	struct buf body = { 0 };
	struct bytes bytes = { 0 };
	struct field f = { 0 };
	struct cursor c;
	long status;
	int rc;

	pyro_series_put_request(w, id, at + w->step_ms - 1, at + n * w->step_ms - 1, &body);
	rc = pyro_call(w->s, "SelectSeries", &body, w->stop, &bytes, &status, w->err);
	c = (struct cursor){ bytes.data, bytes.data + bytes.n, NULL };
	while (rc == 0 && cursor_field(&c, &f))
		if (f.number == 1)
			rc = pyro_series_read_points(w, &f);
	if (rc == 0 && c.error)
		rc = pyro_series_damaged(w->s, w->err);
	free(bytes.data);
	buf_release(&body);
	return rc;
}

/* Walk the values of a profile type in steps; those longer than a day in days. */
static int pyro_series_walk(struct pyro_series_walker *w, const char *id, int64_t step_ms)
{
	int64_t at = w->span.start_ms;
	int rc = 0;

	while (rc == 0 && at <= w->span.end_ms) {
		int64_t step_end = at + step_ms - (at - w->span.start_ms) % step_ms, last = w->span.end_ms, n = 1;

		if (step_ms <= PYRO_DAY_MS) {
			w->step_ms = step_ms;
			n = (last - at) / step_ms + 1;
			n = n > PYRO_DAY_MS / step_ms ? PYRO_DAY_MS / step_ms : n;
		} else {
			w->step_ms = step_end - at < PYRO_DAY_MS ? step_end - at : PYRO_DAY_MS;
		}
		rc = pyro_series_walk_steps(w, id, at, n);
		at += n * w->step_ms;
	}
	return rc;
}

/* Begin to walk: find window and series. Returns 1 if there is nothing. */
static int pyro_series_begin(struct pyro_series_walker *w)
{
	int rc = pyro_check_query(w->q, "Pyroscope", w->err);

	rc = rc < 0 ? rc : pyro_find_span(w->s, w->q, w->stop, &w->span, w->err);
	if (rc == 0)
		rc = pyro_read_sets(w->s, w->q, &w->span, w->stop, &w->sets, w->err);
	return rc == 0 && !w->sets.n_columns ? 1 : rc;
}

/* The step in which a series with values counts as a profile. */
static int64_t pyro_series_fine_step(const struct pyro_span *span)
{
	return ((span->end_ms - span->start_ms) / LIST_STEPS / LIST_STEP_MS + 1) * LIST_STEP_MS;
}

int pyro_totals(struct store *store, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		struct err *err)
{
	struct summed_totals x = { .counts = true, .fn = fn, .arg = arg };
	struct pyro_series_walker w = {
		.s = (struct pyro_store *)store, .q = q, .stop = stop, .fn = summed_add_total, .arg = &x, .err = err
	};
	int rc = pyro_series_begin(&w);

	for (size_t i = 0; rc == 0 && i < w.sets.n_columns; i++) {
		int64_t fine = pyro_series_fine_step(&w.span), step_ms = q->step_ns ? q->step_ns / NS_PER_MS : fine;

		x.column = &w.sets.column[i];
		if (q->reduce != REDUCE_SUM && pyro_is_gauge(x.column->type, x.column->unit))
			continue;
		if (step_ms % fine == 0)
			step_ms = fine;
		rc = pyro_series_walk(&w, x.column->id, step_ms > 0 ? step_ms : 1);
		x.counts = false;
	}
	pyro_sets_release(&w.sets);
	return rc > 0 ? 0 : rc;
}

int pyro_list(struct store *store, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	      struct err *err)
{
	struct summed_list x;
	struct pyro_series_walker w = {
		.s = (struct pyro_store *)store, .q = q, .stop = stop, .fn = summed_add_item, .arg = &x, .err = err
	};
	int rc = pyro_series_begin(&w);

	if (rc == 0) {
		summed_list_init(&x, &w.sets, pyro_series_fine_step(&w.span), fn, arg);
		rc = pyro_series_walk(&w, w.sets.column[w.sets.n_columns - 1].id, x.step_ms);
	}
	pyro_sets_release(&w.sets);
	return rc > 0 ? 0 : rc;
}
