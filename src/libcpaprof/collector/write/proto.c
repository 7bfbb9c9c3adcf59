/*
 * proto.c - write a snap as profile.proto
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Strings and functions get their ids on first use. Functions are written after all locations, then all strings,
 * then the samples, so that a reader can process samples while the file is being inflated. Field numbers are those
 * of proto/profile.proto.
 */
#include "config.h"

#include "libcpaprof/collector/write/write.h"

#include "libcpaprof/collector/write/gzip.h"
#include "libcpaprof/collector/write/strings.h"

#include "wire/profile_fields.h"
#include "wire/wire.h"

#include <errno.h>
#include <string.h>

enum { BUFFER = 64 << 10, SMALL_ROWS = 32 };

struct proto_writer {
	struct wire w;
	struct strings strings;
	struct strings functions; /* three uint32_t each: string indexes of name, system name and file */
	uint32_t n_locations, n_mappings;
	size_t mark;    /* the sample or location that is being written */
	uint32_t empty; /* index of the string for labels without a value; 0: none yet */
	uint8_t buffer[BUFFER];
};

static uint32_t proto_add_string(struct proto_writer *x, const char *s)
{
	return strings_add_text(&x->strings, s);
}

static void proto_write_value_type(struct proto_writer *x, uint32_t field, const char *name, const char *unit)
{
	size_t mark = wire_open(&x->w, field);

	wire_number_nonzero(&x->w, 1, proto_add_string(x, name));
	wire_number_nonzero(&x->w, 2, proto_add_string(x, unit));
	wire_close(&x->w, mark);
}

static void proto_write_type(void *writer, const char *name, const char *unit)
{
	proto_write_value_type(writer, PROFILE_TYPE, name, unit);
}

static void proto_write_sample(void *writer, const uint32_t *loc, size_t n, const int64_t *value, size_t n_values)
{
	struct proto_writer *x = writer;
	size_t mark;

	x->mark = wire_open(&x->w, PROFILE_SAMPLE);
	mark = wire_open(&x->w, SAMPLE_LOCATION);
	for (size_t i = 0; i < n; i++)
		wire_varint(&x->w, loc[i] + UINT64_C(1));
	wire_close(&x->w, mark);
	mark = wire_open(&x->w, SAMPLE_VALUE);
	for (size_t i = 0; i < n_values; i++)
		wire_varint(&x->w, (uint64_t)value[i]);
	wire_close(&x->w, mark);
}

/* Readers take string 0 as no value, so an empty value needs another empty string. */
static void proto_write_text(void *writer, const char *text, size_t n)
{
	struct proto_writer *x = writer;

	if (n)
		strings_add(&x->strings, text, n);
	else if (!x->empty)
		x->empty = strings_add_empty(&x->strings);
}

static void proto_write_label(void *writer, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct proto_writer *x = writer;
	size_t mark = wire_open(&x->w, SAMPLE_LABEL);

	wire_number_nonzero(&x->w, LABEL_KEY, strings_add(&x->strings, key, n_key));
	wire_number_nonzero(&x->w, LABEL_TEXT, n_value ? strings_add(&x->strings, value, n_value) : x->empty);
	wire_close(&x->w, mark);
}

static void proto_write_number(void *writer, const char *key, uint64_t value)
{
	struct proto_writer *x = writer;
	size_t mark = wire_open(&x->w, SAMPLE_LABEL);

	wire_number_nonzero(&x->w, LABEL_KEY, proto_add_string(x, key));
	wire_number_nonzero(&x->w, LABEL_NUMBER, value);
	wire_close(&x->w, mark);
}

/* The end of a sample or location. */
static void proto_close(void *writer)
{
	struct proto_writer *x = writer;

	wire_close(&x->w, x->mark);
}

static void proto_write_location(void *writer, uint64_t addr, uint32_t map)
{
	struct proto_writer *x = writer;

	x->mark = wire_open(&x->w, PROFILE_LOCATION);
	wire_number_nonzero(&x->w, LOCATION_ID, ++x->n_locations);
	wire_number_nonzero(&x->w, LOCATION_MAPPING, map);
	wire_number_nonzero(&x->w, LOCATION_ADDRESS, addr);
}

/* Readers demangle a name that equals the system name; a verbatim name has none. */
static void proto_write_line(void *writer, const struct snap_name *name)
{
	struct proto_writer *x = writer;
	uint32_t text = proto_add_string(x, name->function);
	uint32_t texts[] = { text, name->is_verbatim ? 0 : text, proto_add_string(x, name->file) };
	uint32_t id = strings_add(&x->functions, (const char *)texts, sizeof(texts));
	size_t mark;

	if (!id)
		return;
	mark = wire_open(&x->w, LOCATION_LINE);
	wire_number_nonzero(&x->w, LINE_FUNCTION, id);
	wire_number_nonzero(&x->w, LINE_NUMBER, name->line);
	wire_close(&x->w, mark);
}

/* Names are hints, so no mapping is marked as having functions. */
static void proto_write_mapping(void *writer, const struct map *m, const char *path, const char *id)
{
	struct proto_writer *x = writer;
	size_t mark = wire_open(&x->w, PROFILE_MAPPING);

	wire_number_nonzero(&x->w, 1, ++x->n_mappings);
	wire_number_nonzero(&x->w, 2, m->start);
	wire_number_nonzero(&x->w, 3, m->limit);
	wire_number_nonzero(&x->w, 4, m->offset);
	wire_number_nonzero(&x->w, 5, strings_add(&x->strings, path, m->n_path));
	wire_number_nonzero(&x->w, 6, strings_add(&x->strings, id, m->n_id));
	wire_close(&x->w, mark);
}

static void proto_write_header(void *writer, const struct snap_header *h)
{
	struct proto_writer *x = writer;

	wire_number_nonzero(&x->w, PROFILE_TIME, h->time_ns);
	wire_number_nonzero(&x->w, PROFILE_DURATION, h->duration_ns);
	proto_write_value_type(x, PROFILE_PERIOD_TYPE, h->period_type.type, h->period_type.unit);
	wire_number_nonzero(&x->w, PROFILE_PERIOD, h->period);
	if (h->drop_frames)
		wire_number_nonzero(&x->w, PROFILE_DROP, proto_add_string(x, h->drop_frames));
	if (h->default_type)
		wire_number_nonzero(&x->w, PROFILE_DEFAULT_TYPE, proto_add_string(x, h->default_type));
}

static void proto_write_comment(void *writer, const char *text)
{
	struct proto_writer *x = writer;

	wire_number(&x->w, PROFILE_COMMENT, proto_add_string(x, text));
}

static void proto_write_functions(struct proto_writer *x)
{
	for (uint32_t i = 1; i < x->functions.string.n; i++) {
		uint32_t texts[3];
		size_t n, mark = wire_open(&x->w, PROFILE_FUNCTION);

		memcpy(texts, strings_get(&x->functions, i, &n), sizeof(texts));
		wire_number_nonzero(&x->w, FUNCTION_ID, i);
		wire_number_nonzero(&x->w, FUNCTION_NAME, texts[0]);
		wire_number_nonzero(&x->w, FUNCTION_SYSTEM_NAME, texts[1]);
		wire_number_nonzero(&x->w, FUNCTION_FILE, texts[2]);
		wire_close(&x->w, mark);
	}
}

/* Write the functions and strings, which are complete before the first sample. */
static void proto_texts_end(void *writer)
{
	struct proto_writer *x = writer;

	proto_write_functions(x);
	for (uint32_t i = 0; i < x->strings.string.n; i++) {
		size_t n;
		const char *text = strings_get(&x->strings, i, &n);

		wire_bytes(&x->w, PROFILE_STRING, text, n);
	}
}

static const struct snap_parts proto_parts = {
	.type = proto_write_type,
	.header = proto_write_header,
	.comment = proto_write_comment,
	.mapping = proto_write_mapping,
	.location = proto_write_location,
	.line = proto_write_line,
	.location_end = proto_close,
	.text = proto_write_text,
	.texts_end = proto_texts_end,
	.sample = proto_write_sample,
	.label = proto_write_label,
	.number = proto_write_number,
	.sample_end = proto_close,
};

int write_snap_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	struct proto_writer *x = memory_map(sizeof(*x));
	struct collector_gzip *gzip = x ? gzip_open(sink, arg, s->row.n <= SMALL_ROWS) : NULL;
	int rc = -ENOMEM, failed;

	if (gzip) {
		wire_begin(&x->w, x->buffer, sizeof(x->buffer), gzip_sink, gzip);
		rc = write_snap_parts(s, names, names_arg, &proto_parts, x);
		if (!wire_end(&x->w) && rc == 0)
			rc = -EIO;
		failed = gzip_close(gzip);
		rc = failed ? failed : rc;
		strings_release(&x->strings);
		strings_release(&x->functions);
	}
	memory_unmap(x, sizeof(*x));
	return rc;
}
