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
#include "profile/edit.h"
#include "profile/merge.h"
#include "store/instance.h"
#include "store/pyroscope/message.h"
#include "store/pyroscope/names.h"
#include "store/pyroscope/server_int.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_FOUND = 404, NOT_IMPLEMENTED = 501 };

#define PYRO_PREFIX "pyroscope+"

/* ---- requests ---- */

int pyro_call(struct pyro_store *s, const char *method, const struct buf *body, struct stop *stop, struct bytes *out,
	      long *status, struct err *err)
{
	struct buf path = { 0 };
	struct ask ask = {
		.server = s->server, .body = buf_text(body), .n_body = body->len, .content_type = "application/proto"
	};
	int rc;

	buf_addf(&path, "/querier.v1.QuerierService/%s", method);
	ask.path = path.data;
	rc = ask_server(&ask, &s->options, stop, out, status, err);
	buf_release(&path);
	return rc;
}

/* ---- queries ---- */

int pyro_check_query(const struct store_query *q, struct err *err)
{
	if (q->pin && *q->pin)
		return err_set(err, ERR_USAGE, "Pyroscope has no pins");
	if (q->tier != TIER_RAW)
		return err_set(err, ERR_USAGE, "Pyroscope has no tiers; leave out +tier");
	if (q->limit)
		return err_set(err, ERR_USAGE, "Pyroscope has sums only, not single profiles; leave out +limit");
	if (q->reduce != REDUCE_DEFAULT && q->reduce != REDUCE_SUM && q->reduce != REDUCE_INCREASE)
		return err_set(err, ERR_USAGE,
			       "Pyroscope adds up profiles; of +reduce only sum and increase are possible");
	return 0;
}

/* Append a pattern with * and ? as an expression. */
static void pyro_add_pattern(const char *pattern, struct buf *out)
{
	for (; *pattern; pattern++)
		if (*pattern == '*' || *pattern == '?')
			buf_addz(out, *pattern == '*' ? ".*" : ".");
		else
			buf_addf(out, strchr("\\.+()|[]{}^$", *pattern) ? "\\%c" : "%c", *pattern);
}

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

/* What is added up, and the results so far. */
struct pyro_reader {
	struct pyro_store *s;
	const struct store_query *q;
	struct stop *stop;
	struct pyro_span span;
	struct pyro_sets sets;
	const struct store_label *keep; /* [q->n_keep] the labels that samples get, of the current request */
	struct merger *merger;          /* NULL: no profile, or only `first` */
	struct profile *first;          /* the only profile so far */
	struct profile **part;          /* [n_parts] a profile per sample type */
	size_t n_parts;
	struct buf gauges; /* names of columns that are left out */
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

static int pyro_set_labels(struct pyro_reader *r, struct profile *p)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && r->keep && i < r->q->n_keep; i++)
		if (*r->keep[i].value)
			rc = profile_set_label(p, r->q->keep[i], r->keep[i].value, r->err);
	return rc;
}

/* Add a profile to the sum of its type. Takes it over. */
static int pyro_add(struct pyro_reader *r, struct profile *p)
{
	const struct profile *one[1] = { r->first };
	int rc = 0;

	if (!r->first && !r->merger) {
		r->first = p;
		return 0;
	}
	if (!r->merger) {
		r->merger = merger_new(false);
		merger_set_stop(r->merger, r->stop);
		rc = merger_add(r->merger, one, NULL, 1, r->err);
		profile_free(r->first);
		r->first = NULL;
	}
	one[0] = p;
	rc = rc < 0 ? rc : merger_add(r->merger, one, NULL, 1, r->err);
	profile_free(p);
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
		if (p->n_types != 1) {
			rc = err_set(r->err, ERR_FORMAT, "%s: the response has %u sample types instead of one",
				     buf_text(&r->s->name), p->n_types);
			profile_free(p);
			continue;
		}
		if (p->n_rows == 0) {
			profile_free(p);
			continue;
		}
		rc = pyro_set_labels(r, p);
		if (rc < 0)
			profile_free(p);
		else
			rc = pyro_add(r, p);
	}
	return rc;
}

/* The values of the labels to keep of a series: "" for those it lacks. */
static const struct store_label *pyro_keep_of(const struct pyro_reader *r, const struct pyro_set *set)
{
	struct store_label *keep = arena_alloc(r->sets.memory, r->q->n_keep, sizeof(*keep));

	for (size_t i = 0; i < r->q->n_keep; i++) {
		keep[i] = (struct store_label){ r->q->keep[i],
						strcmp(r->q->keep[i], "service") == 0 ? set->service : "" };
		for (size_t k = 0; k < set->n_labels; k++)
			if (strcmp(set->label[k].name, keep[i].name) == 0)
				keep[i].value = set->label[k].value;
	}
	return keep;
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

		r->keep = pyro_keep_of(r, &r->sets.set[i]);
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

/* End the sum of a sample type: keep it, unless it has no meaning. */
static void pyro_end_part(struct pyro_reader *r, const struct pyro_column *c)
{
	struct profile *p = r->merger ? merger_finish(r->merger) : r->first;

	merger_free(r->merger);
	r->merger = NULL;
	r->first = NULL;
	if (p && r->q->reduce != REDUCE_SUM && profile_temporality(p, 0) == TEMPORALITY_GAUGE) {
		buf_addf(&r->gauges, "%s%s", r->gauges.len ? ", " : "", c->type);
		profile_free(p);
	} else if (p) {
		r->part[r->n_parts++] = p;
	}
}

static int pyro_read_parts(struct pyro_reader *r)
{
	const struct pyro_sets *sets = &r->sets;
	int rc = 0;

	r->part = mem_zalloc(sets->n_columns + 1, sizeof(struct profile *));
	for (size_t i = 0; rc == 0 && i < sets->n_columns; i++) {
		rc = pyro_add_column(r, sets->column[i].id);
		if (rc == 0 &&
		    (i + 1 == sets->n_columns || strcmp(sets->column[i].type, sets->column[i + 1].type) != 0 ||
		     strcmp(sets->column[i].unit, sets->column[i + 1].unit) != 0))
			pyro_end_part(r, &sets->column[i]);
	}
	return rc;
}

/* Give a profile with one sample type those of all parts, with values of 0. */
static void pyro_widen(const struct pyro_reader *r, size_t own)
{
	struct profile *p = r->part[own];
	struct value_type *type = arena_alloc(p->mem, r->n_parts, sizeof(*type));
	int64_t **value = arena_alloc(p->mem, r->n_parts, sizeof(*value));

	for (size_t i = 0; i < r->n_parts; i++) {
		const struct profile *from = r->part[i];

		type[i].name = strtab_addz(p->str, profile_text(from, from->type[i < own ? i : 0].name));
		type[i].unit = strtab_addz(p->str, profile_text(from, from->type[i < own ? i : 0].unit));
		value[i] = i == own ? p->value[0] : arena_zalloc(p->mem, p->n_rows, sizeof(**value));
	}
	p->n_types = (uint32_t)r->n_parts;
	p->type = type;
	p->value = value;
	p->meta.default_type = 0;
}

/* Make one profile of the parts. Takes them over. */
static int pyro_join(struct pyro_reader *r, struct profile **out)
{
	struct profile_meta meta;
	int rc;

	if (r->n_parts == 1) {
		*out = r->part[0];
		r->n_parts = 0;
		return 0;
	}
	meta = r->part[0]->meta;
	for (size_t i = 0; i < r->n_parts; i++)
		pyro_widen(r, i);
	rc = profile_merge((const struct profile *const *)r->part, r->n_parts, out, r->err);
	if (rc == 0) {
		(*out)->meta.time_ns = meta.time_ns;
		(*out)->meta.duration_ns = meta.duration_ns; /* not once per column */
	}
	return rc;
}

static int pyro_fail_empty(const struct pyro_reader *r)
{
	struct buf span = { 0 };
	int rc;

	if (r->gauges.len)
		return err_set(
			r->err, ERR_USAGE,
			"%s: Pyroscope adds up all snapshots of a gauge, and has no mean; +reduce=sum reads the sum",
			buf_text(&r->gauges));
	time_add_span(&span, r->q->t0, r->q->t1);
	rc = err_set(r->err, ERR_IO, "nothing of %s/%s in %s on %s", r->q->service, r->q->kind, buf_text(&span),
		     buf_text(&r->s->name));
	buf_release(&span);
	return rc;
}

/* The place where a series comes from: the value of a usual label, else all labels, of which some may be of samples. */
static void pyro_name_instance(const struct pyro_set *set, struct buf *name)
{
	static const char *const labels[] = { "instance", "pod", "hostname", "host" };

	instance_begin(name, set->service);
	for (size_t l = 0; l < sizeof(labels) / sizeof(labels[0]); l++)
		for (size_t k = 0; k < set->n_labels; k++)
			if (strcmp(set->label[k].name, labels[l]) == 0) {
				instance_add(name, labels[l], set->label[k].value);
				return;
			}
	for (size_t k = 0; k < set->n_labels; k++)
		instance_add(name, set->label[k].name, set->label[k].value);
}

static void pyro_describe(const struct pyro_reader *r, struct store_sum *sum)
{
	struct strtab *instances = strtab_new();
	struct buf name = { 0 };

	for (size_t i = 0; i < r->sets.n_sets; i++) {
		pyro_name_instance(&r->sets.set[i], &name);
		strtab_add(instances, name.data, name.len);
	}
	*sum = (struct store_sum){ .series = (uint32_t)r->sets.n_sets,
				   .instances = strtab_count(instances) - 1,
				   .first_ns = r->span.start_ms * NS_PER_MS,
				   .last_ns = r->span.end_ms * NS_PER_MS,
				   .tiers = 1U << TIER_RAW };
	if (r->gauges.len)
		buf_addf(&sum->notes,
			 "store: %s left out: Pyroscope adds up all snapshots of a gauge; +reduce=sum reads the sum\n",
			 buf_text(&r->gauges));
	strtab_free(instances);
	buf_release(&name);
}

static int pyro_read(struct store *store, const struct store_query *q, struct stop *stop, struct profile **out,
		     struct store_sum *sum, struct err *err)
{
	struct pyro_reader r = { .s = (struct pyro_store *)store, .q = q, .stop = stop, .err = err };
	struct profile *p = NULL;
	int rc = pyro_check_query(q, err), empty = 0;

	if (rc == 0)
		rc = empty = pyro_find_span(r.s, q, stop, &r.span, err);
	if (rc == 0)
		rc = pyro_read_sets(r.s, q, &r.span, stop, &r.sets, err);
	rc = rc == 0 ? pyro_read_parts(&r) : rc;
	if (rc > 0 || (rc == 0 && (empty || r.n_parts == 0)))
		rc = pyro_fail_empty(&r);
	rc = rc == 0 ? pyro_join(&r, &p) : rc;
	if (rc == 0) {
		if (p->meta.time_ns >= r.span.end_ms * NS_PER_MS) /* Pyroscope 2 sets the end of the window */
			p->meta.time_ns = r.span.start_ms * NS_PER_MS;
		pyro_describe(&r, sum);
		*out = p;
	}
	merger_free(r.merger);
	profile_free(r.first);
	for (size_t i = 0; i < r.n_parts; i++)
		profile_free(r.part[i]);
	free(r.part);
	pyro_sets_release(&r.sets);
	buf_release(&r.gauges);
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

static int pyro_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
			  void *arg, struct err *err)
{
	(void)s, (void)service, (void)is_pattern, (void)kind, (void)fn, (void)arg, (void)err;
	return 0;
}

static int pyro_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	(void)s, (void)fn, (void)arg, (void)err;
	return 0;
}

static void pyro_close_store(struct store *store)
{
	struct pyro_store *s = (struct pyro_store *)store;

	buf_release(&store->damage);
	buf_release(&s->name);
	free(s->server);
	free(s);
}

static const struct store_backend pyro_backend = {
	.close = pyro_close_store,
	.read = pyro_read,
	.describe_samples = pyro_describe_samples,
	.list = pyro_list,
	.totals = pyro_totals,
	.each_increase = pyro_each_increase,
	.each_profile = pyro_each_profile,
	.each_series = pyro_each_series,
	.each_mark = pyro_each_mark,
	.each_pin = pyro_each_pin,
};

int pyro_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err)
{
	const char *server = url + (starts_with(url, PYRO_PREFIX) ? strlen(PYRO_PREFIX) : 0);
	struct pyro_store *s;
	struct url parsed;
	int rc = url_parse(server, 0, &parsed, err);

	if (rc < 0)
		return rc;
	s = mem_zalloc(1, sizeof(*s));
	s->store.backend = &pyro_backend;
	s->server = mem_strndup(server, strlen(server));
	url_redact(server, &s->name);
	url_release(&parsed);
	s->options = *options;
	s->options.stays_on_server = true;
	*out = &s->store;
	return 0;
}
