/*
 * form.c - a profile as an upload of Datadog: a form with the event and an attachment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From dd-trace-go v2.11, profiler/upload.go and profile.go: event.json of version 4, names of attachments of the family go; from
 * libdatadog, libdd-profiling/src/exporter: other families have profile.pprof. A heap profile of Go has increases of alloc_*, and inuse_* as
 * they are, which is what items have.
 */
#include "config.h"

#include "sinks/datadog/datadog_int.h"

#include "base/jsonw.h"
#include "base/str.h"
#include "base/time.h"
#include "formats/pprof/pprof.h"
#include "profile/profile.h"
#include "sinks/outcome.h"
#include "sinks/request.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { TAG_BYTES_MAX = 200 }; /* of a tag with its name; Datadog cuts longer ones */

static const struct {
	const char *kind, *file;
} go_files[] = {
	{ "cpu", "cpu.pprof" },
	{ "heap", "delta-heap.pprof" },
	{ "allocs", "delta-heap.pprof" },
	{ "mutex", "delta-mutex.pprof" },
	{ "block", "delta-block.pprof" },
	{ "goroutine", "goroutines.pprof" },
	{ "goroutineleak", "goroutineleak.pprof" },
};

const char *datadog_attachment(const char *family, const char *kind)
{
	if (strcmp(family, "go") != 0)
		return "profile.pprof";
	for (size_t i = 0; i < sizeof(go_files) / sizeof(go_files[0]); i++)
		if (strcmp(go_files[i].kind, kind) == 0)
			return go_files[i].file;
	return NULL;
}

/* FNV-1a, whose result is the same in each process. */
static uint64_t datadog_hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (h ^ 0xff) * UINT64_C(0x100000001b3); /* the end of the text */
}

void datadog_add_runtime_id(const struct sink_item *item, struct buf *out)
{
	const char *given = sink_label(item, "runtime-id");
	uint64_t h[2] = { UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4) };
	uint8_t id[16];

	if (given) {
		buf_addz(out, given);
		return;
	}
	for (int k = 0; k < 2; k++) {
		h[k] = datadog_hash(h[k], item->service);
		for (size_t i = 0; i < item->n_labels; i++)
			h[k] = datadog_hash(datadog_hash(h[k], item->label[i].name), item->label[i].value);
		for (int i = 0; i < 8; i++)
			id[8 * k + i] = (uint8_t)(h[k] >> (8 * i));
	}
	id[6] = (uint8_t)((id[6] & 0x0f) | 0x80); /* version 8 of RFC 9562: made by the application */
	id[8] = (uint8_t)((id[8] & 0x3f) | 0x80);
	sink_add_id(out, id, 0);
}

struct datadog_tags {
	struct buf text;
	size_t n_cut, n_left_out;
};

/* Append "name:value". A name begins with a letter; commas separate tags, so they are replaced. */
static void datadog_add_tag(struct datadog_tags *t, const char *name, const char *value)
{
	size_t start = t->text.len, room;

	if (!*value)
		return;
	if (start)
		buf_addz(&t->text, ",");
	if (!isalpha((unsigned char)*name))
		buf_addz(&t->text, "x");
	sink_add_name(&t->text, name, "-_./");
	buf_addz(&t->text, ":");
	room = t->text.len - start < TAG_BYTES_MAX ? TAG_BYTES_MAX - (t->text.len - start) : 0;
	for (; *value && room; value++, room--)
		buf_add(&t->text, (unsigned char)*value <= ' ' || *value == ',' ? "_" : value, 1);
	t->n_cut += *value != '\0';
	for (char next = *value; ((unsigned char)next & 0xc0) == 0x80 && t->text.len > start;
	     next = t->text.data[t->text.len])
		t->text.len--; /* cut no character in two */
}

/* The host without the port of an instance HOST:PORT. */
static void datadog_add_host(const struct sink_item *item, struct datadog_tags *t)
{
	const char *instance = sink_label(item, "instance");
	const char *colon = instance ? strrchr(instance, ':') : NULL;
	struct buf host = { 0 };

	if (sink_label(item, "host") || !instance || *instance == '/')
		return;
	buf_add(&host, instance, colon ? (size_t)(colon - instance) : strlen(instance));
	datadog_add_tag(t, "host", buf_text(&host));
	buf_release(&host);
}

static void datadog_add_tags(const struct sink_item *item, const char *family, uint64_t seq, struct datadog_tags *t)
{
	static const char *const own[] = { "service", "runtime-id", "profile_seq", "language", "runtime" };
	const char *language = sink_label(item, "language");
	struct buf id = { 0 }, number = { 0 };

	datadog_add_runtime_id(item, &id);
	buf_addf(&number, "%" PRIu64, seq);
	datadog_add_tag(t, "service", item->service);
	datadog_add_tag(t, "runtime-id", buf_text(&id));
	datadog_add_tag(t, "profile_seq", buf_text(&number));
	datadog_add_tag(t, "language", language ? language : family);
	datadog_add_tag(t, "runtime", family);
	datadog_add_host(item, t);
	for (size_t i = 0; i < item->n_labels; i++) {
		const char *name = item->label[i].name;
		bool is_own = false;

		for (size_t k = 0; k < sizeof(own) / sizeof(own[0]); k++)
			is_own |= strcmp(own[k], name) == 0;
		if (!is_own)
			datadog_add_tag(t, name, item->label[i].value);
		else
			t->n_left_out += strcmp(name, "runtime-id") != 0 && strcmp(name, "language") != 0;
	}
	buf_release(&id);
	buf_release(&number);
}

/* A snapshot is from the time since the one before it, else from a minute, the time between uploads of Datadog's clients. */
static void datadog_add_times(const struct sink_item *item, struct json *j)
{
	int64_t counted = sink_counted_ns(item), before = counted > 0 ? counted : NS_PER_MINUTE;
	int64_t start = item->duration_ns > 0 ? item->start_ns : item->start_ns - before;
	int64_t end = item->duration_ns > 0 ? item->start_ns + item->duration_ns : item->start_ns;
	struct buf text = { 0 };

	time_add_exact(&text, start);
	jsonw_add_text(j, "start", buf_text(&text));
	text.len = 0;
	time_add_exact(&text, end);
	jsonw_add_text(j, "end", buf_text(&text));
	buf_release(&text);
}

static void datadog_add_event(const struct sink_item *item, const char *family, const char *tags, struct buf *out)
{
	const char *file = datadog_attachment(family, item->kind);
	struct json j = { .out = out, .is_one_line = true };

	jsonw_open(&j, '{');
	datadog_add_times(item, &j);
	jsonw_add_texts(&j, "attachments", &file, 1);
	jsonw_add_text(&j, "tags_profiler", tags);
	jsonw_add_text(&j, "family", family);
	jsonw_add_text(&j, "version", "4");
	jsonw_close(&j, '}');
}

/* Append a part of the form. */
static void datadog_add_part(struct buf *out, const char *boundary, const char *name, const char *file,
			     const char *type, const struct buf *data)
{
	buf_addf(out,
		 "--%s\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s\"\r\nContent-Type: %s\r\n\r\n",
		 boundary, name, file, type);
	buf_add(out, buf_text(data), data->len);
	buf_addz(out, "\r\n");
}

bool datadog_add_form(const struct sink_item *item, const char *family, uint64_t seq, struct buf *out, struct buf *type,
		      struct sink_result *result)
{
	const char *file = datadog_attachment(family, item->kind);
	struct profile *p = sink_copy_rows(item->profile, 0, item->profile->n_rows);
	struct buf profile = { 0 }, event = { 0 }, boundary = { 0 };
	struct datadog_tags tags = { 0 };
	struct err err;
	int rc;

	p->meta.time_ns = item->start_ns;
	p->meta.duration_ns = sink_counted_ns(item);
	rc = pprof_write(p, 1, &profile, &err);
	if (rc < 0)
		sink_setf(result, SINK_REFUSED, "%s", err.msg);
	profile_free(p);
	datadog_add_tags(item, family, seq, &tags);
	if (tags.n_cut)
		sink_add_note(result, "%zu tags are cut to %d bytes", tags.n_cut, (int)TAG_BYTES_MAX);
	if (tags.n_left_out)
		sink_add_note(result, "%zu labels with names of other tags are left out", tags.n_left_out);
	datadog_add_event(item, family, buf_text(&tags.text), &event);
	buf_addz(&boundary, "cpa-");
	sink_add_id(&boundary, item->id, 0);
	while (memmem(buf_text(&profile), profile.len, boundary.data, boundary.len))
		buf_addz(&boundary, "x");
	datadog_add_part(out, buf_text(&boundary), file, file, "application/octet-stream", &profile);
	datadog_add_part(out, buf_text(&boundary), "event", "event.json", "application/json", &event);
	buf_addf(out, "--%s--\r\n", buf_text(&boundary));
	buf_addf(type, "multipart/form-data; boundary=%s", buf_text(&boundary));
	buf_release(&profile);
	buf_release(&event);
	buf_release(&boundary);
	buf_release(&tags.text);
	return rc == 0;
}
