/*
 * cursor.c - strings of a recording
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/jfr/cursor.h"

#include "base/utf8.h"

#include <string.h>

enum { HIGH_SURROGATE = 0xd800, LOW_SURROGATE = 0xdc00, SURROGATE_END = 0xe000 };

static uint64_t jfr_read_count(struct jfr_cursor *c, bool is_compressed)
{
	return is_compressed ? jfr_read_varint(c) : jfr_read_fixed(c, 4);
}

static uint32_t jfr_read_char(struct jfr_cursor *c, bool is_compressed)
{
	return (uint16_t)(is_compressed ? jfr_read_varint(c) : jfr_read_fixed(c, 2));
}

static void jfr_skip_chars(struct jfr_cursor *c, bool is_compressed)
{
	uint64_t n = jfr_read_count(c, is_compressed);

	if (!is_compressed) {
		jfr_skip_bytes(c, n > UINT32_MAX ? n : 2 * n);
		return;
	}
	for (; n > 0 && !c->is_bad; n--)
		jfr_read_varint(c);
}

void jfr_skip_string(struct jfr_cursor *c, bool is_compressed)
{
	switch (jfr_read_fixed(c, 1)) {
	case JFR_STRING_NULL:
	case JFR_STRING_EMPTY:
		return;
	case JFR_STRING_POOL:
		if (is_compressed)
			jfr_read_varint(c);
		else
			jfr_skip_bytes(c, 8);
		return;
	case JFR_STRING_UTF8:
	case JFR_STRING_LATIN1:
		jfr_skip_bytes(c, jfr_read_count(c, is_compressed));
		return;
	case JFR_STRING_UTF16:
		jfr_skip_chars(c, is_compressed);
		return;
	default:
		jfr_cursor_fail(c);
	}
}

/* Append UTF-16 code units, of which pairs may be one character. */
static void jfr_add_chars(struct jfr_cursor *c, bool is_compressed, struct buf *out)
{
	uint32_t high = 0;

	for (uint64_t n = jfr_read_count(c, is_compressed); n > 0; n--) {
		uint32_t unit = jfr_read_char(c, is_compressed);

		if (c->is_bad)
			return;
		if (high && unit >= LOW_SURROGATE && unit < SURROGATE_END) {
			utf8_add_char(out, 0x10000 + ((high - HIGH_SURROGATE) << 10) + (unit - LOW_SURROGATE));
			high = 0;
			continue;
		}
		if (high)
			utf8_add_char(out, high);
		high = unit >= HIGH_SURROGATE && unit < LOW_SURROGATE ? unit : 0;
		if (!high)
			utf8_add_char(out, unit);
	}
	if (high)
		utf8_add_char(out, high);
}

/* The surrogate of three bytes at s in the UTF-8 of Java, which encodes both halves of a pair by themselves; 0: none. */
static uint32_t jfr_surrogate(const uint8_t *s, size_t n)
{
	return n >= 3 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2] >= 0x80 && s[2] <= 0xbf
		       ? 0xd000 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f)
		       : 0;
}

/* Append the UTF-8 of Java. */
static void jfr_add_utf8(const uint8_t *s, size_t n, struct buf *out)
{
	for (const uint8_t *end = s + n, *at; s < end; s = at) {
		uint32_t high = jfr_surrogate(s, n = (size_t)(end - s)), low = high ? jfr_surrogate(s + 3, n - 3) : 0;

		if (high && high < LOW_SURROGATE && low >= LOW_SURROGATE) {
			utf8_add_char(out, 0x10000 + ((high - HIGH_SURROGATE) << 10) + (low - LOW_SURROGATE));
			at = s + 6;
			continue;
		}
		at = memchr(s + 1, 0xed, n - 1);
		at = at ? at : end;
		buf_add(out, s, (size_t)(at - s));
	}
}

enum jfr_encoding jfr_read_string(struct jfr_cursor *c, bool is_compressed, struct buf *out, uint64_t *key)
{
	enum jfr_encoding encoding = (enum jfr_encoding)jfr_read_fixed(c, 1);
	uint64_t n;

	if (encoding == JFR_STRING_POOL)
		*key = is_compressed ? jfr_read_varint(c) : jfr_read_fixed(c, 8);
	if (encoding == JFR_STRING_UTF16)
		jfr_add_chars(c, is_compressed, out);
	if (encoding > JFR_STRING_LATIN1)
		jfr_cursor_fail(c);
	if (encoding != JFR_STRING_UTF8 && encoding != JFR_STRING_LATIN1)
		return encoding;
	n = jfr_read_count(c, is_compressed);
	if (n > jfr_cursor_remaining(c)) {
		jfr_cursor_fail(c);
		return encoding;
	}
	if (encoding == JFR_STRING_UTF8)
		jfr_add_utf8(c->at, n, out);
	for (uint64_t i = 0; encoding == JFR_STRING_LATIN1 && i < n; i++)
		utf8_add_char(out, c->at[i]);
	c->at += n;
	return encoding;
}
