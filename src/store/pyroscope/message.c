/*
 * message.c - messages of Pyroscope's API
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/pyroscope/message.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "formats/json/jsonr.h"
#include "formats/pprof/cursor.h"
#include "wire/wire.h"

#include <ctype.h>
#include <string.h>

/* ---- writing ---- */

void pyro_put_varint(struct buf *out, uint64_t v)
{
	uint8_t *at = (uint8_t *)buf_room(out, WIRE_VARINT_MAX);

	out->len += (size_t)(wire_put(at, v) - at);
	out->data[out->len] = 0;
}

void pyro_put_bytes(struct buf *out, uint32_t number, const void *data, size_t n)
{
	pyro_put_varint(out, (uint64_t)number << 3 | WIRE_BYTES);
	pyro_put_varint(out, n);
	buf_add(out, data, n);
}

void pyro_put_text(struct buf *out, uint32_t number, const char *text)
{
	if (*text)
		pyro_put_bytes(out, number, text, strlen(text));
}

void pyro_put_int(struct buf *out, uint32_t number, int64_t v)
{
	if (!v)
		return;
	pyro_put_varint(out, (uint64_t)number << 3 | WIRE_VARINT);
	pyro_put_varint(out, (uint64_t)v);
}

void pyro_put_double(struct buf *out, uint32_t number, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	if (!bits)
		return;
	pyro_put_varint(out, (uint64_t)number << 3 | WIRE_FIXED64);
	for (int i = 0; i < 8; i++)
		buf_add(out, &(uint8_t){ (uint8_t)(bits >> (8 * i)) }, 1);
}

size_t pyro_open(struct buf *out, uint32_t number)
{
	pyro_put_varint(out, (uint64_t)number << 3 | WIRE_BYTES);
	return out->len;
}

void pyro_close(struct buf *out, size_t mark)
{
	uint8_t length[WIRE_VARINT_MAX];
	size_t n = out->len - mark, size = (size_t)(wire_put(length, n) - length);

	buf_room(out, size);
	memmove(out->data + mark + size, out->data + mark, n);
	memcpy(out->data + mark, length, size);
	out->len += size;
	out->data[out->len] = 0;
}

void pyro_add_base64(const void *data, size_t n, struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *in = data;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) |
			     (i + 2 < n ? in[i + 2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=',
				 i + 2 < n ? digits[v & 63] : '=' };

		buf_add(out, four, sizeof(four));
	}
}

/* ---- from protobuf to JSON ---- */

static enum wire_type message_wire_type(enum pyro_kind kind)
{
	return kind == PYRO_DOUBLE                                               ? WIRE_FIXED64
	       : kind == PYRO_TEXT || kind == PYRO_BYTES || kind == PYRO_MESSAGE ? WIRE_BYTES
										 : WIRE_VARINT;
}

static bool message_add_value(const struct pyro_field *f, const struct field *v, struct json *j);

static void message_add_number(const struct pyro_field *f, uint64_t v, struct json *j)
{
	struct buf text = { 0 };
	double d;

	if (f->kind == PYRO_DOUBLE) {
		memcpy(&d, &v, sizeof(d));
		jsonw_number(j, d);
	} else if (f->kind == PYRO_BOOL) {
		jsonw_bool(j, v != 0);
	} else if (f->kind == PYRO_INT) {
		buf_addf(&text, "%lld", (long long)v);
		jsonw_textz(j, buf_text(&text));
	} else {
		jsonw_int(j, (int64_t)v);
	}
	buf_release(&text);
}

/* Add the elements of a field of a message: all of a list, which may be packed, else the last. */
static bool message_add_field(const struct pyro_field *f, const uint8_t *data, size_t n, struct json *j)
{
	struct cursor c = { data, data + n, NULL };
	struct field v = { 0 }, last = { 0 };
	bool is_open = false, is_fine = true;

	while (is_fine && cursor_field(&c, &v)) {
		bool is_packed = f->is_list && v.type == WIRE_BYTES && message_wire_type(f->kind) == WIRE_VARINT;

		if (v.number != f->number)
			continue;
		is_fine = is_packed || v.type == message_wire_type(f->kind);
		if (is_fine && !is_open) {
			jsonw_key(j, f->name);
			if (f->is_list)
				jsonw_open(j, '[');
			is_open = true;
		}
		if (is_packed) {
			struct cursor in = { v.data, v.data + v.n, NULL };

			while (is_fine && in.at < in.end) {
				is_fine = cursor_varint(&in, &v.value);
				message_add_number(f, v.value, j);
			}
		} else if (is_fine && f->is_list) {
			is_fine = message_add_value(f, &v, j);
		}
		last = v;
	}
	if (!is_fine || c.error)
		return false;
	if (is_open && f->is_list)
		jsonw_close(j, ']');
	return !is_open || f->is_list || message_add_value(f, &last, j);
}

static bool message_add_all(const struct pyro_message *m, const uint8_t *data, size_t n, struct json *j)
{
	bool is_fine = true;

	jsonw_open(j, '{');
	for (size_t i = 0; is_fine && i < m->n; i++)
		is_fine = message_add_field(&m->field[i], data, n, j);
	if (is_fine)
		jsonw_close(j, '}');
	return is_fine;
}

static bool message_add_value(const struct pyro_field *f, const struct field *v, struct json *j)
{
	struct buf text = { 0 };

	switch (f->kind) {
	case PYRO_TEXT:
		jsonw_text(j, (const char *)v->data, v->n);
		return true;
	case PYRO_BYTES:
		pyro_add_base64(v->data, v->n, &text);
		jsonw_textz(j, buf_text(&text));
		buf_release(&text);
		return true;
	case PYRO_MESSAGE:
		return message_add_all(f->message, v->data, v->n, j);
	default:
		message_add_number(f, v->value, j);
		return true;
	}
}

int pyro_add_json(const struct pyro_message *m, const void *data, size_t n, struct buf *out, struct err *err)
{
	struct json j = { .out = out, .is_one_line = true };

	return message_add_all(m, data, n, &j) ? 0 : err_set(err, ERR_FORMAT, "the message is damaged");
}

/* ---- from JSON to protobuf ---- */

/* Is it the name of a field, without regard to underscores and case? */
static bool message_is_name(const char *name, const char *key, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (key[i] == '_')
			continue;
		if (!*name || tolower((unsigned char)*name) != tolower((unsigned char)key[i]))
			return false;
		name++;
	}
	return !*name;
}

static void message_read_object(const struct pyro_message *m, struct jsonr *r, struct buf *out);

/* Read a value of an enum: its name or number. */
static bool message_read_enum(const struct pyro_field *f, struct jsonr *r, int64_t *out)
{
	if (jsonr_peek(r) != '"')
		return jsonr_int(r, out);
	if (!jsonr_string(r))
		return false;
	for (int64_t i = 0; f->value[i]; i++)
		if (jsonr_is(r, f->value[i])) {
			*out = i;
			return true;
		}
	jsonr_fail(r, ERR_USAGE, "\"%.*s\" is not a value of %s", (int)(r->len < 100 ? r->len : 100), r->text, f->name);
	return false;
}

static void message_read_value(const struct pyro_field *f, struct jsonr *r, struct buf *out)
{
	int64_t number = 0;
	double real = 0;
	bool flag = false;
	size_t mark;

	switch (f->kind) {
	case PYRO_TEXT:
	case PYRO_BYTES:
		if (jsonr_string(r))
			pyro_put_bytes(out, f->number, r->text, r->len);
		break;
	case PYRO_DOUBLE:
		if (jsonr_double(r, &real))
			pyro_put_double(out, f->number, real);
		break;
	case PYRO_BOOL:
		if (jsonr_bool(r, &flag))
			pyro_put_int(out, f->number, flag);
		break;
	case PYRO_MESSAGE:
		mark = pyro_open(out, f->number);
		message_read_object(f->message, r, out);
		pyro_close(out, mark);
		break;
	default:
		if (f->kind == PYRO_ENUM ? message_read_enum(f, r, &number) : jsonr_int(r, &number))
			pyro_put_int(out, f->number, number);
	}
}

/* Read an object as a message; null is an empty one. */
static void message_read_object(const struct pyro_message *m, struct jsonr *r, struct buf *out)
{
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		const struct pyro_field *f = NULL;

		for (size_t i = 0; !f && i < m->n; i++)
			if (message_is_name(m->field[i].name, r->text, r->len))
				f = &m->field[i];
		if (!f || jsonr_peek(r) == 'n') {
			jsonr_skip(r);
		} else if (!f->is_list || jsonr_peek(r) != '[') { /* of schema_call, a text becomes a list */
			message_read_value(f, r, out);
		} else if (jsonr_open(r, JSONR_ARRAY)) {
			while (jsonr_item(r))
				message_read_value(f, r, out);
		}
	}
}

/* ---- requests ---- */

void pyro_request_init(struct pyro_request *out)
{
	*out = (struct pyro_request){ .memory = arena_new(), .profile_type = "", .selector = "", .name = "" };
}

void pyro_request_release(struct pyro_request *r)
{
	arena_free(r->memory);
	*r = (struct pyro_request){ 0 };
}

static int message_fill(const struct pyro_message *m, const uint8_t *data, size_t n, struct pyro_request *out,
			struct err *err);

static void message_add_item(struct pyro_texts *list, const char *text, struct arena *mem)
{
	if (list->n == list->cap) {
		const char **more = arena_alloc(mem, list->cap * 2 + 8, sizeof(*more));

		if (list->n)
			memcpy(more, list->item, list->n * sizeof(*more));
		list->item = more;
		list->cap = list->cap * 2 + 8;
	}
	list->item[list->n++] = text;
}

static int message_set_text(const struct pyro_field *f, const struct field *v, void *at, struct arena *mem,
			    struct err *err)
{
	const char *text;

	if (v->n && memchr(v->data, 0, v->n))
		return err_set(err, ERR_USAGE, "%s contains a NUL byte", f->name);
	text = arena_strndup(mem, (const char *)v->data, v->n);
	if (f->is_list && ((struct pyro_texts *)at)->n == PYRO_LIST_MAX)
		return err_set(err, ERR_USAGE, "%s has more than %d values", f->name, PYRO_LIST_MAX);
	if (f->is_list)
		message_add_item(at, text, mem);
	else
		*(const char **)at = text;
	return 0;
}

static int message_set_message(const struct pyro_field *f, const struct field *v, void *at, struct pyro_request *out,
			       struct err *err)
{
	struct pyro_request *inner;

	if (!f->is_request) {
		if (f->offset)
			*(bool *)at = true;
		return message_fill(f->message, v->data, v->n, out, err);
	}
	inner = arena_zalloc(out->memory, 1, sizeof(*inner));
	*inner = (struct pyro_request){ .memory = out->memory, .profile_type = "", .selector = "", .name = "" };
	*(struct pyro_request **)at = inner;
	return message_fill(f->message, v->data, v->n, inner, err);
}

static int message_set(const struct pyro_field *f, const struct field *v, struct pyro_request *out, struct err *err)
{
	void *at = (char *)out + f->offset;

	if (v->type != message_wire_type(f->kind))
		return err_set(err, ERR_USAGE, "the field %s has another wire type", f->name);
	if (f->kind == PYRO_MESSAGE)
		return message_set_message(f, v, at, out, err);
	if (f->kind == PYRO_TEXT)
		return message_set_text(f, v, at, out->memory, err);
	if (f->kind == PYRO_DOUBLE)
		memcpy(at, &v->value, sizeof(double));
	else
		*(int64_t *)at = (int64_t)v->value;
	return 0;
}

static int message_fill(const struct pyro_message *m, const uint8_t *data, size_t n, struct pyro_request *out,
			struct err *err)
{
	struct cursor c = { data, data + n, NULL };
	struct field v = { 0 };
	int rc = 0;

	while (rc == 0 && cursor_field(&c, &v))
		for (size_t i = 0; rc == 0 && i < m->n; i++)
			if (m->field[i].number == v.number)
				rc = message_set(&m->field[i], &v, out, err);
	if (rc == 0 && c.error)
		rc = err_set(err, ERR_USAGE, "the request is damaged: %s", c.error);
	return rc;
}

int pyro_request_read(const struct pyro_method *m, const char *data, size_t n, bool is_json, struct pyro_request *out,
		      struct err *err)
{
	struct buf message = { 0 };
	struct jsonr r;
	int rc;

	if (!is_json)
		return message_fill(m->request, (const uint8_t *)data, n, out, err);
	jsonr_init(&r, data, n, JSONR_DEPTH, err);
	message_read_object(m->request, &r, &message);
	jsonr_end(&r);
	rc = r.rc < 0 ? ERR_USAGE : 0;
	if (rc < 0)
		err->code = ERR_USAGE;
	jsonr_release(&r);
	rc = rc < 0 ? rc : message_fill(m->request, (const uint8_t *)buf_text(&message), message.len, out, err);
	buf_release(&message);
	return rc;
}
