/*
 * push.c - requests with which agents push profiles: protocol buffers, JSON, and labels in a query
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/base64.h"
#include "base/jansson.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "formats/common/format.h"
#include "formats/folded/folded.h"
#include "formats/pprof/cursor.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 16 }; /* of the brackets in a request */

void push_release(struct push *p)
{
	arena_free(p->mem);
	free(p->owned);
	*p = (struct push){ 0 };
}

const char *push_find_label(const struct push_label *label, size_t n, const char *name)
{
	for (size_t i = n; i > 0; i--)
		if (strcmp(label[i - 1].name, name) == 0)
			return label[i - 1].value;
	return NULL;
}

const char *push_label(const struct push_item *item, const char *name)
{
	return push_find_label(item->label, item->n_labels, name);
}

bool push_is_text(const char *s, size_t n)
{
	for (size_t at = 0, width; at < n; at += width) {
		uint32_t c;

		width = utf8_decode(s + at, n - at, &c);
		if (!width || !utf8_is_safe(c))
			return false;
	}
	return true;
}

int push_add_label(struct push *p, struct push_labels *to, const char *name, size_t n_name, const char *value,
		   size_t n_value, struct err *err)
{
	size_t number = to->n + 1;

	if (to->n >= PUSH_LABELS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d labels", (int)PUSH_LABELS_MAX);
	if (n_name == 0 || n_name > PUSH_LABEL_BYTES_MAX || !push_is_text(name, n_name))
		return err_set(err, ERR_FORMAT, "label %zu: the name is not a text of 1 to %d bytes", number,
			       (int)PUSH_LABEL_BYTES_MAX);
	if (n_value > PUSH_LABEL_BYTES_MAX || !push_is_text(value, n_value))
		return err_set(err, ERR_FORMAT, "label %zu: the value is not a text of at most %d bytes", number,
			       (int)PUSH_LABEL_BYTES_MAX);
	to->label[to->n++] =
		(struct push_label){ arena_strndup(p->mem, name, n_name), arena_strndup(p->mem, value, n_value) };
	return 0;
}

const struct push_label *push_copy_labels(struct push *p, const struct push_labels *from)
{
	struct push_label *to = arena_alloc(p->mem, from->n + 1, sizeof(*to));

	memcpy(to, from->label, from->n * sizeof(*to));
	return to;
}

int push_add_item(struct push *p, size_t *cap, const struct push_item *item, struct err *err)
{
	if (p->n >= PUSH_ITEMS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d profiles in a request", (int)PUSH_ITEMS_MAX);
	if (p->n == *cap) { /* the old array stays in the arena: half of the new one */
		struct push_item *more = arena_alloc(p->mem, *cap * 2 + 8, sizeof(*more));

		if (p->n)
			memcpy(more, p->item, p->n * sizeof(*more));
		p->item = more;
		*cap = *cap * 2 + 8;
	}
	p->item[p->n++] = *item;
	return 0;
}

/* ---- protocol buffers ---- */

/*
 * The messages that Pyroscope's clients send to /push.v1.PusherService/Push. The two fields of a LabelPair are its name
 * and value, those of a RawSample a profile and an id, which is equal for repeated requests. In Parca's messages the labels of a
 * series are in another message, and the second field of a sample describes executables.
 */
enum { SERIES_LABEL = 1, SERIES_SAMPLE = 2, N_PAIR = 2 };

struct push_schema {
	const char *name;
	uint64_t series; /* number of the field of the request */
	bool has_set;    /* the labels of a series are in a message of their own */
};
static const struct push_schema pyroscope_schema = { "push.v1.PushRequest", 1, false };
static const struct push_schema parca_schema = { "WriteRawRequest", 2, true };

struct proto_reader {
	const struct push_schema *schema;
	const uint8_t *body;
	struct push *p;
	size_t cap;
};

static struct cursor push_cursor(const struct field *message)
{
	return (struct cursor){ .at = message->data, .end = message->data + message->n };
}

/* Returns 0 if the cursor has no error. */
static int push_check_cursor(const struct proto_reader *r, const struct cursor *c, struct err *err)
{
	return !c->error ? 0
			 : err_set(err, ERR_FORMAT, "the body is not a message %s: byte %zu: %s", r->schema->name,
				   (size_t)(c->at - r->body), c->error);
}

/* Read the next field with this number, of bytes. False at the end, and on error with c->error set. */
static bool push_next_field(struct cursor *c, uint64_t number, struct field *out)
{
	while (cursor_field(c, out))
		if (out->number == number)
			return cursor_expect(c, out, WIRE_BYTES);
	return false;
}

/* Read a message of two fields of bytes. Fields that are missing are empty. */
static int push_read_pair(const struct proto_reader *r, const struct field *message, struct field pair[N_PAIR],
			  struct err *err)
{
	int rc = 0;

	for (uint64_t i = 0; i < N_PAIR && rc == 0; i++) {
		struct cursor c = push_cursor(message);
		struct field f;

		pair[i] = (struct field){ .data = (const uint8_t *)"" };
		while (push_next_field(&c, i + 1, &f))
			pair[i] = f;
		rc = push_check_cursor(r, &c, err);
	}
	return rc;
}

static int add_proto_sample(struct proto_reader *r, const struct field *sample, struct push_item *item, struct err *err)
{
	struct field pair[N_PAIR];
	int rc = push_read_pair(r, sample, pair, err);

	if (rc < 0)
		return rc;
	item->data = pair[0].data;
	item->n = pair[0].n;
	item->id = r->schema->has_set ? "" : arena_strndup(r->p->mem, (const char *)pair[1].data, pair[1].n);
	return push_add_item(r->p, &r->cap, item, err);
}

/* Add the labels in a message; is_set: they are one level deeper. */
static int add_proto_labels(struct proto_reader *r, const struct field *message, bool is_set, struct push_labels *all,
			    struct err *err)
{
	struct cursor labels = push_cursor(message);
	struct field f, pair[N_PAIR];
	int rc = 0;

	while (rc == 0 && push_next_field(&labels, SERIES_LABEL, &f)) {
		rc = is_set ? add_proto_labels(r, &f, false, all, err) : push_read_pair(r, &f, pair, err);
		if (rc == 0 && !is_set)
			rc = push_add_label(r->p, all, (const char *)pair[0].data, pair[0].n,
					    (const char *)pair[1].data, pair[1].n, err);
	}
	return rc < 0 ? rc : push_check_cursor(r, &labels, err);
}

/* Add the service of a series of Parca, whose labels are those of a target of Prometheus or of a process. */
static int push_add_service(struct push *p, const struct push_schema *schema, struct push_labels *all, struct err *err)
{
	static const char *const names[] = { "job", "container", "comm" };
	static const char service[] = "service_name";

	if (!schema->has_set || push_find_label(all->label, all->n, service) ||
	    push_find_label(all->label, all->n, "service"))
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = push_find_label(all->label, all->n, names[i]);

		if (value && *value)
			return push_add_label(p, all, service, strlen(service), value, strlen(value), err);
	}
	return 0;
}

static int add_proto_series(struct proto_reader *r, const struct field *series, struct err *err)
{
	struct cursor samples = push_cursor(series);
	struct push_labels all = { .n = 0 };
	struct push_item item = { .kind = "" };
	struct field f;
	int rc = add_proto_labels(r, series, r->schema->has_set, &all, err);

	rc = rc < 0 ? rc : push_add_service(r->p, r->schema, &all, err);
	item.n_labels = all.n;
	while (rc == 0 && push_next_field(&samples, SERIES_SAMPLE, &f)) {
		if (!item.label) /* many series without samples take no memory */
			item.label = push_copy_labels(r->p, &all);
		rc = add_proto_sample(r, &f, &item, err);
	}
	return rc < 0 ? rc : push_check_cursor(r, &samples, err);
}

static int push_read_proto_schema(const struct push_schema *schema, const uint8_t *data, size_t n, struct push *out,
				  struct err *err)
{
	struct push p = { .mem = arena_new(), .skipped = "" };
	struct proto_reader r = { .schema = schema, .body = data, .p = &p };
	struct cursor c = { .at = data, .end = data + n };
	struct field f;
	size_t n_series = 0;
	int rc = 0;

	while (rc == 0 && push_next_field(&c, schema->series, &f)) {
		n_series++;
		rc = add_proto_series(&r, &f, err);
		if (rc < 0)
			err_wrap(err, "series %zu", n_series);
	}
	rc = rc < 0 ? rc : push_check_cursor(&r, &c, err);
	if (rc < 0)
		push_release(&p);
	else
		*out = p;
	return rc;
}

int push_read_proto(const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	return push_read_proto_schema(&pyroscope_schema, data, n, out, err);
}

int push_read_parca(const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	return push_read_proto_schema(&parca_schema, data, n, out, err);
}

/* ---- JSON ---- */

bool push_is_deep(const uint8_t *data, size_t n)
{
	unsigned depth = 0;
	bool in_text = false;

	for (size_t i = 0; i < n; i++) {
		if (in_text && data[i] == '\\')
			i++;
		else if (data[i] == '"')
			in_text = !in_text;
		else if (!in_text && (data[i] == '{' || data[i] == '['))
			depth++;
		else if (!in_text && (data[i] == '}' || data[i] == ']') && depth > 0)
			depth--;
		if (depth > JSON_DEPTH_MAX)
			return true;
	}
	return false;
}

struct json_reader {
	const struct push_schema *schema;
	const struct jansson *lib;
	struct push *p;
	size_t cap;
};

/* The text of a field; "" if there is none. */
static const char *push_text_of(const struct json_reader *r, const json_t *object, const char *key, size_t *n)
{
	const json_t *value = r->lib->object_get(object, key);
	const char *text = r->lib->string_value(value);

	*n = text ? r->lib->string_length(value) : 0;
	return text ? text : "";
}

static int add_json_sample(struct json_reader *r, const json_t *sample, struct push_item *item, struct err *err)
{
	size_t n, n_id;
	const char *text = push_text_of(r, sample, "rawProfile", &n), *id = push_text_of(r, sample, "ID", &n_id);
	uint8_t *data;

	if (n == 0)
		text = push_text_of(r, sample, "raw_profile", &n);
	if (n_id == 0)
		id = push_text_of(r, sample, "id", &n_id);
	data = arena_alloc(r->p->mem, n / 4 * 3 + 4, 1);
	if (!base64_decode(text, n, data, &item->n))
		return err_set(err, ERR_FORMAT, "rawProfile is not base64");
	item->data = data;
	item->id = arena_strndup(r->p->mem, id, n_id);
	return push_add_item(r->p, &r->cap, item, err);
}

static int add_json_series(struct json_reader *r, const json_t *series, struct err *err)
{
	const json_t *labels = r->lib->object_get(series, "labels"), *samples = r->lib->object_get(series, "samples");
	struct push_labels all = { .n = 0 };
	struct push_item item = { .kind = "" };
	int rc = 0;

	if (r->schema->has_set)
		labels = r->lib->object_get(labels, "labels");
	for (size_t i = 0; i < r->lib->array_size(labels) && rc == 0; i++) {
		const json_t *label = r->lib->array_get(labels, i);
		size_t n_name, n_value;
		const char *name = push_text_of(r, label, "name", &n_name),
			   *value = push_text_of(r, label, "value", &n_value);

		rc = push_add_label(r->p, &all, name, n_name, value, n_value, err);
	}
	rc = rc < 0 ? rc : push_add_service(r->p, r->schema, &all, err);
	item.label = push_copy_labels(r->p, &all);
	item.n_labels = all.n;
	for (size_t i = 0; i < r->lib->array_size(samples) && rc == 0; i++) {
		rc = add_json_sample(r, r->lib->array_get(samples, i), &item, err);
		if (rc < 0)
			err_wrap(err, "sample %zu", i + 1);
	}
	return rc;
}

static int push_read_json_schema(const struct push_schema *schema, const uint8_t *data, size_t n, struct push *out,
				 struct err *err)
{
	struct push p = { .skipped = "" };
	struct json_reader r = { .schema = schema, .p = &p };
	json_error_t problem;
	const json_t *series;
	json_t *root;
	int rc = push_is_deep(data, n) ? err_set(err, ERR_FORMAT, "the JSON is nested too deeply") : 0;

	rc = rc < 0 ? rc : jansson_load(&r.lib, err);
	if (rc < 0)
		return rc;
	root = r.lib->loadb((const char *)data, n, 0, &problem);
	if (!root)
		return err_set(err, ERR_FORMAT, "the body is not JSON: line %d: %s", problem.line, problem.text);
	p.mem = arena_new();
	series = r.lib->object_get(root, "series");
	for (size_t i = 0; i < r.lib->array_size(series) && rc == 0; i++) {
		rc = add_json_series(&r, r.lib->array_get(series, i), err);
		if (rc < 0)
			err_wrap(err, "series %zu", i + 1);
	}
	r.lib->delete (root);
	if (rc < 0)
		push_release(&p);
	else
		*out = p;
	return rc;
}

int push_read_json(const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	return push_read_json_schema(&pyroscope_schema, data, n, out, err);
}

int push_read_parca_json(const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	return push_read_json_schema(&parca_schema, data, n, out, err);
}

/* ---- profiles ---- */

int push_inflate(struct bytes *in, const struct format_options *options, struct bytes *out, struct err *err)
{
	struct format_options two = *options;

	two.max_nesting = 2; /* of the request, and of the profile in it */
	return format_inflate(in, &two, out, err);
}

static int push_read_folded(const struct push *p, const struct push_item *item, const struct format_options *options,
			    struct profile **out, struct err *err)
{
	const struct folded_pushed pushed = { .type = p->type,
					      .unit = p->unit,
					      .value_ns = strcmp(p->type, "cpu") == 0 ? NS_PER_S / p->rate : 0,
					      .counts_lines = p->format == PUSH_LINES };

	return folded_read_pushed(&pushed, item->data, item->n, options, out, err);
}

int push_make_profile(const struct push *p, const struct push_item *item, const struct format_options *options,
		      struct profile **out, struct err *err)
{
	struct bytes copy;

	if (p->format != PUSH_PPROF)
		return push_read_folded(p, item, options, out, err);
	if (item->n == 0)
		return err_set(err, ERR_FORMAT, "the profile is empty");
	copy = (struct bytes){ .data = mem_alloc(item->n, 1), .n = item->n };
	memcpy(copy.data, item->data, item->n);
	return formats_read(&copy, options, out, err);
}
