/*
 * pyroscope.c - the backend of servers of Pyroscope: requests and sums
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request returns the sum of one profile type. Windows longer than a day, and the values of labels to keep, are asked one by
 * one. The columns of a kind become one profile.
 */
#include "config.h"

#include "store/pyroscope/pyroscope.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "fetch/ask.h"
#include "formats/pprof/cursor.h"
#include "formats/pprof/pprof.h"
#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"
#include "store/pyroscope/server_int.h"
#include "store/pyroscope/sum.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND = 404, NOT_IMPLEMENTED = 501 };

#define PYRO_PREFIX "pyroscope+"

/* ---- requests ---- */

int pyro_call(struct pyro_store *s, const char *method, const struct buf *body, struct stop *stop, struct bytes *out,
	      long *status, struct err *err)
{
	struct buf path = { 0 };
	struct fetch_ask ask = {
		.server = s->server, .body = buf_text(body), .n_body = body->len, .content_type = "application/proto"
	};
	int rc;

	buf_addf(&path, "/querier.v1.QuerierService/%s", method);
	ask.path = path.data;
	rc = fetch_ask(&ask, &s->options, stop, out, status, err);
	buf_release(&path);
	return rc;
}

/* ---- queries ---- */

static const char *pyro_label(const char *name)
{
	return strcmp(name, "service") == 0 ? "service_name" : name;
}

void pyro_add_selector(const struct store_query *q, const struct store_label *more, size_t n, struct buf *out)
{
	struct buf pattern = { 0 };

	buf_addz(out, "{");
	if (q->is_pattern && strcmp(q->service, "*") != 0) {
		pyro_add_pattern(q->service, &pattern);
		pyro_add_match("service_name", MATCH_REGEX, buf_text(&pattern), out);
	} else if (!q->is_pattern) {
		pyro_add_match("service_name", MATCH_EQUAL, q->service, out);
	}
	for (size_t i = 0; i < q->n_match + n; i++) {
		if (out->data[out->len - 1] != '{')
			buf_addz(out, ",");
		if (i < q->n_match)
			pyro_add_match(pyro_label(q->match[i].name), q->match[i].op, q->match[i].value, out);
		else
			pyro_add_match(pyro_label(more[i - q->n_match].name), MATCH_EQUAL, more[i - q->n_match].value,
				       out);
	}
	buf_addz(out, "}");
	buf_release(&pattern);
}

/* The first and the last profile of the server. */
static int pyro_read_stats(struct pyro_store *s, struct stop *stop, struct pyro_span *out, struct err *err)
{
	const struct buf empty = { 0 };
	struct bytes bytes = { 0 };
	uint64_t v[4] = { 0 };
	struct cursor c;
	long status;
	int rc = pyro_call(s, "GetProfileStats", &empty, stop, &bytes, &status, err);

	if (rc < 0)
		return rc;
	c = (struct cursor){ bytes.data, bytes.data + bytes.n, NULL };
	if (!cursor_numbers(&c, 3, v))
		rc = err_set(err, ERR_FORMAT, "%s: the response is damaged: %s", buf_text(&s->name), c.error);
	*out = (struct pyro_span){ (int64_t)v[2], (int64_t)v[3] };
	free(bytes.data);
	return rc < 0 ? rc : v[1] == 0;
}

int pyro_find_span(struct pyro_store *s, const struct store_query *q, struct stop *stop, struct pyro_span *out,
		   struct err *err)
{
	int rc = 0;

	*out = (struct pyro_span){ 0, INT64_MAX };
	if (q->t0 <= 0 || q->t1 == INT64_MAX)
		rc = pyro_read_stats(s, stop, out, err);
	if (rc != 0)
		return rc;
	if (q->t0 > 0)
		out->start_ms = (q->t0 - 1) / NS_PER_MS + 1;
	if (q->t1 != INT64_MAX)
		out->end_ms = (q->t1 - 1) / NS_PER_MS;
	return out->end_ms < out->start_ms;
}

/* ---- sums ---- */

/* A query while its sums are read. */
struct pyro_reader {
	struct pyro_store *s;
	const struct store_query *q;
	struct stop *stop;
	struct pyro_span span;
	struct pyro_sets sets;
	const struct store_label *keep; /* [q->n_keep] the labels that samples get, of the current request */
	struct pyro_sum sum;
	struct err *err;
};

/* Append the request for a sum. */
static void pyro_put_query(const struct pyro_reader *r, const char *id, const struct pyro_span *span, bool has_format,
			   struct buf *out)
{
	struct buf text = { 0 };

	pyro_put_text(out, 1, id);
	pyro_add_selector(r->q, r->keep, r->keep ? r->q->n_keep : 0, &text);
	pyro_put_text(out, 2, buf_text(&text));
	pyro_put_int(out, 3, span->start_ms);
	pyro_put_int(out, 4, span->end_ms);
	if (has_format)
		pyro_put_int(out, 6, PYRO_FORMAT_PPROF);
	text.len = 0;
	for (int i = 0; r->q->id && i < 16; i++)
		buf_addf(&text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r->q->id[i]);
	pyro_put_text(out, has_format ? 8 : 7, r->q->id ? buf_text(&text) : "");
	buf_release(&text);
}

/* Find the profile in a response of SelectMergeStacktraces. Returns false if it is damaged. */
static bool pyro_find_profile(const struct bytes *in, const uint8_t **data, size_t *n)
{
	static const uint32_t path[] = { 5, 1 };
	struct cursor c = { in->data, in->data + in->n, NULL };

	*data = in->data;
	*n = 0;
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct field f = { 0 };

		*n = 0;
		while (cursor_field(&c, &f))
			if (f.number == path[i] && f.type == WIRE_BYTES) {
				*data = f.data;
				*n = f.n;
			}
		if (c.error)
			return false;
		c = (struct cursor){ *data, *data + *n, NULL };
	}
	return true;
}

/* Ask for the sum of a profile type in at most a day. out: NULL if there is none. */
static int pyro_fetch(struct pyro_reader *r, const char *id, const struct pyro_span *span, struct profile **out)
{
	const struct format_options limits = { 0 }; /* the options of the request have the limit */
	struct buf body = { 0 };
	struct bytes bytes = { 0 };
	const uint8_t *data = NULL;
	size_t n = 0;
	long status;
	int rc;

	pyro_put_query(r, id, span, false, &body);
	rc = pyro_call(r->s, "SelectMergeProfile", &body, r->stop, &bytes, &status, r->err);
	data = bytes.data;
	n = bytes.n;
	if (rc < 0 && (status == NOT_FOUND || status == NOT_IMPLEMENTED)) {
		body.len = 0;
		pyro_put_query(r, id, span, true, &body);
		rc = pyro_call(r->s, "SelectMergeStacktraces", &body, r->stop, &bytes, &status, r->err);
		if (rc == 0 && !pyro_find_profile(&bytes, &data, &n))
			rc = err_set(r->err, ERR_FORMAT, "%s: the response is damaged", buf_text(&r->s->name));
	}
	*out = NULL;
	if (rc == 0 && n) {
		rc = pprof_read(data, n, &limits, out, r->err);
		if (rc < 0)
			err_wrap(r->err, "%s", buf_text(&r->s->name));
	}
	free(bytes.data);
	buf_release(&body);
	return rc;
}

/* Add the sum of a profile type in the window, day by day. */
static int pyro_add_window(struct pyro_reader *r, const char *id)
{
	int rc = 0;

	for (int64_t at = r->span.start_ms; rc == 0 && at <= r->span.end_ms; at += PYRO_DAY_MS) {
		struct pyro_span day = { at,
					 r->span.end_ms - at < PYRO_DAY_MS ? r->span.end_ms : at + PYRO_DAY_MS - 1 };
		struct profile *p;

		rc = pyro_fetch(r, id, &day, &p);
		if (rc < 0 || !p)
			continue;
		rc = pyro_sum_add(&r->sum, p, r->keep, r->err);
	}
	return rc;
}

/* Add the sum of a profile type, for each combination of the labels to keep. */
static int pyro_add_column(struct pyro_reader *r, const char *id)
{
	struct strtab *seen;
	int rc = 0;

	if (!r->q->n_keep)
		return pyro_add_window(r, id);
	seen = strtab_new();
	for (size_t i = 0; rc == 0 && i < r->sets.n_sets; i++) {
		struct buf key = { 0 };
		str_id before = strtab_count(seen);

		r->keep = pyro_keep_of(r->q, &r->sets.set[i], r->sets.memory);
		for (size_t k = 0; k < r->q->n_keep; k++)
			buf_add(&key, r->keep[k].value, strlen(r->keep[k].value) + 1);
		if (strtab_add(seen, key.data, key.len) >= before)
			rc = pyro_add_window(r, id);
		buf_release(&key);
	}
	r->keep = NULL;
	strtab_free(seen);
	return rc;
}

static int pyro_read_parts(struct pyro_reader *r)
{
	const struct pyro_sets *sets = &r->sets;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sets->n_columns; i++) {
		rc = pyro_add_column(r, sets->column[i].id);
		if (rc == 0 &&
		    (i + 1 == sets->n_columns || strcmp(sets->column[i].type, sets->column[i + 1].type) != 0 ||
		     strcmp(sets->column[i].unit, sets->column[i + 1].unit) != 0))
			pyro_sum_end(&r->sum, sets->column[i].type, false);
	}
	return rc;
}

static int pyro_read(struct store *store, const struct store_query *q, struct stop *stop, struct profile **out,
		     struct store_sum *sum, struct err *err)
{
	struct pyro_reader r = { .s = (struct pyro_store *)store, .q = q, .stop = stop, .err = err };
	struct profile *p = NULL;
	int rc = pyro_check_query(q, "Pyroscope", err);

	pyro_sum_init(&r.sum, q, "Pyroscope", buf_text(&r.s->name), stop);
	if (rc == 0)
		rc = pyro_find_span(r.s, q, stop, &r.span, err);
	if (rc == 0)
		rc = pyro_read_sets(r.s, q, &r.span, stop, &r.sets, err);
	rc = rc == 0 ? pyro_read_parts(&r) : rc;
	rc = rc < 0 ? rc : pyro_sum_finish(&r.sum, &p, err);
	if (rc == 0) {
		if (p->meta.time_ns >= r.span.end_ms * NS_PER_MS) /* Pyroscope 2 sets the end of the window */
			p->meta.time_ns = r.span.start_ms * NS_PER_MS;
		pyro_sum_describe(&r.sum, &r.sets, &r.span, sum);
		*out = p;
	}
	pyro_sum_release(&r.sum);
	pyro_sets_release(&r.sets);
	return rc;
}

/* ---- the other functions ---- */

static int pyro_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	(void)s, (void)q, (void)out, (void)err;
	return 0; /* labels of samples are labels of series there */
}

static int pyro_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			      void *arg, struct err *err)
{
	(void)s, (void)q, (void)stop, (void)fn, (void)arg;
	return err_set(err, ERR_USAGE,
		       "Pyroscope has no snapshots of counters; clients send increases, which are sums here");
}

static int pyro_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
			     void *arg, struct err *err)
{
	(void)s, (void)q, (void)stop, (void)fn, (void)arg;
	return err_set(err, ERR_USAGE, "Pyroscope has sums only, not single profiles");
}

static const struct store_backend pyro_backend = {
	.close = summed_close,
	.read = pyro_read,
	.describe_samples = pyro_describe_samples,
	.list = pyro_list,
	.totals = pyro_totals,
	.each_increase = pyro_each_increase,
	.each_profile = pyro_each_profile,
	.each_series = pyro_each_series,
	.each_mark = summed_each_mark,
	.each_pin = summed_each_pin,
};

int pyro_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err)
{
	return summed_open(&pyro_backend, url, PYRO_PREFIX, options, out, err);
}
