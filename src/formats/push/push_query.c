/*
 * push_query.c - requests that describe a profile in their query: /ingest and plain pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/push/push_int.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/url_escape.h"
#include "formats/folded/folded.h"
#include "formats/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_DEFAULT = 100, RATE_MAX = 1000000, FIELDS_MAX = 256 };

/* Sample types by the last part of the name of an application: "shop.alloc_space". */
static const struct {
	const char *end, *type, *unit;
} known_types[] = {
	{ "cpu", "cpu", "nanoseconds" },
	{ "itimer", "cpu", "nanoseconds" },
	{ "wall", "wall", "samples" },
	{ "alloc_objects", "alloc_objects", "count" },
	{ "alloc_space", "alloc_space", "bytes" },
	{ "inuse_objects", "inuse_objects", "count" },
	{ "inuse_space", "inuse_space", "bytes" },
	{ "goroutines", "goroutine", "count" },
	{ "mutex_count", "contentions", "count" },
	{ "mutex_duration", "delay", "nanoseconds" },
	{ "block_count", "contentions", "count" },
	{ "block_duration", "delay", "nanoseconds" },
	{ "exceptions", "exceptions", "count" },
};
enum { N_KNOWN_TYPES = sizeof(known_types) / sizeof(known_types[0]) };

/* ---- queries ---- */

/* A field of a query, unescaped. */
struct push_query_field {
	const char *name, *value;
	size_t n_value;
};

/* Split and unescape a query into the arena. Fails with ERR_FORMAT, ERR_LIMIT. */
static int push_query_split_query(struct push *p, const char *query, struct push_query_field *to, size_t *n,
				  struct err *err)
{
	struct buf text = { 0 };
	int rc = 0;

	*n = 0;
	for (const char *at = query; *at && rc == 0;) {
		size_t length = strcspn(at, "&"), n_name;
		const char *equal = memchr(at, '=', length);

		n_name = equal ? (size_t)(equal - at) : length;
		text.len = 0;
		if (length == 0) {
			rc = 0;
		} else if (*n >= FIELDS_MAX) {
			rc = err_set(err, ERR_LIMIT, "the query has more than %d fields", (int)FIELDS_MAX);
		} else if (!url_unescape(at, n_name, URL_QUERY, &text)) {
			rc = err_set(err, ERR_FORMAT, "the query has a %% without two hexadecimal digits");
		} else {
			to[*n].name = arena_strndup(p->mem, buf_text(&text), text.len);
			text.len = 0;
			if (equal && !url_unescape(equal + 1, length - n_name - 1, URL_QUERY, &text))
				rc = err_set(err, ERR_FORMAT, "the query has a %% without two hexadecimal digits");
			to[*n].value = arena_strndup(p->mem, text.len ? text.data : "", text.len);
			to[(*n)++].n_value = text.len;
		}
		at += length + (at[length] == '&');
	}
	buf_release(&text);
	return rc;
}

static const char *field_value(const struct push_query_field *f, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(f[i].name, name) == 0)
			return f[i].value;
	return "";
}

/* A time in seconds, milliseconds, microseconds or nanoseconds since 1970; its size shows which. Returns ns; 0 if invalid. */
static int64_t read_time(const char *text)
{
	char *end;
	int64_t t;

	errno = 0;
	t = strtoll(text, &end, 10);
	if (errno || *end || t <= 0)
		return 0;
	for (int64_t unit = 1; unit <= 1000000000; unit *= 1000)
		if (t >= INT64_C(1000000000000000000) / unit / 10)
			return t > INT64_MAX / unit ? 0 : t * unit;
	return 0;
}

/* Begin a request with one profile, whose body is data. */
static struct push push_query_begin(const uint8_t *data, size_t n)
{
	struct push p = { .mem = arena_new(), .n = 1, .skipped = "" };

	p.item = arena_alloc(p.mem, 1, sizeof(*p.item));
	*p.item = (struct push_item){ .id = "", .kind = "", .data = data, .n = n };
	return p;
}

static void push_query_set_labels(struct push *p, const struct push_labels *labels)
{
	p->item->label = push_copy_labels(p, labels);
	p->item->n_labels = labels->n;
}

int push_read_plain(const char *query, const uint8_t *data, size_t n, struct push *out, struct err *err)
{
	struct push p = push_query_begin(data, n);
	struct push_query_field field[FIELDS_MAX];
	struct push_labels labels = { .n = 0 };
	size_t n_fields;
	int rc = push_query_split_query(&p, query, field, &n_fields, err);

	p.from_ns = rc < 0 ? 0 : read_time(field_value(field, n_fields, "from"));
	p.until_ns = rc < 0 ? 0 : read_time(field_value(field, n_fields, "until"));
	p.item->kind = rc < 0 ? "" : field_value(field, n_fields, "kind");
	for (size_t i = 0; rc == 0 && i < n_fields; i++) {
		const char *name = field[i].name;

		if (strcmp(name, "from") == 0 || strcmp(name, "until") == 0 || strcmp(name, "id") == 0 ||
		    strcmp(name, "kind") == 0)
			continue;
		if (strcmp(name, "service") == 0 || strcmp(name, "service.name") == 0)
			name = "service_name";
		rc = push_add_label(&p, &labels, name, strlen(name), field[i].value, field[i].n_value, err);
	}
	if (rc == 0) {
		push_query_set_labels(&p, &labels);
		p.item->id = field_value(field, n_fields, "id");
	}
	if (rc < 0)
		push_release(&p);
	else
		*out = p;
	return rc;
}

/* ---- ingest ---- */

static size_t push_query_trim(const char **s, size_t n)
{
	while (n && strchr(" \t\"", **s))
		(*s)++, n--;
	while (n && strchr(" \t\"", (*s)[n - 1]))
		n--;
	return n;
}

/* Split "app{k=v,k2=v2}". */
static int push_query_read_name(struct push *p, const char *name, struct push_labels *labels, struct err *err)
{
	size_t n = strcspn(name, "{");
	const char *app = name, *at = name + n;
	size_t n_app = push_query_trim(&app, n);
	int rc = push_add_label(p, labels, "service_name", strlen("service_name"), app, n_app, err);

	if (n_app == 0)
		return err_set(err, ERR_FORMAT, "the query has no name=APPLICATION");
	for (at += *at == '{'; rc == 0 && *at && *at != '}';) {
		size_t length = strcspn(at, ",}"), n_key, n_value;
		const char *equal = memchr(at, '=', length), *key = at, *value = equal ? equal + 1 : at + length;

		if (!equal)
			return err_set(err, ERR_FORMAT, "the name has a label without a value: %.*s",
				       (int)(length < 100 ? length : 100), at);
		n_key = push_query_trim(&key, (size_t)(equal - at));
		n_value = push_query_trim(&value, (size_t)(at + length - value));
		rc = push_add_label(p, labels, key, n_key, value, n_value, err);
		at += length + (at[length] == ',');
	}
	if (rc == 0 && name[n] && *at != '}')
		rc = err_set(err, ERR_FORMAT, "the name has no closing }");
	return rc;
}

/* Set the type of folded text from the end of the application's name, which is removed from the name. */
static void push_query_set_type(struct push *p, struct push_labels *labels)
{
	const char *name = labels->label[0].value, *dot = strrchr(name, '.');

	p->type = "cpu";
	p->unit = "nanoseconds";
	for (size_t i = 0; dot && i < N_KNOWN_TYPES; i++)
		if (strcmp(dot + 1, known_types[i].end) == 0) {
			p->type = known_types[i].type;
			p->unit = known_types[i].unit;
			if (!*p->item->kind)
				p->item->kind = push_kind_of_name(dot + 1);
			labels->label[0].value = arena_strndup(p->mem, name, (size_t)(dot - name));
			return;
		}
}

/* Has the begin of a body bytes that text has not? Then it is no folded text. */
static bool push_query_is_binary(const uint8_t *data, size_t n)
{
	enum { BEGIN_BYTES = 512 };

	for (size_t i = 0; i < n && i < BEGIN_BYTES; i++)
		if (data[i] < ' ' && !strchr("\t\r\n\f", data[i] ? data[i] : 1))
			return true;
	return false;
}

/* The format that the query names. The content decides among those that are files. */
static int set_format(struct push *p, const char *format, const char *content_type, struct err *err)
{
	const struct file_format *f = formats_find(format);

	if (strcmp(format, "lines") == 0)
		p->format = PUSH_LINES;
	else if (!*format)
		p->format = content_type && starts_with(content_type, "multipart/") ? PUSH_PPROF : PUSH_FOLDED;
	else if (f && f->read)
		p->format = f->read == folded_read ? PUSH_FOLDED : PUSH_PPROF;
	else
		return err_set(err, ERR_UNKNOWN, "format=%.40s %s; send format=pprof, folded or lines", format,
			       f ? "cannot be read" : "is unknown");
	return 0;
}

static int read_fields(struct push *p, const struct push_query_field *field, size_t n_fields, const char *content_type,
		       struct push_labels *labels, struct err *err)
{
	const char *rate = field_value(field, n_fields, "sampleRate");
	int rc = set_format(p, field_value(field, n_fields, "format"), content_type, err);

	if (rc == 0)
		rc = push_query_read_name(p, field_value(field, n_fields, "name"), labels, err);
	if (rc < 0)
		return rc;
	p->rate = atoll(rate);
	if (p->rate < 0 || p->rate > RATE_MAX)
		return err_set(err, ERR_FORMAT, "sampleRate must be 0 to %d", (int)RATE_MAX);
	if (p->rate == 0) /* agents send 0 for kinds that have none */
		p->rate = RATE_DEFAULT;
	p->item->kind = field_value(field, n_fields, "kind");
	p->is_delta = true;
	p->from_ns = read_time(field_value(field, n_fields, "from"));
	p->until_ns = read_time(field_value(field, n_fields, "until"));
	if (p->format != PUSH_PPROF)
		push_query_set_type(p, labels);
	return 0;
}

int push_read_ingest(const char *query, const char *content_type, const uint8_t *data, size_t n, struct push *out,
		     struct err *err)
{
	struct push p = push_query_begin(data, n);
	struct push_query_field field[FIELDS_MAX];
	struct push_labels labels = { .n = 0 };
	size_t n_fields;
	int rc = push_query_split_query(&p, query, field, &n_fields, err);

	rc = rc < 0 ? rc : read_fields(&p, field, n_fields, content_type, &labels, err);
	if (rc == 0 && content_type && starts_with(content_type, "multipart/"))
		rc = push_read_form(content_type, p.item, err);
	if (rc == 0 && !*field_value(field, n_fields, "format") && push_query_is_binary(p.item->data, p.item->n))
		p.format = PUSH_PPROF;
	if (rc == 0)
		push_query_set_labels(&p, &labels);
	if (rc < 0)
		push_release(&p);
	else
		*out = p;
	return rc;
}
