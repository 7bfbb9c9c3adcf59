/*
 * push_recording.c - recordings of Java with the labels that Pyroscope's agent sends beside them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The labels are a protocol buffer, from jfr_labels.proto of github.com/grafana/pyroscope-java: LabelsSnapshot { contexts = 1:
 * map of int64 to Context; strings = 2: map of int64 to string }, Context { labels = 1: map of int64 to int64 }, where key and
 * value of a label are ids of strings.
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/mem.h"
#include "formats/jfr/jfr.h"
#include "formats/pprof/cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOT_MAX = 1000000, SNAPSHOT_CONTEXTS = 1, SNAPSHOT_STRINGS = 2 };

/* An entry of a map. */
struct snapshot_map_entry {
	int64_t id, number;
	struct cursor value;
};

struct snapshot_reader {
	struct arena *mem;
	struct jfr_context *context;
	struct jfr_context_text *text;
	size_t n, n_texts, n_labels, cap, cap_texts;
};

/* Read an entry: its key, and its value as number or bytes. */
static int snapshot_read_entry(const struct field *f, struct snapshot_map_entry *out, struct err *err)
{
	struct cursor c = { .at = f->data, .end = f->data + f->n };
	struct field part = { 0 };

	*out = (struct snapshot_map_entry){ .value = { .at = f->data, .end = f->data } };
	while (cursor_field(&c, &part)) {
		if (part.number == 1 && part.type == WIRE_VARINT)
			out->id = (int64_t)part.value;
		else if (part.number == 2 && part.type == WIRE_VARINT)
			out->number = (int64_t)part.value;
		else if (part.number == 2 && part.type == WIRE_BYTES)
			out->value = (struct cursor){ .at = part.data, .end = part.data + part.n };
	}
	return c.error ? err_set(err, ERR_FORMAT, "labels: %s", c.error) : 0;
}

static int snapshot_compare_texts(const void *a, const void *b)
{
	int64_t x = ((const struct jfr_context_text *)a)->id, y = ((const struct jfr_context_text *)b)->id;

	return (x > y) - (x < y);
}

static int snapshot_compare_contexts(const void *a, const void *b)
{
	int64_t x = ((const struct jfr_context *)a)->id, y = ((const struct jfr_context *)b)->id;

	return (x > y) - (x < y);
}

static int snapshot_compare_labels(const void *a, const void *b)
{
	const struct jfr_context_label *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : strcmp(x->value, y->value);
}

static const char *snapshot_find_text(const struct snapshot_reader *r, int64_t id)
{
	const struct jfr_context_text key = { .id = id }, *found;

	found = r->n_texts ? bsearch(&key, r->text, r->n_texts, sizeof(key), snapshot_compare_texts) : NULL;
	return found ? found->text : NULL;
}

static int snapshot_add_text(struct snapshot_reader *r, const struct field *f, struct err *err)
{
	struct snapshot_map_entry e;
	const char *text;
	size_t n;
	int rc = snapshot_read_entry(f, &e, err);

	if (rc < 0)
		return rc;
	text = (const char *)e.value.at;
	n = (size_t)(e.value.end - e.value.at);
	if (r->n_texts == SNAPSHOT_MAX)
		return err_set(err, ERR_LIMIT, "labels: more than %d strings", (int)SNAPSHOT_MAX);
	if (n > PUSH_LABEL_BYTES_MAX || !push_is_text(text, n))
		return err_set(err, ERR_FORMAT, "labels: string %" PRId64 " is not a text of at most %d bytes", e.id,
			       (int)PUSH_LABEL_BYTES_MAX);
	r->text = mem_grow(r->text, &r->cap_texts, r->n_texts + 1, sizeof(*r->text));
	r->text[r->n_texts++] = (struct jfr_context_text){ e.id, arena_strndup(r->mem, text, n) };
	return 0;
}

static int snapshot_add_context(struct snapshot_reader *r, const struct field *f, struct err *err)
{
	struct snapshot_map_entry e, pair;
	struct jfr_context_label *label;
	struct cursor c;
	struct field part = { 0 };
	size_t n = 0;
	int rc = snapshot_read_entry(f, &e, err);

	for (c = e.value; rc == 0 && cursor_field(&c, &part);)
		n += part.number == 1 && part.type == WIRE_BYTES;
	r->n_labels += n;
	if (rc == 0 && (r->n == SNAPSHOT_MAX || r->n_labels > SNAPSHOT_MAX))
		return err_set(err, ERR_LIMIT, "labels: more than %d contexts or labels", (int)SNAPSHOT_MAX);
	label = arena_alloc(r->mem, n + 1, sizeof(*label));
	n = 0;
	for (c = e.value; rc == 0 && cursor_field(&c, &part);) {
		if (part.number != 1 || part.type != WIRE_BYTES)
			continue;
		rc = snapshot_read_entry(&part, &pair, err);
		label[n].key = rc < 0 ? NULL : snapshot_find_text(r, pair.id);
		label[n].value = rc < 0 ? NULL : snapshot_find_text(r, pair.number);
		n += label[n].key && *label[n].key && label[n].value;
	}
	if (rc == 0 && c.error)
		rc = err_set(err, ERR_FORMAT, "labels: %s", c.error);
	if (rc < 0)
		return rc;
	qsort(label, n, sizeof(*label), snapshot_compare_labels);
	r->context = mem_grow(r->context, &r->cap, r->n + 1, sizeof(*r->context));
	r->context[r->n++] = (struct jfr_context){ e.id, label, n };
	return 0;
}

/* Call add for each entry of a map. */
static int snapshot_for_each(struct snapshot_reader *r, const struct bytes *data, uint64_t number,
			     int (*add)(struct snapshot_reader *r, const struct field *f, struct err *err),
			     struct err *err)
{
	struct cursor c = { .at = data->data };
	struct field f;
	int rc = 0;

	if (data->n == 0)
		return 0; /* the data may be NULL */
	c.end = c.at + data->n;
	while (rc == 0 && cursor_field(&c, &f))
		if (f.number == number && f.type == WIRE_BYTES)
			rc = add(r, &f, err);
	return rc == 0 && c.error ? err_set(err, ERR_FORMAT, "labels: %s", c.error) : rc;
}

/* Read the labels of an item, which may be compressed. */
static int snapshot_read(struct snapshot_reader *r, const struct push_item *item, const struct format_options *options,
			 struct err *err)
{
	struct bytes copy = { .data = mem_alloc(item->n_contexts + 1, 1), .n = item->n_contexts }, data = { 0 };
	int rc;

	memcpy(copy.data, item->contexts, copy.n);
	rc = format_inflate(&copy, options, &data, err);
	if (rc < 0)
		return err_wrap(err, "labels");
	rc = snapshot_for_each(r, &data, SNAPSHOT_STRINGS, snapshot_add_text, err);
	if (r->n_texts)
		qsort(r->text, r->n_texts, sizeof(*r->text), snapshot_compare_texts);
	rc = rc < 0 ? rc : snapshot_for_each(r, &data, SNAPSHOT_CONTEXTS, snapshot_add_context, err);
	if (r->n)
		qsort(r->context, r->n, sizeof(*r->context), snapshot_compare_contexts);
	free(data.data);
	return rc;
}

int push_read_recording(const struct push_item *item, const uint8_t *data, size_t n,
			const struct format_options *options, struct profile **out, struct err *err)
{
	struct snapshot_reader r = { .mem = arena_new() };
	struct jfr_contexts contexts = { 0 };
	int rc = item->n_contexts ? snapshot_read(&r, item, options, err) : 0;

	contexts = (struct jfr_contexts){ r.context, r.n, r.text, r.n_texts };
	if (rc == 0)
		rc = jfr_read_contexts(data, n, &contexts, options, out, err);
	if (rc == ERR_UNKNOWN)
		rc = err_set(err, ERR_FORMAT, "not a recording of Java");
	free(r.context);
	free(r.text);
	arena_free(r.mem);
	return rc;
}
