/*
 * json.c - OTLP profiles as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * JSON has the names of fields, so each object is copied to the protobuf message that it means, with the numbers of
 * release 1.11, and the messages are read as such. Files of the collector have an object per line. Names are those of
 * 1.8 and later; sample, value and line of 1.8 are samples, values and lines since 1.9.
 */
#include "config.h"

#include "formats/otlp/otlp.h"
#include "formats/otlp/otlp_int.h"

#include "base/buf.h"
#include "formats/json/jsonr.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of values; the last ones are messages. */
enum otlp_json_kind {
	JSON_TEXT,
	JSON_INT,
	JSON_FIXED,
	JSON_REAL,
	JSON_HEX,
	JSON_OLDER, /* a field of releases before 1.8 */
	JSON_UNUSED,
	JSON_ROOT,
	JSON_RESOURCES,
	JSON_RESOURCE,
	JSON_SCOPES,
	JSON_SCOPE,
	JSON_PROFILE,
	JSON_TYPE,
	JSON_SAMPLE,
	JSON_DICTIONARY,
	JSON_MAPPING,
	JSON_LOCATION,
	JSON_LINE,
	JSON_FUNCTION,
	JSON_LINK,
	JSON_PAIR,
	JSON_ATTRIBUTE,
	JSON_ANY,
	JSON_ARRAY_VALUE,
	JSON_MAP_VALUE,
	JSON_STACK
};

static const struct otlp_json_field {
	enum otlp_json_kind message;
	const char *name;
	uint32_t number;
	enum otlp_json_kind kind;
} otlp_json_fields[] = {
	{ JSON_ROOT, "resourceProfiles", 1, JSON_RESOURCES },
	{ JSON_ROOT, "dictionary", 2, JSON_DICTIONARY },
	{ JSON_ROOT, "stringTable", 0, JSON_OLDER },
	{ JSON_RESOURCES, "resource", 1, JSON_RESOURCE },
	{ JSON_RESOURCES, "scopeProfiles", 2, JSON_SCOPES },
	{ JSON_RESOURCE, "attributes", 1, JSON_PAIR },
	{ JSON_SCOPES, "scope", 1, JSON_SCOPE },
	{ JSON_SCOPES, "profiles", 2, JSON_PROFILE },
	{ JSON_SCOPE, "name", 1, JSON_TEXT },
	{ JSON_SCOPE, "version", 2, JSON_TEXT },
	{ JSON_SCOPE, "attributes", 3, JSON_PAIR },
	{ JSON_PROFILE, "sampleType", 1, JSON_TYPE },
	{ JSON_PROFILE, "samples", 2, JSON_SAMPLE },
	{ JSON_PROFILE, "sample", 2, JSON_SAMPLE },
	{ JSON_PROFILE, "timeUnixNano", 3, JSON_FIXED },
	{ JSON_PROFILE, "durationNano", 4, JSON_INT },
	{ JSON_PROFILE, "periodType", 5, JSON_TYPE },
	{ JSON_PROFILE, "period", 6, JSON_INT },
	{ JSON_PROFILE, "attributeIndices", 11, JSON_INT },
	{ JSON_PROFILE, "locationIndices", 0, JSON_OLDER },
	{ JSON_PROFILE, "profile", 0, JSON_OLDER },
	{ JSON_PROFILE, "commentStrindices", 7, JSON_INT }, /* of 1.8 */
	{ JSON_PROFILE, "profileId", 0, JSON_UNUSED },
	{ JSON_PROFILE, "droppedAttributesCount", 0, JSON_UNUSED },
	{ JSON_PROFILE, "originalPayloadFormat", 0, JSON_UNUSED },
	{ JSON_PROFILE, "originalPayload", 0, JSON_UNUSED },
	{ JSON_RESOURCES, "schemaUrl", 0, JSON_UNUSED },
	{ JSON_SCOPES, "schemaUrl", 0, JSON_UNUSED },
	{ JSON_RESOURCE, "droppedAttributesCount", 0, JSON_UNUSED },
	{ JSON_RESOURCE, "entityRefs", 0, JSON_UNUSED },
	{ JSON_SCOPE, "droppedAttributesCount", 0, JSON_UNUSED },
	{ JSON_TYPE, "typeStrindex", 1, JSON_INT },
	{ JSON_TYPE, "unitStrindex", 2, JSON_INT },
	{ JSON_SAMPLE, "stackIndex", 1, JSON_INT },
	{ JSON_SAMPLE, "attributeIndices", 2, JSON_INT },
	{ JSON_SAMPLE, "linkIndex", 3, JSON_INT },
	{ JSON_SAMPLE, "values", 4, JSON_INT },
	{ JSON_SAMPLE, "value", 4, JSON_INT },
	{ JSON_SAMPLE, "timestampsUnixNano", 5, JSON_FIXED },
	{ JSON_SAMPLE, "locationsStartIndex", 0, JSON_OLDER },
	{ JSON_DICTIONARY, "mappingTable", 1, JSON_MAPPING },
	{ JSON_DICTIONARY, "locationTable", 2, JSON_LOCATION },
	{ JSON_DICTIONARY, "functionTable", 3, JSON_FUNCTION },
	{ JSON_DICTIONARY, "linkTable", 4, JSON_LINK },
	{ JSON_DICTIONARY, "stringTable", 5, JSON_TEXT },
	{ JSON_DICTIONARY, "attributeTable", 6, JSON_ATTRIBUTE },
	{ JSON_DICTIONARY, "stackTable", 7, JSON_STACK },
	{ JSON_MAPPING, "memoryStart", 1, JSON_INT },
	{ JSON_MAPPING, "memoryLimit", 2, JSON_INT },
	{ JSON_MAPPING, "fileOffset", 3, JSON_INT },
	{ JSON_MAPPING, "filenameStrindex", 4, JSON_INT },
	{ JSON_MAPPING, "attributeIndices", 5, JSON_INT },
	{ JSON_LOCATION, "mappingIndex", 1, JSON_INT },
	{ JSON_LOCATION, "address", 2, JSON_INT },
	{ JSON_LOCATION, "lines", 3, JSON_LINE },
	{ JSON_LOCATION, "line", 3, JSON_LINE },
	{ JSON_LOCATION, "attributeIndices", 4, JSON_INT },
	{ JSON_LINE, "functionIndex", 1, JSON_INT },
	{ JSON_LINE, "line", 2, JSON_INT },
	{ JSON_LINE, "column", 3, JSON_INT },
	{ JSON_FUNCTION, "nameStrindex", 1, JSON_INT },
	{ JSON_FUNCTION, "systemNameStrindex", 2, JSON_INT },
	{ JSON_FUNCTION, "filenameStrindex", 3, JSON_INT },
	{ JSON_FUNCTION, "startLine", 4, JSON_INT },
	{ JSON_LINK, "traceId", 1, JSON_HEX },
	{ JSON_LINK, "spanId", 2, JSON_HEX },
	{ JSON_PAIR, "key", 1, JSON_TEXT },
	{ JSON_PAIR, "value", 2, JSON_ANY },
	{ JSON_PAIR, "keyStrindex", 3, JSON_INT },
	{ JSON_ATTRIBUTE, "keyStrindex", 1, JSON_INT },
	{ JSON_ATTRIBUTE, "value", 2, JSON_ANY },
	{ JSON_ATTRIBUTE, "unitStrindex", 3, JSON_INT },
	{ JSON_ANY, "stringValue", 1, JSON_TEXT },
	{ JSON_ANY, "boolValue", 2, JSON_INT },
	{ JSON_ANY, "intValue", 3, JSON_INT },
	{ JSON_ANY, "doubleValue", 4, JSON_REAL },
	{ JSON_ANY, "arrayValue", 5, JSON_ARRAY_VALUE },
	{ JSON_ANY, "kvlistValue", 6, JSON_MAP_VALUE },
	{ JSON_ANY, "bytesValue", 1, JSON_TEXT }, /* as it is, in base64 */
	{ JSON_ANY, "stringValueStrindex", 8, JSON_INT },
	{ JSON_ARRAY_VALUE, "values", 1, JSON_ANY },
	{ JSON_MAP_VALUE, "values", 1, JSON_PAIR },
	{ JSON_STACK, "locationIndices", 1, JSON_INT },
};

/* Is the last key this name, in camel case or with underscores? */
static bool otlp_json_is(const struct jsonr *r, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < r->len; i++) {
		bool is_after_underscore = i > 0 && r->text[i - 1] == '_';
		char c = r->text[i];

		if (c == '_')
			continue;
		if (is_after_underscore && c >= 'a' && c <= 'z')
			c = (char)(c - 'a' + 'A');
		if (name[n] == '\0' || c != name[n++])
			return false;
	}
	return name[n] == '\0';
}

static const struct otlp_json_field *otlp_json_find(const struct jsonr *r, enum otlp_json_kind message)
{
	for (size_t i = 0; i < sizeof(otlp_json_fields) / sizeof(otlp_json_fields[0]); i++)
		if (otlp_json_fields[i].message == message && otlp_json_is(r, otlp_json_fields[i].name))
			return &otlp_json_fields[i];
	return NULL;
}

static void otlp_json_varint(struct buf *out, uint64_t v)
{
	uint8_t bytes[WIRE_VARINT_MAX];

	buf_add(out, bytes, (size_t)(wire_put(bytes, v) - bytes));
}

static void otlp_json_bytes(struct buf *out, uint32_t number, const void *data, size_t n)
{
	otlp_json_varint(out, (uint64_t)number << 3 | 2);
	otlp_json_varint(out, n);
	buf_add(out, data, n);
}

/* Read an integer: a number, a string of its digits, or a bool. 64 bits with or without sign. */
static uint64_t otlp_json_int(struct jsonr *r)
{
	enum jsonr_event event = jsonr_next(r);
	char text[24] = "", *end;
	uint64_t v;

	if (event == JSONR_TRUE || event == JSONR_FALSE || event == JSONR_NULL)
		return event == JSONR_TRUE;
	if ((event == JSONR_NUMBER || event == JSONR_STRING) && r->len > 0 && r->len < sizeof(text)) {
		memcpy(text, r->text, r->len);
		v = *text == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
		if (*end == '\0')
			return v;
	}
	if (r->rc == 0)
		jsonr_fail(r, ERR_FORMAT, "no integer");
	return 0;
}

static void otlp_json_fixed(struct buf *out, uint32_t number, uint64_t v)
{
	otlp_json_varint(out, (uint64_t)number << 3 | 1);
	for (unsigned i = 0; i < sizeof(v); i++) {
		uint8_t byte = (uint8_t)(v >> (8 * i));

		buf_add(out, &byte, 1);
	}
}

static void otlp_json_real(struct jsonr *r, struct buf *out, uint32_t number)
{
	double v = 0;
	uint64_t bits;

	if (!jsonr_double(r, &v))
		return;
	memcpy(&bits, &v, sizeof(bits));
	otlp_json_fixed(out, number, bits);
}

/* Copy the digits of an id. */
static void otlp_json_hex(struct jsonr *r, struct buf *out, uint32_t number)
{
	struct buf bytes = { 0 };
	static const char digits[] = "0123456789abcdef";

	if (!jsonr_string(r))
		return;
	for (size_t i = 0; i + 1 < r->len; i += 2) {
		const char *high = memchr(digits, r->text[i] | 0x20, 16),
			   *low = memchr(digits, r->text[i + 1] | 0x20, 16);
		uint8_t byte = (uint8_t)(high && low ? (high - digits) << 4 | (low - digits) : 0);

		buf_add(&bytes, &byte, 1);
	}
	otlp_json_bytes(out, number, buf_text(&bytes), bytes.len);
	buf_release(&bytes);
}

/* The reader of JSON, and the keys that it skipped. */
struct otlp_json {
	struct jsonr r;
	struct otlp_skipped_keys unknown;
};

static void otlp_json_message(struct otlp_json *j, enum otlp_json_kind message, struct buf *out);

/* Append one value of a field. */
static void otlp_json_value(struct otlp_json *j, const struct otlp_json_field *f, struct buf *out)
{
	struct jsonr *r = &j->r;
	struct buf inner = { 0 };

	switch (f->kind) {
	case JSON_TEXT:
		if (jsonr_string(r))
			otlp_json_bytes(out, f->number, r->text, r->len);
		return;
	case JSON_INT:
		otlp_json_varint(out, (uint64_t)f->number << 3);
		otlp_json_varint(out, otlp_json_int(r));
		return;
	case JSON_FIXED:
		otlp_json_fixed(out, f->number, otlp_json_int(r));
		return;
	case JSON_REAL:
		otlp_json_real(r, out, f->number);
		return;
	case JSON_HEX:
		otlp_json_hex(r, out, f->number);
		return;
	default:
		otlp_json_message(j, f->kind, &inner);
		otlp_json_bytes(out, f->number, buf_text(&inner), inner.len);
		buf_release(&inner);
	}
}

/* Skip the value of an unknown key, and count it. */
static void otlp_json_skip(struct otlp_json *j)
{
	struct otlp_skipped_keys *u = &j->unknown;
	size_t n = j->r.len < sizeof(u->first) ? j->r.len : sizeof(u->first) - 1;

	if (u->count.n == 0)
		memcpy(u->first, j->r.text, n);
	skipped_add(&u->count, 0);
	jsonr_skip(&j->r);
}

/* Append an object as a message. */
static void otlp_json_message(struct otlp_json *j, enum otlp_json_kind message, struct buf *out)
{
	struct jsonr *r = &j->r;

	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		const struct otlp_json_field *f = otlp_json_find(r, message);

		if (!f) {
			otlp_json_skip(j);
		} else if (f->kind == JSON_UNUSED) {
			jsonr_skip(r);
		} else if (f->kind == JSON_OLDER) {
			jsonr_fail(r, ERR_FORMAT, "JSON of a release before 1.8, which cpa does not read");
		} else if (jsonr_peek(r) == '[') {
			jsonr_open(r, JSONR_ARRAY);
			while (jsonr_item(r))
				otlp_json_value(j, f, out);
		} else {
			otlp_json_value(j, f, out);
		}
	}
}

int otlp_json_read_sources(const uint8_t *data, size_t n, struct otlp_sources *sources,
			   const struct format_options *options, struct profile **out, struct err *err)
{
	struct buf messages = { 0 }, message = { 0 };
	struct otlp_json j = { 0 };
	int rc;

	jsonr_init(&j.r, data, n, JSONR_DEPTH, err);
	while (j.r.rc == 0 && jsonr_peek(&j.r) != '\0') {
		otlp_json_message(&j, JSON_ROOT, &message);
		otlp_json_varint(&messages, message.len);
		buf_add(&messages, buf_text(&message), message.len);
		message.len = 0;
	}
	rc = j.r.rc;
	jsonr_release(&j.r);
	buf_release(&message);
	if (rc < 0)
		err_wrap(err, "OTLP");
	else
		rc = otlp_read_messages_of((const uint8_t *)buf_text(&messages), messages.len, &j.unknown, sources,
					   options, out, err);
	buf_release(&messages);
	return rc;
}

int otlp_json_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		   struct err *err)
{
	return otlp_json_read_sources(data, n, NULL, options, out, err);
}
