/*
 * context.c - read the process context of OpenTelemetry from the memory of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/context.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/pprof/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 10, HEADER_VERSION = 2 };
enum { RESOURCE = 1, ATTRIBUTES = 2, RESOURCE_ATTRIBUTES = 1, PAIR_KEY = 1, PAIR_VALUE = 2 };
enum { ANY_STRING = 1, ANY_BOOL, ANY_INT, ANY_DOUBLE, ANY_ARRAY, ARRAY_VALUES = 1 };

struct context_head {
	char signature[8];
	uint32_t version, size;
	uint64_t published_ns, payload;
};

bool attach_context_is_mapping(const char *path)
{
	static const char *const names[] = { "[anon_shmem:OTEL_CTX]", "[anon:OTEL_CTX]", "/memfd:OTEL_CTX" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(path, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

uint32_t attach_context_add_text(struct buf *to, const uint8_t *text, size_t n)
{
	uint32_t at = (uint32_t)to->len, code;

	for (size_t i = 0; i < n;) {
		size_t size = text[i] ? utf8_decode((const char *)text + i, n - i, &code) : 0;

		if (size)
			buf_add(to, text + i, size);
		else
			buf_addz(to, "\xef\xbf\xbd");
		i += size ? size : 1;
	}
	buf_add(to, "", 1);
	return at;
}

/* Append a value of any kind as text; those that are messages are not needed. */
static uint32_t context_add_value(struct process_context *c, const struct field *f)
{
	uint32_t at = (uint32_t)c->text.len;
	double number;

	if (f->number == ANY_STRING && f->type == WIRE_BYTES)
		return attach_context_add_text(&c->text, f->data, f->n);
	if (f->number == ANY_BOOL && f->type == WIRE_VARINT)
		buf_addz(&c->text, f->value ? "true" : "false");
	else if (f->number == ANY_INT && f->type == WIRE_VARINT)
		buf_addf(&c->text, "%lld", (long long)f->value);
	else if (f->number == ANY_DOUBLE && f->type == WIRE_FIXED64) {
		memcpy(&number, &f->value, sizeof(number));
		buf_addf(&c->text, "%g", number);
	}
	buf_add(&c->text, "", 1);
	return at;
}

/* Read the names of the keys of thread contexts: an array of strings. */
static const char *read_label_keys(struct process_context *c, const struct field *array)
{
	struct cursor values = { array->data, array->data + array->n, NULL };
	struct field item;

	while (cursor_field(&values, &item)) {
		struct cursor any = { item.data, item.data + item.n, NULL };
		struct field text;

		if (item.number != ARRAY_VALUES || item.type != WIRE_BYTES)
			continue;
		if (c->n_label_keys == CONTEXT_KEYS_READ_MAX)
			return "more than 256 keys of labels";
		if (!cursor_field(&any, &text) || text.number != ANY_STRING || text.type != WIRE_BYTES)
			return any.error ? any.error : "a key of labels is not a text";
		c->label_key[c->n_label_keys++] = attach_context_add_text(&c->text, text.data, text.n);
	}
	return values.error;
}

/* Split a KeyValue. Fields of value and its first field may be missing: number 0. */
static const char *split_pair(const struct field *pair, struct field *key, struct field *value)
{
	struct cursor at = { pair->data, pair->data + pair->n, NULL };
	struct field f;

	*key = *value = (struct field){ 0 };
	while (cursor_field(&at, &f)) {
		struct cursor any;

		if (f.type != WIRE_BYTES)
			continue;
		if (f.number == PAIR_KEY)
			*key = f;
		if (f.number != PAIR_VALUE)
			continue;
		any = (struct cursor){ f.data, f.data + f.n, NULL };
		if (!cursor_field(&any, value)) {
			*value = (struct field){ 0 };
			if (any.error)
				return any.error;
		}
	}
	return at.error;
}

static bool context_is_text(const struct field *f, const char *text)
{
	return f->n == strlen(text) && memcmp(f->data, text, f->n) == 0;
}

/* Read a pair that is not part of the resource: those of thread contexts are used. */
static const char *read_extra(struct process_context *c, const struct field *pair)
{
	struct field key, value;
	const char *problem = split_pair(pair, &key, &value);

	if (problem || !key.number)
		return problem;
	if (context_is_text(&key, "threadlocal.schema_version") && value.type == WIRE_BYTES)
		c->has_thread_contexts = context_is_text(&value, "tlsdesc_v1_dev") || context_is_text(&value, "tls_v1");
	else if (context_is_text(&key, "threadlocal.attribute_key_map") && value.number == ANY_ARRAY &&
		 value.type == WIRE_BYTES)
		return read_label_keys(c, &value);
	return NULL;
}

static const char *read_resource(struct process_context *c, const struct field *resource)
{
	struct cursor at = { resource->data, resource->data + resource->n, NULL };
	struct field f, key, value;

	while (cursor_field(&at, &f)) {
		const char *problem;

		if (f.number != RESOURCE_ATTRIBUTES || f.type != WIRE_BYTES)
			continue;
		problem = split_pair(&f, &key, &value);
		if (problem)
			return problem;
		if (c->n == CONTEXT_PAIRS_READ_MAX)
			return "more than 256 attributes";
		if (!key.n)
			continue;
		c->key[c->n] = attach_context_add_text(&c->text, key.data, key.n);
		c->value[c->n++] = context_add_value(c, &value);
	}
	return at.error;
}

const char *attach_context_decode(struct process_context *c, const uint8_t *data, size_t n)
{
	struct process_context *new = mem_zalloc(1, sizeof(*new));
	struct cursor at = { data, data + n, NULL };
	const char *problem = NULL;
	struct field f;

	while (!problem && cursor_field(&at, &f)) {
		if (f.type != WIRE_BYTES)
			continue;
		if (f.number == RESOURCE)
			problem = read_resource(new, &f);
		else if (f.number == ATTRIBUTES)
			problem = read_extra(new, &f);
	}
	problem = problem ? problem : at.error;
	if (problem) {
		buf_release(&new->text);
	} else {
		buf_release(&c->text);
		new->address = c->address;
		*c = *new;
	}
	free(new);
	return problem;
}

/* Read the header and the message once. published_ns: out. Returns NULL, or what is wrong; "" if it was being changed. */
static const char *context_read_once(struct process_context *c, struct address_space *space, uint8_t *data,
				     uint64_t *published_ns)
{
	static const char changed[] = "";
	struct context_head h, after;
	const char *problem;
	size_t got;

	if (space_read(space, c->address, &h, sizeof(h)) != sizeof(h))
		return "the header cannot be read";
	if (memcmp(h.signature, "OTEL_CTX", sizeof(h.signature)) != 0)
		return "the header is not one";
	if (h.version != HEADER_VERSION)
		return "the version of the header is not 2";
	*published_ns = h.published_ns;
	if (h.published_ns == 0)
		return changed;
	if (h.published_ns == c->published_ns)
		return NULL;
	if (h.size == 0 || h.size > CONTEXT_SIZE_MAX)
		return "the message is empty or larger than 64 KiB";
	got = space_read(space, h.payload, data, h.size);
	if (space_read(space, c->address, &after, sizeof(after)) != sizeof(after) ||
	    after.published_ns != h.published_ns)
		return changed;
	if (got != h.size)
		return "the message cannot be read";
	problem = attach_context_decode(c, data, h.size);
	return problem;
}

bool attach_context_read(struct process_context *c, struct address_space *space)
{
	uint8_t *data;
	const char *problem = "";

	if (!c->address)
		return false;
	data = mem_alloc(CONTEXT_SIZE_MAX, 1);
	for (int i = 0; i < TRIES && problem && !*problem; i++) {
		uint64_t published_ns;

		problem = context_read_once(c, space, data, &published_ns);
		if (!problem)
			c->published_ns = published_ns;
	}
	c->problem = problem && !*problem ? "it was changed whenever it was read" : problem;
	free(data);
	return c->published_ns != 0;
}

const char *attach_context_value(const struct process_context *c, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->text.data + c->key[i], key) == 0)
			return c->text.data + c->value[i];
	return NULL;
}

void attach_context_release(struct process_context *c)
{
	buf_release(&c->text);
	*c = (struct process_context){ 0 };
}
