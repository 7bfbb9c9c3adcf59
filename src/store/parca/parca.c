/*
 * parca.c - the backend of servers of Parca: requests and sums
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From proto/parca/query/v1alpha1 of Parca, and its gateway for JSON. The response of a merge has one sample type whose name may be
 * wrong, no duration, and a wrong time, so these are set here.
 */
#include "config.h"

#include "store/parca/parca.h"

#include "base/base64.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "fetch/ask.h"
#include "formats/common/format.h"
#include "formats/pprof/pprof.h"
#include "profile/profile.h"
#include "profile/temporality.h"
#include "store/parca/parca_int.h"
#include "store/pyroscope/names.h"

#include <stdlib.h>
#include <string.h>

#define PARCA_PREFIX "parca+"

/* ---- requests ---- */

int parca_get(struct parca_call *c, const char *path, struct bytes *out, long *status)
{
	const struct fetch_ask ask = { .server = c->s->server, .path = path };

	return fetch_ask(&ask, &c->s->options, c->stop, out, status, c->err);
}

int parca_damaged(struct parca_call *c, struct jsonr *r)
{
	struct err own = *c->err;

	jsonr_release(r);
	return err_set(c->err, ERR_FORMAT, "%s: the response is damaged: %.500s", buf_text(&c->s->name), own.msg);
}

void parca_add_field(struct buf *path, const char *name, const char *value)
{
	buf_addf(path, "%s%s=", strchr(buf_text(path), '?') ? "&" : "?", name);
	url_escape(value, strlen(value), URL_QUERY, path);
}

void parca_add_time(struct buf *path, const char *name, int64_t ms)
{
	struct buf text = { 0 };

	time_add_exact(&text, ms * NS_PER_MS);
	parca_add_field(path, name, buf_text(&text));
	buf_release(&text);
}

static const char *parca_label(const struct parca_call *c, const char *name)
{
	return strcmp(name, "service") == 0 ? c->service_label : name;
}

void parca_add_query(const struct parca_call *c, const char *name, const char *id, struct buf *path)
{
	const struct store_query *q = c->q;
	struct buf text = { 0 }, pattern = { 0 };

	buf_addf(&text, "%s{", id);
	if (!q->is_pattern || strcmp(q->service, "*") != 0) {
		pyro_add_pattern(q->service, &pattern);
		pyro_add_match(c->service_label, q->is_pattern ? MATCH_REGEX : MATCH_EQUAL,
			       q->is_pattern ? buf_text(&pattern) : q->service, &text);
	}
	for (size_t i = 0; i < q->n_match + (c->keep ? q->n_keep : 0); i++) {
		if (text.data[text.len - 1] != '{')
			buf_addz(&text, ",");
		if (i < q->n_match)
			pyro_add_match(parca_label(c, q->match[i].name), q->match[i].op, q->match[i].value, &text);
		else
			pyro_add_match(parca_label(c, c->keep[i - q->n_match].name), MATCH_EQUAL,
				       c->keep[i - q->n_match].value, &text);
	}
	buf_addz(&text, "}");
	parca_add_field(path, name, buf_text(&text));
	buf_release(&text);
	buf_release(&pattern);
}

/* ---- profile types and labels ---- */

/* Read a profile type, and add it if it has the kind, which may be "". */
static void parca_read_type(struct parca_call *c, const char *kind, struct jsonr *r)
{
	static const char *const keys[] = { "name", "sampleType", "sampleUnit", "periodType", "periodUnit" };
	enum { N_KEYS = sizeof(keys) / sizeof(keys[0]) };
	const char *text[N_KEYS] = { "", "", "", "", "" }, *own;
	bool is_delta = false;
	struct buf id = { 0 };

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		size_t k = 0;

		while (k < N_KEYS && !jsonr_is(r, keys[k]))
			k++;
		if (k < N_KEYS && jsonr_string(r))
			text[k] = arena_strndup(c->sets.memory, r->text, r->len);
		else if (k == N_KEYS && jsonr_is(r, "delta"))
			jsonr_bool(r, &is_delta);
		else if (k == N_KEYS)
			jsonr_skip(r);
	}
	own = pyro_kind_of_name(text[0]);
	if (r->rc < 0 || (*kind && strcmp(kind, own ? own : text[0]) != 0))
		return;
	buf_addf(&id, "%s:%s:%s:%s:%s%s", text[0], text[1], text[2], text[3], text[4], is_delta ? ":delta" : "");
	pyro_sets_add_column(&c->sets, arena_move(c->sets.memory, &id), text[1], text[2], is_delta);
}

/* Reads an element of a list. */
typedef void parca_element_fn(struct parca_call *c, const char *kind, struct jsonr *r);

/* Read the list "member" of the response to a path, in the window. */
static int parca_read_list(struct parca_call *c, const char *list, const char *member, const char *kind,
			   parca_element_fn *fn)
{
	struct buf path = { 0 };
	struct bytes bytes = { 0 };
	struct jsonr r;
	long status;
	int rc;

	buf_addz(&path, list);
	parca_add_time(&path, "start", c->span.start_ms - 1); /* here, the ends are outside of the window */
	parca_add_time(&path, "end", c->span.end_ms + 1);
	rc = parca_get(c, buf_text(&path), &bytes, &status);
	buf_release(&path);
	if (rc < 0)
		return rc;
	jsonr_init(&r, bytes.data, bytes.n, JSONR_DEPTH, c->err);
	if (jsonr_open(&r, JSONR_OBJECT)) {
		while (jsonr_key(&r))
			if (!jsonr_is(&r, member))
				jsonr_skip(&r);
			else if (jsonr_open(&r, JSONR_ARRAY))
				while (jsonr_item(&r))
					fn(c, kind, &r);
	}
	rc = r.rc < 0 ? parca_damaged(c, &r) : 0;
	jsonr_release(&r);
	free(bytes.data);
	return rc;
}

/*
 * Parca multiplies samples of CPU profiles by the period, and returns them as nanoseconds. So this type is left out beside cpu, and
 * has its name if it is alone, as that of Parca's agent.
 */
static void parca_drop_samples(struct pyro_sets *s)
{
	struct pyro_column *c = s->column;

	if (!s->n_columns || strcmp(c->type, "samples") != 0 || !strstr(c->id, ":samples:count:cpu:nanoseconds"))
		return;
	for (size_t i = 1; i < s->n_columns; i++)
		if (strcmp(c[i].type, "cpu") == 0) {
			memmove(c, c + 1, --s->n_columns * sizeof(*c));
			return;
		}
	c->type = "cpu";
	c->unit = "nanoseconds";
}

static void parca_read_name(struct parca_call *c, const char *kind, struct jsonr *r)
{
	(void)kind;
	if (!jsonr_string(r))
		return;
	if (c->n_names == PARCA_NAMES_MAX) {
		jsonr_fail(r, ERR_LIMIT, "more than %d names of labels", PARCA_NAMES_MAX);
		return;
	}
	c->name = mem_grow(c->name, &c->cap_names, c->n_names + 1, sizeof(*c->name));
	c->name[c->n_names++] = arena_strndup(c->sets.memory, r->text, r->len);
}

/* The label that names services. */
static const char *parca_find_service(const struct parca_call *c)
{
	const char *found = "service_name";

	for (size_t i = 0; i < c->n_names; i++) {
		if (strcmp(c->name[i], "service_name") == 0)
			return c->name[i];
		if (strcmp(c->name[i], "job") == 0)
			found = c->name[i];
	}
	return found;
}

int parca_begin(struct parca_call *c, const char *kind)
{
	int64_t now_ms = clock_wall_ns() / NS_PER_MS;
	int rc = pyro_check_query(c->q, "Parca", c->err);

	if (rc == 0 && c->q->id)
		rc = err_set(c->err, ERR_USAGE, "Parca has sums only, not single profiles; leave out +id");
	pyro_sets_init(&c->sets);
	c->service_label = "service_name";
	c->span.start_ms = c->q->t0 > 0 ? (c->q->t0 - 1) / NS_PER_MS + 1 : 1;
	c->span.end_ms = c->q->t1 != INT64_MAX ? (c->q->t1 - 1) / NS_PER_MS : now_ms;
	rc = rc < 0 ? rc : parca_read_list(c, "/api/profiles/types", "types", kind, parca_read_type);
	rc = rc < 0 ? rc : parca_read_list(c, "/api/profiles/labels", "labelNames", kind, parca_read_name);
	pyro_sets_sort(&c->sets);
	if (rc == 0)
		c->service_label = parca_find_service(c);
	parca_drop_samples(&c->sets);
	return rc == 0 && (!c->sets.n_columns || c->span.end_ms < c->span.start_ms) ? 1 : rc;
}

void parca_end(struct parca_call *c)
{
	free(c->name);
	pyro_sets_release(&c->sets);
}

/* ---- sums ---- */

/* Read the profile that a response contains as base64. out: NULL if there is none. */
static int parca_read_profile(struct parca_call *c, struct jsonr *r, struct profile **out)
{
	const struct format_options limits = { 0 }; /* the options of the request have the limit */
	struct bytes packed = { 0 }, plain = { 0 };
	int rc = 0;

	if (!jsonr_string(r) || r->len == 0)
		return 0;
	packed.data = mem_alloc(r->len / 4 * 3 + 3, 1);
	if (!base64_decode(r->text, r->len, packed.data, &packed.n)) {
		free(packed.data);
		return err_set(c->err, ERR_FORMAT, "%s: the profile is not base64", buf_text(&c->s->name));
	}
	rc = format_inflate(&packed, &limits, &plain, c->err);
	if (rc == 0 && plain.n)
		rc = pprof_read(plain.data, plain.n, &limits, out, c->err);
	free(plain.data);
	return rc < 0 ? err_wrap(c->err, "%s", buf_text(&c->s->name)) : 0;
}

static int parca_fetch(struct parca_call *c, const struct pyro_column *column, struct profile **out)
{
	struct buf path = { 0 };
	struct bytes bytes = { 0 };
	struct jsonr r;
	long status;
	int rc;

	*out = NULL;
	buf_addz(&path, "/api/profiles/query?mode=MODE_MERGE&report_type=REPORT_TYPE_PPROF");
	parca_add_query(c, "merge.query", column->id, &path);
	parca_add_time(&path, "merge.start", c->span.start_ms);
	parca_add_time(&path, "merge.end", c->span.end_ms);
	rc = parca_get(c, buf_text(&path), &bytes, &status);
	buf_release(&path);
	if (rc < 0)
		return rc;
	jsonr_init(&r, bytes.data, bytes.n, JSONR_DEPTH, c->err);
	if (jsonr_open(&r, JSONR_OBJECT)) {
		while (rc == 0 && jsonr_key(&r))
			if (jsonr_is(&r, "pprof") && !*out)
				rc = parca_read_profile(c, &r, out);
			else
				jsonr_skip(&r);
	}
	if (rc == 0 && r.rc < 0)
		rc = parca_damaged(c, &r);
	jsonr_release(&r);
	free(bytes.data);
	if (rc < 0) {
		profile_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Add the sum of a profile type, of the labels to keep. */
static int parca_add_column(struct parca_call *c, const struct pyro_column *column, struct pyro_sum *sum)
{
	struct profile *p;
	int rc = parca_fetch(c, column, &p);

	if (rc < 0 || !p)
		return rc;
	if (p->n_types == 1) {
		p->type[0].name = strtab_addz(p->str, column->type);
		p->type[0].unit = strtab_addz(p->str, column->unit);
	}
	p->meta.time_ns = c->span.start_ms * NS_PER_MS;
	p->meta.duration_ns = 0;
	return pyro_sum_add(sum, p, c->keep, c->err);
}

static int parca_add_columns(struct parca_call *c, const struct pyro_column *column, struct pyro_sum *sum)
{
	struct strtab *seen = strtab_new();
	int rc = 0;

	if (!c->q->n_keep)
		rc = parca_add_column(c, column, sum);
	for (size_t i = 0; rc == 0 && c->q->n_keep && i < c->sets.n_sets; i++) {
		struct buf key = { 0 };
		str_id before = strtab_count(seen);

		c->keep = pyro_keep_of(c->q, &c->sets.set[i], c->sets.memory);
		for (size_t k = 0; k < c->q->n_keep; k++)
			buf_add(&key, c->keep[k].value, strlen(c->keep[k].value) + 1);
		if (strtab_add(seen, key.data, key.len) >= before)
			rc = parca_add_column(c, column, sum);
		buf_release(&key);
	}
	c->keep = NULL;
	strtab_free(seen);
	return rc;
}

/* Are the profiles of a type snapshots, which Parca adds up all the same? */
static bool parca_is_snapshots(const struct pyro_column *c)
{
	struct strtab *str = strtab_new();
	struct value_type type = { strtab_addz(str, c->type), strtab_addz(str, c->unit) };
	const struct profile p = { .str = str, .n_types = 1, .type = &type };
	bool yes = !c->is_delta && profile_temporality(&p, 0) != TEMPORALITY_DELTA;

	strtab_free(str);
	return yes;
}

static int parca_read(struct store *store, const struct store_query *q, struct stop *stop, struct profile **out,
		      struct store_sum *sum, struct err *err)
{
	struct parca_call c = { .s = (struct pyro_store *)store, .q = q, .stop = stop, .err = err };
	struct pyro_sum total;
	int rc;

	pyro_sum_init(&total, q, "Parca", buf_text(&c.s->name), stop);
	rc = parca_begin(&c, q->kind);
	if (rc == 0)
		rc = parca_add_sets(&c, &c.sets.column[c.sets.n_columns - 1]);
	for (size_t i = 0; rc == 0 && i < c.sets.n_columns; i++) {
		const struct pyro_column *column = &c.sets.column[i], *next = column + 1;

		rc = parca_add_columns(&c, column, &total);
		if (rc == 0 && (i + 1 == c.sets.n_columns || strcmp(column->type, next->type) != 0 ||
				strcmp(column->unit, next->unit) != 0))
			pyro_sum_end(&total, column->type, parca_is_snapshots(column));
	}
	rc = rc < 0 ? rc : pyro_sum_finish(&total, out, err);
	if (rc == 0)
		pyro_sum_describe(&total, &c.sets, &c.span, sum);
	pyro_sum_release(&total);
	parca_end(&c);
	return rc;
}

/* ---- the other functions ---- */

static int parca_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err)
{
	(void)s, (void)q, (void)out, (void)err;
	return 0; /* conditions are on labels of series; Parca selects no samples */
}

static int parca_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			       void *arg, struct err *err)
{
	(void)s, (void)q, (void)stop, (void)fn, (void)arg;
	return err_set(err, ERR_USAGE, "Parca has no increases of counters");
}

static int parca_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn,
			      void *arg, struct err *err)
{
	(void)s, (void)q, (void)stop, (void)fn, (void)arg;
	return err_set(err, ERR_USAGE, "Parca is read in sums only, not in single profiles");
}

static const struct store_backend parca_backend = {
	.close = summed_close,
	.read = parca_read,
	.describe_samples = parca_describe_samples,
	.list = parca_list,
	.totals = parca_totals,
	.each_increase = parca_each_increase,
	.each_profile = parca_each_profile,
	.each_series = parca_each_series,
	.each_mark = summed_each_mark,
	.each_pin = summed_each_pin,
};

int parca_store_open(const char *url, const struct fetch_options *options, struct store **out, struct err *err)
{
	return summed_open(&parca_backend, url, PARCA_PREFIX, options, out, err);
}
