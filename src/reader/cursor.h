/*
 * cursor.h - read the protobuf wire format, never past its end
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the protobuf encoding guide. What goes wrong is remembered as a constant text; the caller
 * knows where it was and writes the sentence.
 */
#ifndef READER_CURSOR_H
#define READER_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct cursor {
	const uint8_t *at, *end;
	const char *wrong; /* NULL while all is well */
};

struct field {
	uint64_t number;
	enum wire_type type;
	uint64_t value; /* of a varint or fixed field */
	const uint8_t *data;
	size_t n; /* of a bytes field */
};

/* The long way of cursor_varint: more than one byte, or the end is near. */
static inline bool cursor_varint_long(struct cursor *c, uint64_t *v)
{
	uint64_t r = 0;
	unsigned shift = 0;

	for (const uint8_t *p = c->at; p < c->end && shift < 70; p++, shift += 7) {
		r |= (uint64_t)(*p & 0x7f) << (shift & 63);
		if (*p < 0x80) {
			c->at = p + 1;
			*v = r;
			return true;
		}
	}
	c->wrong = shift >= 70 ? "a number of more than ten bytes" : "it ends inside a number";
	return false;
}

/* Read a varint; false when there is none. */
static inline bool cursor_varint(struct cursor *c, uint64_t *v)
{
	if (c->at < c->end && *c->at < 0x80) {
		*v = *c->at++;
		return true;
	}
	return cursor_varint_long(c, v);
}

/* Read n bytes of fixed width, little endian. */
static inline bool cursor_fixed(struct cursor *c, unsigned n, uint64_t *v)
{
	uint64_t r = 0;

	if ((size_t)(c->end - c->at) < n) {
		c->wrong = "it ends inside a number";
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		r |= (uint64_t)c->at[i] << (8 * i);
	c->at += n;
	*v = r;
	return true;
}

/* Read the next field; false at the end and when something is wrong (then c->wrong is set). */
static inline bool cursor_field(struct cursor *c, struct field *f)
{
	uint64_t tag, n;

	if (c->at == c->end || !cursor_varint(c, &tag))
		return false;
	f->number = tag >> 3;
	f->type = (enum wire_type)(tag & 7);
	switch (f->type) {
	case WIRE_VARINT:
		return cursor_varint(c, &f->value);
	case WIRE_FIXED64:
		return cursor_fixed(c, 8, &f->value);
	case WIRE_FIXED32:
		return cursor_fixed(c, 4, &f->value);
	case WIRE_BYTES:
		if (!cursor_varint(c, &n))
			return false;
		if (n > (size_t)(c->end - c->at)) {
			c->wrong = "a field is longer than what holds it";
			return false;
		}
		f->data = c->at;
		f->n = (size_t)n;
		c->at += n;
		return true;
	default:
		c->wrong = "unknown wire type";
		return false;
	}
}

/* Is this field of the type that the schema gives it? Sets c->wrong when not. */
static inline bool cursor_expect(struct cursor *c, const struct field *f, enum wire_type type)
{
	if (f->type == type)
		return true;
	c->wrong = "a field has another wire type than the schema says";
	return false;
}

#endif
