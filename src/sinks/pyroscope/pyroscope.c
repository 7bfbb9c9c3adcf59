/*
 * pyroscope.c - sinks with the protocol of Pyroscope, push.v1.PusherService/Push: Pyroscope, and other collectors of cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A request is a PushRequest as a protocol buffer, compressed with gzip:
 *
 *	PushRequest       1 series, repeated
 *	RawProfileSeries  1 labels: 1 name, 2 value; 2 samples: 1 the profile, 2 its id
 *
 * From grafana/pyroscope api/push/v1/push.proto, and the limits of pkg/validation: 30 labels, names of 1,024 and values of 2,048 bytes,
 * profiles of 4 MiB and 16,000 samples. Larger profiles are split by rows; the parts have the id of the profile up to the last two bytes.
 * A response is an error if one series was refused, although the others were stored. Then each profile is sent by itself, with its id.
 *
 * Another collector has none of these limits. It gets labels and profiles as they are, and the kind as the label __kind__. A request of
 * many profiles is necessary: the response comes when all are durable, which takes 200 ms.
 */
#include "config.h"

#include "sinks/pyroscope/pyroscope.h"

#include "base/mem.h"
#include "profile/encode.h"
#include "fetch/url.h"
#include "sinks/request.h"
#include "store/pyroscope/names.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PYRO_LABELS_MAX = 30,
	PYRO_NAME_MAX = 1024,
	PYRO_VALUE_MAX = 2048,
	PYRO_PROFILE_MAX = 4 << 20,
	PYRO_ROWS_MAX = 16000,
	PYRO_FRAMES_MAX = 1000, /* the server cuts longer stacks */
	PYRO_REQUEST_MAX = 16 << 20,
	PYRO_PARTS_MAX = 65535,
	PYRO_FORBIDDEN = 403,
};

struct sink_to_pyroscope {
	struct sink sink; /* first */
	struct url url;
	struct fetch_options fetch;
	bool is_cpa;
};

static int pyro_open_as(const struct sink_kind *kind, const char *scheme, const char *url, const struct sink_options *o,
			struct sink **out, struct err *err)
{
	struct sink_to_pyroscope *s;
	struct url parsed;
	int rc = sink_refuse_words(o, kind->name, err);

	rc = rc < 0 ? rc : sink_parse_url(url, scheme, "/push.v1.PusherService/Push", &parsed, err);
	if (rc < 0)
		return rc;
	s = mem_zalloc(1, sizeof(*s));
	s->sink.kind = kind;
	s->is_cpa = kind == &sink_cpa;
	s->url = parsed;
	s->fetch = o->fetch;
	*out = &s->sink;
	return 0;
}

static int pusher_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	return pyro_open_as(&sink_pyroscope, "pyroscope+", url, o, out, err);
}

static int pyro_open_cpa(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	return pyro_open_as(&sink_cpa, "cpa+", url, o, out, err);
}

static void pyro_put_number(struct buf *to, uint64_t v)
{
	uint8_t at[WIRE_VARINT_MAX];

	buf_add(to, at, (size_t)(wire_put(at, v) - at));
}

/* Append a field with bytes. */
static void pyro_put(struct buf *to, unsigned field, const void *data, size_t n)
{
	pyro_put_number(to, field << 3 | 2);
	pyro_put_number(to, n);
	buf_add(to, data, n);
}

static void pyro_put_label(struct buf *series, const char *name, const char *value)
{
	size_t n = strlen(value);
	struct buf pair = { 0 };

	if (n > PYRO_VALUE_MAX)
		for (n = PYRO_VALUE_MAX; n > 0 && ((unsigned char)value[n] & 0xc0) == 0x80;)
			n--; /* not within a character */
	pyro_put(&pair, 1, name, strlen(name));
	pyro_put(&pair, 2, value, n);
	pyro_put(series, 1, pair.data, pair.len);
	buf_release(&pair);
}

/* A name of a label as Pyroscope accepts it: letters, digits and _; a digit is not the first. out [PYRO_NAME_MAX + 1] */
static void pyro_name(const char *name, char *out)
{
	size_t n = 0;

	if (*name >= '0' && *name <= '9')
		out[n++] = '_';
	for (; *name && n < PYRO_NAME_MAX; name++) {
		bool is_fine = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
			       (*name >= '0' && *name <= '9');

		out[n++] = is_fine ? *name : '_';
	}
	out[n] = '\0';
}

/* Does an earlier label, or one of the request, become the same name? */
static bool pyro_is_taken(const struct sink_item *item, size_t i, const char *name)
{
	char other[PYRO_NAME_MAX + 1];

	if (strcmp(name, "service_name") == 0 || strcmp(name, "__name__") == 0 || strcmp(name, "__delta__") == 0)
		return true;
	for (size_t k = 0; k < i; k++) {
		pyro_name(item->label[k].name, other);
		if (strcmp(other, name) == 0)
			return true;
	}
	return false;
}

/*
 * Append the labels of a series; why gets how many do not fit.
 *
 * Like  Grafana Alloy, internal/component/pyroscope/scrape/delta_profiles.go: without __delta__=false, servers with storage v1 subtract
 *       allocations once more (Pyroscope, pkg/phlaredb/delta.go)
 */
static void pyro_put_labels(struct buf *series, const struct sink_item *item, struct buf *why)
{
	char name[PYRO_NAME_MAX + 1];
	size_t n = 2, n_cut = 0;

	pyro_name(pyro_name_of_kind(item->kind), name);
	pyro_put_label(series, "__name__", name);
	pyro_put_label(series, "service_name", item->service);
	if (strcmp(name, "memory") == 0) {
		pyro_put_label(series, "__delta__", "false");
		n++;
	}
	for (size_t i = 0; i < item->n_labels; i++) {
		pyro_name(item->label[i].name, name);
		if (n < PYRO_LABELS_MAX && !pyro_is_taken(item, i, name)) {
			pyro_put_label(series, name, item->label[i].value);
			n++;
		} else {
			n_cut++;
		}
	}
	if (n_cut)
		buf_addf(why, "%zu of %zu labels cut", n_cut, item->n_labels);
}

/* Append the labels of a series for another collector. */
static void pyro_put_all_labels(struct buf *series, const struct sink_item *item)
{
	pyro_put_label(series, "__kind__", item->kind);
	pyro_put_label(series, "service_name", item->service);
	for (size_t i = 0; i < item->n_labels; i++)
		pyro_put_label(series, item->label[i].name, item->label[i].value);
}

/* Note stacks that the server cuts. */
static void pyro_note_stacks(const struct profile *p, struct buf *why)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->stacks.n; i++)
		n += p->stacks.off[i + 1] - p->stacks.off[i] > PYRO_FRAMES_MAX;
	if (n)
		buf_addf(why, "%s%" PRIu32 " stacks of more than %d frames, which the server cuts",
			 why->len ? ", " : "", n, (int)PYRO_FRAMES_MAX);
}

/* Replace what the server refuses: - in names of sample types, and no type of the period. */
static void pyro_fix_types(struct profile *d)
{
	for (uint32_t t = 0; t < d->n_types; t++) {
		const char *name = profile_text(d, d->type[t].name);
		char *fixed;

		if (!strchr(name, '-'))
			continue;
		fixed = mem_strndup(name, strlen(name));
		for (char *at = fixed; (at = strchr(at, '-'));)
			*at = '_';
		if (d->meta.default_type == d->type[t].name)
			d->meta.default_type = strtab_addz(d->str, fixed);
		d->type[t].name = strtab_addz(d->str, fixed);
		free(fixed);
	}
	if (!d->meta.has_period_type && d->n_types) {
		d->meta.period_type = d->type[d->n_types - 1];
		d->meta.has_period_type = true;
		d->meta.period = d->meta.period ? d->meta.period : 1;
	}
}

/* A series with the parts of a profile. */
struct pyro_parts {
	const struct sink_item *item;
	struct buf *series;
	unsigned n;
};

/* Append an encoded profile. */
static void pyro_put_sample(struct pyro_parts *x, const struct buf *body, unsigned part)
{
	struct buf id = { 0 }, sample = { 0 };

	sink_add_id(&id, x->item->id, part);
	pyro_put(&sample, 1, body->data, body->len);
	pyro_put(&sample, 2, id.data, id.len);
	pyro_put(x->series, 2, sample.data, sample.len);
	buf_release(&id);
	buf_release(&sample);
}

/* Append the profile as it is. */
static int pyro_add_all(struct pyro_parts *x, struct err *err)
{
	struct buf body = { 0 };
	int rc = profile_encode(x->item->profile, &body, err);

	if (rc == 0)
		pyro_put_sample(x, &body, 0);
	buf_release(&body);
	return rc;
}

/* Append rows as one part, or as two if that is too large. */
static int pyro_add_rows(struct pyro_parts *x, uint32_t first, uint32_t n, bool is_split, struct err *err)
{
	struct buf body = { 0 };
	struct profile *d;
	int rc;

	if (n > PYRO_ROWS_MAX)
		goto halves;
	d = sink_copy_rows(x->item->profile, first, n);
	pyro_fix_types(d);
	rc = profile_encode(d, &body, err);
	profile_free(d);
	if (rc < 0)
		return rc;
	if (body.len > PYRO_PROFILE_MAX && n > 1) {
		buf_release(&body);
		goto halves;
	}
	if (body.len > PYRO_PROFILE_MAX || x->n == PYRO_PARTS_MAX) {
		buf_release(&body);
		return err_set(err, ERR_LIMIT, "the profile cannot be split into parts of 4 MiB");
	}
	x->n++;
	pyro_put_sample(x, &body, is_split ? x->n : 0);
	buf_release(&body);
	return 0;
halves:
	rc = pyro_add_rows(x, first, n / 2, true, err);
	return rc < 0 ? rc : pyro_add_rows(x, first + n / 2, n - n / 2, true, err);
}

/* Append a profile to a request. If it cannot be sent, its result says so. */
static void pyro_add_item(const struct sink_to_pyroscope *s, struct buf *request, const struct sink_item *item,
			  struct sink_result *result)
{
	struct buf series = { 0 }, why = { 0 };
	struct pyro_parts parts = { .item = item, .series = &series };
	struct err problem;
	int rc;

	if (s->is_cpa) {
		pyro_put_all_labels(&series, item);
		rc = pyro_add_all(&parts, &problem);
	} else {
		pyro_put_labels(&series, item, &why);
		pyro_note_stacks(item->profile, &why);
		rc = pyro_add_rows(&parts, 0, item->profile->n_rows, false, &problem);
	}
	*result = (struct sink_result){ .outcome = rc < 0 ? SINK_REFUSED : SINK_SENT };
	snprintf(result->why, sizeof(result->why), "%.250s", rc < 0 ? problem.msg : buf_text(&why));
	if (rc == 0)
		pyro_put(request, 1, series.data, series.len);
	buf_release(&series);
	buf_release(&why);
}

/* Send a request. Profiles that are in it get its outcome. */
static int pyro_post(struct sink_to_pyroscope *s, const struct buf *request, size_t n, struct stop *stop,
		     struct sink_result *result, long *status, struct err *err)
{
	static const char *const header[] = { "Content-Encoding: gzip" };
	struct fetch_request r = {
		.url = &s->url, .content_type = "application/proto", .header = header, .n_headers = 1
	};
	struct sink_result outcome;
	struct buf body = { 0 };
	int rc;

	*status = 0;
	if (request->len == 0) /* no profile of it can be sent */
		return 0;
	sink_gzip(request->data, request->len, &body);
	r.body = body.data;
	r.n_body = body.len;
	rc = sink_request(&r, &s->fetch, stop, &outcome, status, err);
	buf_release(&body);
	if (s->is_cpa && *status == PYRO_FORBIDDEN) /* the secret is not for the service of this profile */
		outcome.outcome = SINK_REFUSED;
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (result[i].outcome == SINK_SENT && outcome.outcome != SINK_SENT)
			result[i] = outcome;
	return rc;
}

/* Send each profile in its own request, up to one that must be sent later. */
static int pyro_send_each(struct sink_to_pyroscope *s, const struct sink_item *item, size_t n, struct stop *stop,
			  struct sink_result *result, struct err *err)
{
	struct buf request = { 0 };
	long status;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		request.len = 0;
		pyro_add_item(s, &request, &item[i], &result[i]);
		rc = pyro_post(s, &request, 1, stop, &result[i], &status, err);
		if (rc < 0 || !sink_is_unsent(&result[i]) || status == 500)
			continue;
		for (size_t k = i + 1; k < n; k++)
			result[k] = result[i];
		break;
	}
	buf_release(&request);
	return rc;
}

static int pyro_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
		     struct sink_result *result, struct err *err)
{
	struct sink_to_pyroscope *s = (struct sink_to_pyroscope *)sink;
	struct buf request = { 0 };
	long status = 0;
	size_t first = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		pyro_add_item(s, &request, &item[i], &result[i]);
		if (request.len < PYRO_REQUEST_MAX && i + 1 < n)
			continue;
		rc = pyro_post(s, &request, i + 1 - first, stop, &result[first], &status, err);
		request.len = 0;
		/* One of several was refused, or could not be stored: which one is not known. */
		if (rc == 0 && status >= 400 && i > first && (result[i].outcome == SINK_REFUSED || status == 500))
			rc = pyro_send_each(s, &item[first], i + 1 - first, stop, &result[first], err);
		first = i + 1;
	}
	buf_release(&request);
	return rc;
}

static void pusher_close(struct sink *sink)
{
	struct sink_to_pyroscope *s = (struct sink_to_pyroscope *)sink;

	if (!s)
		return;
	url_release(&s->url);
	free(s);
}

const struct sink_kind sink_pyroscope = {
	.name = "pyroscope",
	.prefix = (const char *const[]){ "pyroscope+http://", "pyroscope+https://", NULL },
	.help = "Pyroscope, Grafana Cloud Profiles: push.v1, tried with a version of August 2026",
	.batch_max = 32,
	.open = pusher_open,
	.send = pyro_send,
	.close = pusher_close,
};

const struct sink_kind sink_cpa = {
	.name = "cpa",
	.prefix = (const char *const[]){ "cpa+http://", "cpa+https://", NULL },
	.help = "another cpa collect: push.v1, tried with this version",
	.batch_max = 256,
	.keeps_counters = true,
	.open = pyro_open_cpa,
	.send = pyro_send,
	.close = pusher_close,
};
