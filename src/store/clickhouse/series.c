/*
 * series.c - the series of services in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "profile/keys.h"
#include "store/clickhouse/click_int.h"
#include "store/instance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int click_compare_series(const void *a, const void *b)
{
	const struct click_series *x = a, *y = b;
	int order = strcmp(x->service, y->service);

	if (order == 0)
		order = strcmp(x->kind, y->kind);
	return order ? order : memcmp(x->hash, y->hash, sizeof(x->hash));
}

void click_forget(struct click_store *c)
{
	arena_free(c->memory);
	c->memory = NULL;
	c->n_series = c->n_repeated = 0;
	c->is_loaded = false;
	c->service = NULL;
}

static const char *click_keep_text(struct click_store *c, struct click_rows *r)
{
	size_t n;
	const char *text = click_get_text(r, &n);

	return arena_strndup(c->memory, text, n);
}

static void click_take_series(struct click_store *c, struct click_rows *r)
{
	struct click_series *s;
	const uint8_t *hash;
	size_t n, n_values;

	c->series = mem_grow(c->series, &c->cap_series, c->n_series + 1, sizeof(*c->series));
	s = &c->series[c->n_series];
	*s = (struct click_series){ .service = click_keep_text(c, r) };
	s->kind = click_keep_text(c, r);
	hash = click_get_bytes(r, sizeof(s->hash));
	if (hash)
		memcpy(s->hash, hash, sizeof(s->hash));
	n = click_get_count(r, 1);
	s->label = arena_alloc(c->memory, n + 1, sizeof(*s->label));
	for (size_t i = 0; i < n; i++)
		s->label[i] = (struct store_label){ click_keep_text(c, r), "" };
	n_values = click_get_count(r, 1);
	for (size_t i = 0; i < n_values && i < n; i++)
		s->label[i].value = click_keep_text(c, r);
	s->n_labels = n;
	r->is_bad |= n_values != n;
	c->n_series += !r->is_bad;
}

enum { LABELS_LISTED = 1000 };

/* Append a condition that the services of a query satisfy; others may too. */
static void click_add_service(const char *service, bool is_pattern, struct buf *sql)
{
	struct buf like = { 0 };

	for (const char *at = service; at && is_pattern && *at; at++) {
		if (*at == '*' || *at == '?') {
			buf_addz(&like, "%");
			continue;
		}
		if (strchr("%_\\", *at))
			buf_addz(&like, "\\");
		buf_add(&like, at, 1);
	}
	if (!service) {
		buf_addz(sql, "1");
	} else {
		buf_addz(sql, is_pattern ? "service LIKE " : "service = ");
		click_add_text(sql, is_pattern ? buf_text(&like) : service);
	}
	buf_release(&like);
}

/* Find the days of batches that are not complete, or took several tries. */
static int click_load_repeated(struct click_store *c, struct err *err)
{
	static const char sql[] = "SELECT toUInt16(day) FROM (SELECT day, batch, max(is_done) AS done, max(tries) AS n "
				  "FROM batches GROUP BY day, "
				  "batch) WHERE done = 0 OR n > 1 GROUP BY day ORDER BY day FORMAT RowBinary";
	struct bytes bytes = { 0 };
	struct click_rows r;
	int rc = click_server_ask(&c->server, sql, true, c->stop, &bytes, err);

	if (rc < 0)
		return rc;
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; click_has_row(&r);) {
		c->repeated = mem_grow(c->repeated, &c->cap_repeated, c->n_repeated + 1, sizeof(*c->repeated));
		c->repeated[c->n_repeated++] = click_get_u16(&r);
	}
	free(bytes.data);
	return 0;
}

int click_load_series(struct click_store *c, const char *service, bool is_pattern, struct err *err)
{
	const struct store_query q = { .service = service, .is_pattern = is_pattern };
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	size_t kept = 0;
	int rc;

	if (c->is_loaded && c->is_pattern == is_pattern &&
	    (service == c->service || (service && c->service && strcmp(service, c->service) == 0)))
		return 0;
	click_forget(c);
	c->memory = arena_new();
	buf_addz(&sql, "SELECT service, kind, series, any(label_names), any(label_values) FROM series WHERE ");
	click_add_service(service, is_pattern, &sql);
	buf_addz(&sql, " GROUP BY service, kind, series FORMAT RowBinary");
	rc = click_server_ask(&c->server, buf_text(&sql), true, c->stop, &bytes, err);
	buf_release(&sql);
	if (rc < 0)
		return rc;
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; click_has_row(&r);)
		click_take_series(c, &r);
	free(bytes.data);
	if (r.is_bad)
		return err_set(err, ERR_FORMAT, "%.200s: the table series is damaged", c->server.name);
	for (size_t i = 0; i < c->n_series; i++)
		if (select_service(&q, c->series[i].service))
			c->series[kept++] = c->series[i];
	c->n_series = kept;
	if (kept)
		qsort(c->series, kept, sizeof(*c->series), click_compare_series);
	rc = click_load_repeated(c, err);
	c->is_loaded = rc == 0;
	c->is_pattern = is_pattern;
	c->service = service ? arena_strndup(c->memory, service, strlen(service)) : NULL;
	return rc;
}

size_t click_service_end(const struct click_store *c, size_t lo)
{
	size_t hi = lo + 1;

	while (hi < c->n_series && strcmp(c->series[hi].service, c->series[lo].service) == 0)
		hi++;
	return hi;
}

const struct click_series *click_find_series(const struct click_store *c, size_t lo, size_t hi, const uint8_t hash[16])
{
	while (lo < hi) { /* series of each kind are sorted */
		size_t end = lo + 1, low = lo;

		while (end < hi && strcmp(c->series[end].kind, c->series[lo].kind) == 0)
			end++;
		for (size_t high = end; low < high;) {
			size_t middle = low + (high - low) / 2;

			if (memcmp(c->series[middle].hash, hash, 16) < 0)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < end && memcmp(c->series[low].hash, hash, 16) == 0)
			return &c->series[low];
		lo = end;
	}
	return NULL;
}

/* ---- the series of a query ---- */

bool click_is_of_samples(const struct click_store *c, const struct label_match *m)
{
	if (strcmp(m->name, "service") == 0 || strcmp(m->name, "kind") == 0)
		return false;
	for (size_t i = 0; i < c->n_series; i++)
		for (size_t k = 0; k < c->series[i].n_labels; k++)
			if (strcmp(c->series[i].label[k].name, m->name) == 0)
				return false;
	return true;
}

static const char *click_label_of(const struct click_series *s, const char *name)
{
	for (size_t k = 0; k < s->n_labels; k++)
		if (strcmp(s->label[k].name, name) == 0)
			return s->label[k].value;
	if (strcmp(name, "service") == 0)
		return s->service;
	return strcmp(name, "kind") == 0 ? s->kind : "";
}

static bool click_is_kind(const struct click_series *s, const char *kind)
{
	return !kind || !*kind || strcmp(s->kind, kind) == 0;
}

/* The number of the instance of a series. */
static int click_find_instance(struct strtab *names, struct buf *name, const struct click_series *s)
{
	instance_begin(name, s->service);
	for (size_t k = 0; k < s->n_labels; k++)
		instance_add(name, s->label[k].name, s->label[k].value);
	buf_addz(name, s->kind);
	return (int)strtab_add(names, name->data, name->len);
}

int click_want_series(struct click_store *c, const struct store_query *q, struct err *err)
{
	bool *is_of_samples = mem_zalloc(q->n_match + 1, sizeof(*is_of_samples));
	uint8_t *is_wanted = mem_zalloc(c->n_series + 2, 1); /* by instance */
	struct strtab *names = strtab_new();
	struct buf name = { 0 };
	int rc = 0;

	for (size_t m = 0; m < q->n_match; m++)
		is_of_samples[m] = click_is_of_samples(c, &q->match[m]);
	for (size_t i = 0; rc >= 0 && i < c->n_series; i++) {
		struct click_series *s = &c->series[i];

		rc = click_is_kind(s, q->kind);
		for (size_t m = 0; rc > 0 && m < q->n_match; m++)
			rc = is_of_samples[m] ? 1
					      : select_match(&q->match[m], click_label_of(s, q->match[m].name), err);
		if (rc > 0)
			is_wanted[click_find_instance(names, &name, s)] = 1;
	}
	for (size_t i = 0; rc >= 0 && i < c->n_series; i++) {
		struct click_series *s = &c->series[i];

		s->is_wanted = click_is_kind(s, q->kind);
		if (s->is_wanted) {
			size_t instance = (size_t)click_find_instance(names, &name, s);

			s->is_wanted = instance <= c->n_series && is_wanted[instance];
		}
	}
	buf_release(&name);
	strtab_free(names);
	free(is_wanted);
	free(is_of_samples);
	return rc < 0 ? rc : 0;
}

/* ---- labels of samples ---- */

/* Call fn for each name, or for each value of a name. */
static int click_ask_labels(struct click_store *c, const struct store_query *q, const char *name, local_label_fn *fn,
			    void *arg, struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	struct arena *memory = arena_new();
	int rc;

	buf_addf(&sql, "SELECT name%s FROM (SELECT label_names, label_values FROM stacks WHERE ",
		 name ? ", value" : "");
	click_add_service(q->service, q->is_pattern, &sql);
	buf_addf(&sql, ") ARRAY JOIN label_names AS name%s", name ? ", label_values AS value WHERE name = " : "");
	if (name)
		click_add_text(&sql, name);
	buf_addf(&sql, " GROUP BY name%s LIMIT %d FORMAT RowBinary", name ? ", value" : "", LABELS_LISTED);
	rc = click_server_ask(&c->server, buf_text(&sql), true, c->stop, &bytes, err);
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; rc == 0 && click_has_row(&r);) {
		size_t n, n_value = 0;
		const char *text = click_get_text(&r, &n), *value = name ? click_get_text(&r, &n_value) : NULL;

		if (!r.is_bad)
			fn(arg, arena_strndup(memory, text, n), value ? arena_strndup(memory, value, n_value) : NULL);
	}
	arena_free(memory);
	free(bytes.data);
	buf_release(&sql);
	return rc;
}

int click_each_label(struct store *s, const struct store_query *q, const char *wanted, local_label_fn *fn, void *arg,
		     struct err *err)
{
	int rc = click_ask_labels(click_of(s), q, NULL, fn, arg, err);

	return rc < 0 ? rc : click_ask_labels(click_of(s), q, wanted, fn, arg, err);
}

/* ---- as a catalogue ---- */

/* Find the first and last start of each series. The caller frees *span: [c->n_series][2]; INT64_MAX, INT64_MIN without profiles. */
static int click_load_spans(struct click_store *c, int64_t (**span)[2], struct err *err)
{
	struct buf sql = { 0 };
	struct bytes bytes = { 0 };
	struct click_rows r;
	int rc;

	*span = mem_alloc(c->n_series + 1, sizeof(**span));
	for (size_t i = 0; i < c->n_series; i++) {
		(*span)[i][0] = INT64_MAX;
		(*span)[i][1] = INT64_MIN;
	}
	buf_addz(&sql, "SELECT series, min(ts), max(ts) FROM profiles WHERE ");
	click_add_service(c->service, c->is_pattern, &sql);
	buf_addz(&sql, " GROUP BY series FORMAT RowBinary");
	rc = click_server_ask(&c->server, buf_text(&sql), true, c->stop, &bytes, err);
	buf_release(&sql);
	for (r = (struct click_rows){ bytes.data, bytes.data + bytes.n, false }; rc == 0 && click_has_row(&r);) {
		const uint8_t *hash = click_get_bytes(&r, 16);
		int64_t first = click_get_i64(&r), last = click_get_i64(&r);
		const struct click_series *s = NULL;

		for (size_t lo = 0; hash && !s && lo < c->n_series; lo = click_service_end(c, lo))
			s = click_find_series(c, lo, click_service_end(c, lo), hash);
		if (!s)
			continue;
		(*span)[s - c->series][0] = first;
		(*span)[s - c->series][1] = last;
	}
	free(bytes.data);
	return rc;
}

int click_each_catalogue_series(struct store *store, const struct catalogue_query *q, const char *kind,
				catalogue_series_fn *fn, void *arg, struct err *err)
{
	struct click_store *c = click_of(store);
	bool is_all = q->t0 == INT64_MIN && q->t1 == INT64_MAX;
	int64_t(*span)[2] = NULL;
	int rc = click_load_series(c, q->service, q->is_pattern, err);

	if (rc == 0 && !is_all)
		rc = click_load_spans(c, &span, err);
	for (size_t i = 0; rc == 0 && i < c->n_series; i++) {
		const struct click_series *s = &c->series[i];
		struct catalogue_series out = { .service = s->service,
						.kind = s->kind,
						.hash = s->hash,
						.label = s->label,
						.n_labels = s->n_labels,
						.first = is_all ? INT64_MIN : span[i][0],
						.last = is_all ? INT64_MAX : span[i][1] };

		if (click_is_kind(s, kind) && out.first < q->t1 && out.last >= q->t0 && out.first <= out.last)
			rc = fn(arg, &out, err);
	}
	free(span);
	return rc;
}
