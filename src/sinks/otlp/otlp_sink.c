/*
 * otlp_sink.c - the sink of OpenTelemetry: profiles over OTLP/HTTP
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From opentelemetry-proto 1.11, collector/profiles/v1development, and the specification of OTLP/HTTP: a protobuf message, compressed with
 * gzip. A success may say that some profiles were rejected, which are not to be sent again. Other responses are a google.rpc.Status.
 */
#include "config.h"

#include "sinks/otlp/otlp_sink.h"

#include "base/mem.h"
#include "fetch/fetch.h"
#include "formats/otlp/otlp.h"
#include "formats/pprof/cursor.h"
#include "profile/profile.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OTLP_LABELS_MAX = 64 };

struct otlp_sink {
	struct sink sink;
	struct url url;
	struct fetch_options fetch;
};

/* Labels with an attribute in OpenTelemetry's conventions; other labels keep their names. */
static const struct otlp_attribute otlp_names[] = {
	{ "env", "deployment.environment.name" }, { "host", "host.name" },
	{ "instance", "service.instance.id" },    { "pod", "k8s.pod.name" },
	{ "version", "service.version" },
};

static const char *otlp_name(const char *label)
{
	for (size_t i = 0; i < sizeof(otlp_names) / sizeof(otlp_names[0]); i++)
		if (strcmp(otlp_names[i].key, label) == 0)
			return otlp_names[i].value;
	return label;
}

static int otlp_sink_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct otlp_sink s = { .sink.kind = &sink_otlp, .fetch = o->fetch }, *opened;
	int rc = sink_refuse_words(o, "otlp", err);

	rc = rc < 0 ? rc : sink_parse_url(url, "otlp+", "/v1development/profiles", &s.url, err);
	if (rc < 0)
		return rc;
	opened = mem_alloc(1, sizeof(*opened));
	*opened = s;
	*out = &opened->sink;
	return 0;
}

/* Add the attribute of a label, unless there is one of its name. Returns the number of attributes. */
static size_t otlp_sink_add_label(const struct store_label *label, struct otlp_attribute *attribute, size_t n)
{
	const char *name = otlp_name(label->name);

	for (size_t i = 0; i < n; i++)
		if (strcmp(attribute[i].key, name) == 0)
			return n;
	attribute[n] = (struct otlp_attribute){ name, label->value };
	return n + 1;
}

/* Append the request with a profile: one message with its dictionary. Fails as otlp_write. */
static int otlp_add_request(const struct sink_item *item, struct buf *out, struct sink_result *result, struct err *err)
{
	struct otlp_attribute attribute[1 + OTLP_LABELS_MAX] = { { "service.name", item->service } };
	struct otlp_write_options options = { .ratio = 1, .resource = attribute, .id = item->id, .has_meaning = true };
	struct profile *p;
	size_t n = 1;
	int rc;

	for (size_t i = 0; i < item->n_labels && n <= OTLP_LABELS_MAX; i++)
		n = otlp_sink_add_label(&item->label[i], attribute, n);
	if (item->n_labels > n - 1)
		sink_add_note(result, "%zu of %zu labels are left out", item->n_labels - (n - 1), item->n_labels);
	options.n_resource = n;
	p = sink_copy_rows(item->profile, 0, item->profile->n_rows);
	p->meta.time_ns = item->start_ns;
	p->meta.duration_ns = item->duration_ns;
	rc = otlp_write(p, &options, out, err);
	profile_free(p);
	return rc;
}

/* The last field of a message with this number; false if there is none, or the message is damaged. */
static bool otlp_find_field(const uint8_t *data, size_t n, uint64_t number, struct field *out)
{
	struct cursor c = { .at = data, .end = data + n };
	bool is_found = false;
	struct field f;

	while (cursor_field(&c, &f))
		if (f.number == number) {
			*out = f;
			is_found = true;
		}
	return is_found && !c.error;
}

/* Read ExportProfilesPartialSuccess of a success: the number of rejected profiles, and a message, which may also be a warning. */
static void otlp_read_success(const struct bytes *body, struct sink_result *out)
{
	enum { PARTIAL = 1, REJECTED = 1, MESSAGE = 2 };
	struct field partial, f;
	int64_t n_rejected = 0;

	if (!body->n || !otlp_find_field(body->data, body->n, PARTIAL, &partial) || partial.type != WIRE_BYTES)
		return;
	if (otlp_find_field(partial.data, partial.n, REJECTED, &f) && f.type == WIRE_VARINT)
		n_rejected = (int64_t)f.value;
	if (!otlp_find_field(partial.data, partial.n, MESSAGE, &f) || f.type != WIRE_BYTES)
		f = (struct field){ .data = (const uint8_t *)"", .n = 0 };
	if (n_rejected > 0)
		sink_setf(out, SINK_REFUSED, "%" PRId64 " sample types were rejected%s%.*s", n_rejected,
			  f.n ? ": " : "", (int)f.n, (const char *)f.data);
	else if (f.n)
		sink_add_note(out, "%.*s", (int)f.n, (const char *)f.data);
}

/* Replace the reason by the message of a google.rpc.Status, if the response is one. */
static void otlp_read_status(const struct bytes *body, struct sink_result *out)
{
	enum { MESSAGE = 2 };
	struct field f;

	if (body->n && otlp_find_field(body->data, body->n, MESSAGE, &f) && f.type == WIRE_BYTES && f.n)
		sink_set(out, out->outcome, (const char *)f.data, f.n);
}

static int otlp_post(const struct otlp_sink *s, const struct buf *message, struct stop *stop, struct sink_result *out,
		     struct err *err)
{
	static const char *const header[] = { "Content-Encoding: gzip", "Accept: application/x-protobuf" };
	struct fetch_request r = { .url = &s->url,
				   .content_type = "application/x-protobuf",
				   .header = header,
				   .n_headers = sizeof(header) / sizeof(header[0]) };
	struct buf body = { 0 };
	int rc;

	sink_gzip(message->data, message->len, &body);
	r.body = body.data;
	r.n_body = body.len;
	rc = sink_send(&r, &s->fetch, stop, out, err);
	if (rc == 0 && out->outcome == SINK_SENT)
		otlp_read_success(&r.bytes, out);
	else if (rc == 0)
		otlp_read_status(&r.bytes, out);
	sink_release_response(&r);
	buf_release(&body);
	return rc;
}

static int otlp_sink_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
			  struct sink_result *result, struct err *err)
{
	const struct otlp_sink *s = (const struct otlp_sink *)sink;
	struct buf message = { 0 };
	struct err item_err;
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		message.len = 0;
		if (otlp_add_request(&item[i], &message, &result[i], &item_err) < 0)
			sink_setf(&result[i], SINK_REFUSED, "%s", item_err.msg);
		else
			rc = otlp_post(s, &message, stop, &result[i], err);
	}
	buf_release(&message);
	return rc;
}

static void otlp_sink_close(struct sink *sink)
{
	struct otlp_sink *s = (struct otlp_sink *)sink;

	url_release(&s->url);
	free(s);
}

static const char *const otlp_prefixes[] = { "otlp+http://", "otlp+https://", NULL };

const struct sink_kind sink_otlp = {
	.name = "otlp",
	.prefix = otlp_prefixes,
	.help = "OpenTelemetry: OTLP/HTTP profiles of release 1.10 and later, tried with the Collector 0.158.0",
	.batch_max = 1,
	.open = otlp_sink_open,
	.send = otlp_sink_send,
	.close = otlp_sink_close,
};
