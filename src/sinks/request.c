/*
 * request.c - requests of sinks: URLs, compressed bodies, the outcome of a response
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/request.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "formats/common/gzip.h"
#include "profile/compact.h"
#include "profile/temporality.h"
#include "sinks/outcome.h"

#include <stdlib.h>
#include <string.h>

enum { RESPONSE_MAX = 4 << 20 }; /* bytes; responses of these systems are short */

int sink_parse_url(const char *url, const char *scheme, const char *path, struct url *out, struct err *err)
{
	const char *rest = starts_with(url, scheme) ? url + strlen(scheme) : url;
	size_t n = strlen(rest);
	struct buf text = { 0 };
	int rc;

	if (strpbrk(rest, "?#"))
		return err_set(err, ERR_USAGE, "the URL of a sink has no ? and #");
	while (n > 0 && rest[n - 1] == '/')
		n--;
	buf_add(&text, rest, n);
	buf_addz(&text, path);
	rc = url_parse(buf_text(&text), 0, out, err);
	buf_release(&text);
	return rc < 0 ? err_set(err, ERR_USAGE, "not a valid URL") : 0;
}

int sink_refuse_words(const struct sink_options *o, const char *kind, struct err *err)
{
	if (o->n_words == 0)
		return 0;
	return err_set(err, ERR_USAGE, "%.100s: sinks of the kind %s have no such setting", o->word[0], kind);
}

static const char *sink_copy_text(char **at, const char *text)
{
	const char *copy = *at;

	*at = stpcpy(*at, text) + 1;
	return copy;
}

void sink_waiting_init(struct sink_waiting *out, const struct sink_item *item, struct profile *p)
{
	size_t bytes = strlen(item->service) + strlen(item->kind) + 2;
	char *at;

	*out = (struct sink_waiting){ .item = *item, .profile = p };
	for (size_t i = 0; i < item->n_labels; i++)
		bytes += strlen(item->label[i].name) + strlen(item->label[i].value) + 2;
	out->label = mem_alloc(item->n_labels * sizeof(*out->label) + bytes, 1);
	at = (char *)(out->label + item->n_labels);
	for (size_t i = 0; i < item->n_labels; i++) {
		out->label[i].name = sink_copy_text(&at, item->label[i].name);
		out->label[i].value = sink_copy_text(&at, item->label[i].value);
	}
	out->item.service = sink_copy_text(&at, item->service);
	out->item.kind = sink_copy_text(&at, item->kind);
	out->item.label = out->label;
	out->item.profile = p;
}

void sink_waiting_release(struct sink_waiting *x)
{
	profile_free(x->profile);
	free(x->label);
}

struct sink_bytes {
	const void *data;
	size_t n;
};

static int sink_write_bytes(void *arg, struct gzip *g, struct err *err)
{
	const struct sink_bytes *b = arg;

	(void)err;
	format_gzip_write(g, b->data, b->n);
	return 0;
}

void sink_gzip(const void *data, size_t n, struct buf *out)
{
	struct sink_bytes b = { data, n };

	format_gzip_pack(sink_write_bytes, &b, 1, out, NULL);
}

static enum sink_outcome sink_outcome_of(long status)
{
	if (status < 400 || status == 408 || status == 429 || (status >= 500 && status != 501 && status != 505))
		return SINK_LATER;
	if (status == 401 || (status >= 403 && status <= 405) || status == 407)
		return SINK_DENIED;
	return SINK_REFUSED;
}

void sink_judge(const struct fetch_request *r, struct sink_result *out)
{
	enum sink_outcome outcome = sink_outcome_of(r->status);
	struct sink_result line = { 0 };

	*out = (struct sink_result){ .outcome = SINK_SENT };
	if (r->rc == 0)
		return;
	out->retry_ns = r->retry_after > 0 && r->retry_after < INT64_MAX / NS_PER_S ? r->retry_after * NS_PER_S : 0;
	sink_set(&line, outcome, (const char *)r->bytes.data, r->bytes.data ? r->bytes.n : 0);
	if (r->status >= 400 && *line.why)
		sink_setf(out, outcome, "HTTP %ld: %s", r->status, line.why);
	else
		sink_set(out, outcome, r->err.msg, strlen(r->err.msg));
}

int sink_send(struct fetch_request *r, const struct fetch_options *o, struct stop *stop, struct sink_result *out,
	      struct err *err)
{
	struct fetch_options limited = *o;
	struct buf notes = { 0 };

	limited.max = o->max && o->max < RESPONSE_MAX ? o->max : RESPONSE_MAX;
	r->accepts_2xx = r->takes_any = r->keeps_refusal = true;
	fetch_all(r, 1, &limited, NULL, stop, &notes);
	if (r->rc < 0 &&
	    !(r->rc == ERR_LIMIT && r->status / 100 == 2)) /* a long response to a request that succeeded is ignored */
		sink_judge(r, out);
	buf_release(&notes);
	return r->rc < 0 && stop_is_set(stop) ? err_set(err, ERR_STOPPED, "cancelled") : 0;
}

void sink_release_response(struct fetch_request *r)
{
	free(r->bytes.data);
	r->bytes = (struct bytes){ 0 };
	buf_release(&r->headers);
}

int sink_request(struct fetch_request *r, const struct fetch_options *o, struct stop *stop, struct sink_result *out,
		 long *status, struct err *err)
{
	int rc;

	*out = (struct sink_result){ .outcome = SINK_SENT };
	rc = sink_send(r, o, stop, out, err);
	if (status)
		*status = r->status;
	sink_release_response(r);
	return rc;
}

void sink_add_id(struct buf *out, const uint8_t id[16], unsigned part)
{
	for (int i = 0; i < 16; i++) {
		unsigned byte = part && i >= 14 ? (part >> (i == 14 ? 8 : 0)) & 0xff : id[i];

		buf_addf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", byte);
	}
}

struct profile *sink_copy_rows(const struct profile *p, uint32_t first, uint32_t n)
{
	struct profile *d = mem_alloc(1, sizeof(*d));
	struct arena *mem = arena_new();

	*d = *p;
	d->mem = mem;
	d->owner = p;
	d->n_rows = n;
	d->stack = memcpy(arena_alloc(mem, n + 1, sizeof(*d->stack)), p->stack + first, n * sizeof(*d->stack));
	d->labels = memcpy(arena_alloc(mem, n + 1, sizeof(*d->labels)), p->labels + first, n * sizeof(*d->labels));
	d->value = arena_alloc(mem, p->n_types, sizeof(*d->value));
	d->type = memcpy(arena_alloc(mem, p->n_types, sizeof(*d->type)), p->type, p->n_types * sizeof(*d->type));
	for (uint32_t t = 0; t < p->n_types; t++)
		d->value[t] = memcpy(arena_alloc(mem, n + 1, sizeof(**d->value)), p->value[t] + first,
				     n * sizeof(**d->value));
	profile_own_columns(d);
	profile_drop_unused(d);
	return d;
}

void sink_select_types(struct profile *p, bool gauges)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < p->n_types; t++) {
		if ((profile_temporality(p, t) == TEMPORALITY_GAUGE) != gauges)
			continue;
		p->type[n] = p->type[t];
		p->value[n++] = p->value[t];
	}
	p->n_types = n;
}

void sink_drop_zeros(struct profile *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_rows; i++) {
		bool has_value = false;

		for (uint32_t t = 0; t < p->n_types; t++)
			has_value |= p->value[t][i] != 0;
		if (!has_value)
			continue;
		p->stack[n] = p->stack[i];
		p->labels[n] = p->labels[i];
		for (uint32_t t = 0; t < p->n_types; t++)
			p->value[t][n] = p->value[t][i];
		n++;
	}
	p->n_rows = n;
	profile_drop_unused(p);
}

void sink_add_parameter(struct buf *query, const char *name, const char *value)
{
	if (query->len)
		buf_addz(query, "&");
	url_escape(name, strlen(name), URL_QUERY, query);
	buf_addz(query, "=");
	url_escape(value, strlen(value), URL_QUERY, query);
}
