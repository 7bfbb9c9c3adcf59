/*
 * cursor.h - bounds-checked reader of the protobuf wire format
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the protobuf encoding guide. An error is stored as a constant string; the caller adds the
 * position.
 */
#ifndef FORMATS_PPROF_CURSOR_H
#define FORMATS_PPROF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct cursor {
	const uint8_t *at, *end;
	const char *error; /* NULL if there was none */
};

struct field {
	uint64_t number;
	enum wire_type type;
	uint64_t value; /* varint and fixed fields */
	const uint8_t *data;
	size_t n; /* bytes fields: data[n] */
};

/* The slow path of cursor_varint: a number takes several bytes, or the data ends. */
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
	c->error = shift >= 70 ? "a number longer than ten bytes" : "truncated within a number";
	return false;
}

/* Read a varint; false on error. */
static inline bool cursor_varint(struct cursor *c, uint64_t *v)
{
	if (c->at < c->end && *c->at < 0x80) {
		*v = *c->at++;
		return true;
	}
	return cursor_varint_long(c, v);
}

/* Read a little-endian number of n bytes. */
static inline bool cursor_fixed(struct cursor *c, unsigned n, uint64_t *v)
{
	uint64_t r = 0;

	if ((size_t)(c->end - c->at) < n) {
		c->error = "truncated within a number";
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		r |= (uint64_t)c->at[i] << (8 * i);
	c->at += n;
	*v = r;
	return true;
}

/* Read the next field. False at the end, and on error with c->error set. */
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
			c->error = "a field extends past the end of its message";
			return false;
		}
		f->data = c->at;
		f->n = (size_t)n;
		c->at += n;
		return true;
	default:
		c->error = "unknown wire type";
		return false;
	}
}

/*
 * Read a message whose fields 1 to n_known are numbers.
 *
 * v        [n_known + 1] by number of the field; unchanged for fields that are missing
 * Returns  false on error, with c->error set
 */
static inline bool cursor_numbers(struct cursor *c, unsigned n_known, uint64_t *v)
{
	struct field f = { 0 };

	while (c->at < c->end) {
		unsigned number = *c->at >> 3;

		if ((*c->at & 0x87) == WIRE_VARINT && number - 1 < n_known) {
			c->at++;
			if (!cursor_varint(c, &v[number]))
				return false;
		} else if (!cursor_field(c, &f)) {
			return false;
		} else if (f.number - 1 < n_known) {
			if (f.type != WIRE_VARINT) {
				c->error = "a field has the wrong wire type";
				return false;
			}
			v[f.number] = f.value;
		}
	}
	return true;
}

/* Does the field have the wire type of the schema? Sets c->error if not. */
static inline bool cursor_expect(struct cursor *c, const struct field *f, enum wire_type type)
{
	if (f->type == type)
		return true;
	c->error = "a field has the wrong wire type";
	return false;
}

#endif
