/*
 * frames.c - messages of a file, and whether they are OTLP profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The file exporter of the collector writes each message after its length as four big-endian bytes; newer text of its
 * specification has a varint. gRPC has a flag before the four bytes.
 */
#include "config.h"

#include "formats/otlp/otlp.h"
#include "formats/otlp/otlp_int.h"

#include "base/mem.h"

enum { CUT_BYTES_MIN = 16, ROOT_FIELDS_MAX = 8, GRPC_HEAD = 5, LENGTH_HEAD = 4 };

int otlp_check(const struct cursor *c, struct err *err)
{
	return c->error ? err_set(err, ERR_FORMAT, "%s", c->error) : 0;
}

int otlp_add_ints(struct otlp_ints *ints, const struct field *f, bool is_fixed, struct err *err)
{
	struct cursor c = otlp_cursor(otlp_field_span(f));
	uint64_t v;

	if (f->type != WIRE_BYTES) {
		ints->v = mem_grow(ints->v, &ints->cap, ints->n + 1, sizeof(*ints->v));
		ints->v[ints->n++] = f->value;
		return 0;
	}
	while (c.at < c.end && (is_fixed ? cursor_fixed(&c, 8, &v) : cursor_varint(&c, &v))) {
		ints->v = mem_grow(ints->v, &ints->cap, ints->n + 1, sizeof(*ints->v));
		ints->v[ints->n++] = v;
	}
	return otlp_check(&c, err);
}

void otlp_spans_add(struct otlp_spans *spans, const struct field *f)
{
	spans->item = mem_grow(spans->item, &spans->cap, spans->n + 1, sizeof(*spans->item));
	spans->item[spans->n++] = otlp_field_span(f);
}

bool otlp_next_message(struct otlp_span *data, enum otlp_framing framing, struct otlp_span *message)
{
	struct cursor c = otlp_cursor(*data);
	uint64_t n = 0;

	if (data->n == 0)
		return false;
	if (framing == OTLP_BARE)
		n = data->n;
	else if (framing == OTLP_VARINT && !cursor_varint(&c, &n))
		return false;
	if (framing == OTLP_LENGTH32 || framing == OTLP_GRPC) {
		size_t head = framing == OTLP_GRPC ? GRPC_HEAD : LENGTH_HEAD;

		if (data->n < head || (framing == OTLP_GRPC && data->data[0] != 0))
			return false;
		for (size_t i = head - LENGTH_HEAD; i < head; i++)
			n = n << 8 | data->data[i];
		c.at += head;
	}
	if (n > (size_t)(c.end - c.at))
		return false;
	*message = (struct otlp_span){ c.at, (size_t)n };
	*data = (struct otlp_span){ c.at + n, (size_t)(c.end - c.at) - (size_t)n };
	return true;
}

/* Return true if all fields are messages or texts with these numbers, and there is one at least. */
static bool otlp_has_fields(struct otlp_span s, unsigned max)
{
	struct cursor c = otlp_cursor(s);
	struct field f;

	while (otlp_next_field(&c, &f))
		if (f.type != WIRE_BYTES || f.number == 0 || (f.number > max && f.number != 1000))
			return false;
	return !c.error && s.n > 0;
}

/* Return true if the first resource has the fields of a resource: those of a ValueType are numbers. */
static bool otlp_is_message(struct otlp_span message)
{
	struct cursor c = otlp_cursor(message);
	struct field f;

	if (!otlp_has_fields(message, ROOT_FIELDS_MAX))
		return false;
	while (otlp_next_field(&c, &f))
		if (f.number == 1)
			return otlp_has_fields(otlp_field_span(&f), 3);
	return false;
}

bool otlp_find_framing(const uint8_t *data, size_t n, enum otlp_framing *framing)
{
	for (*framing = OTLP_BARE; *framing < OTLP_FRAMINGS; (*framing)++) {
		struct otlp_span rest = { data, n }, message;
		bool is_otlp = otlp_next_message(&rest, *framing, &message) && otlp_is_message(message);

		while (is_otlp && otlp_next_message(&rest, *framing, &message))
			;
		if (is_otlp && rest.n == 0)
			return true;
	}
	return false;
}

/* Return true if the tag is that of a message or text with the number 1, 2 or 3. */
static bool otlp_is_tag(uint64_t tag)
{
	return tag == 0x0a || tag == 0x12 || tag == 0x1a;
}

/* Return true for a bare message that is cut: its first resource is one, or begins like one. */
static bool otlp_is_cut_message(const uint8_t *data, size_t n)
{
	struct cursor c = { .at = data, .end = data + n };
	uint64_t tag, length;

	if (n < CUT_BYTES_MIN || !cursor_varint(&c, &tag) || tag != 0x0a || !cursor_varint(&c, &length))
		return false;
	if (length <= (size_t)(c.end - c.at))
		return otlp_has_fields((struct otlp_span){ c.at, (size_t)length }, 3);
	while (c.at < c.end) {
		if (!cursor_varint(&c, &tag) || !otlp_is_tag(tag) || !cursor_varint(&c, &length))
			return c.at == c.end && otlp_is_tag(tag);
		if (tag == 0x12 && length && c.at < c.end && !otlp_is_tag(*c.at)) /* a scope */
			return false;
		if (length > (size_t)(c.end - c.at))
			return true;
		c.at += length;
	}
	return true;
}

enum format_match otlp_probe(const uint8_t *data, size_t n)
{
	enum otlp_framing framing;

	return otlp_find_framing(data, n, &framing) || otlp_is_cut_message(data, n) ? FORMAT_SURE : FORMAT_NO;
}
