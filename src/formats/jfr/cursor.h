/*
 * cursor.h - numbers and strings of a recording, checked against its end
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_JFR_CURSOR_H
#define FORMATS_JFR_CURSOR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A position in bytes. After an attempt to read past the end, is_bad is set, and all numbers are 0. */
struct jfr_cursor {
	const uint8_t *at, *end;
	bool is_bad;
};

/* Encodings of strings. */
enum jfr_encoding {
	JFR_STRING_NULL,
	JFR_STRING_EMPTY,
	JFR_STRING_POOL, /* a key of the pool of strings follows */
	JFR_STRING_UTF8,
	JFR_STRING_UTF16,
	JFR_STRING_LATIN1,
};

static inline void jfr_cursor_fail(struct jfr_cursor *c)
{
	c->is_bad = true;
	c->at = c->end;
}

static inline size_t jfr_cursor_remaining(const struct jfr_cursor *c)
{
	return (size_t)(c->end - c->at);
}

static inline void jfr_skip_bytes(struct jfr_cursor *c, uint64_t n)
{
	if (n > jfr_cursor_remaining(c))
		jfr_cursor_fail(c);
	else
		c->at += n;
}

/* A big-endian number of n bytes. */
static inline uint64_t jfr_read_fixed(struct jfr_cursor *c, unsigned n)
{
	uint64_t v = 0;

	if (n > jfr_cursor_remaining(c)) {
		jfr_cursor_fail(c);
		return 0;
	}
	while (n--)
		v = v << 8 | *c->at++;
	return v;
}

/* A compressed number: 7 bits per byte, least significant first, but the ninth byte has 8. */
static inline uint64_t jfr_read_varint(struct jfr_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		if (shift == 56)
			return v | (uint64_t)byte << 56;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	jfr_cursor_fail(c);
	return 0;
}

/*
 * Skip a string.
 *
 * is_compressed   numbers are compressed
 */
void jfr_skip_string(struct jfr_cursor *c, bool is_compressed);

/*
 * Append a string as UTF-8.
 *
 * key      set if the encoding is JFR_STRING_POOL; nothing is appended then
 * Returns  the encoding
 */
enum jfr_encoding jfr_read_string(struct jfr_cursor *c, bool is_compressed, struct buf *out, uint64_t *key);

#endif
