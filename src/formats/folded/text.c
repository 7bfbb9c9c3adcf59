/*
 * text.c - the lines and numbers of folded stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/folded/text.h"

#include "base/utf8.h"

#include <string.h>

static bool folded_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool folded_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool folded_lines_next(struct folded_lines *l, struct folded_line *line)
{
	const char *newline;

	if (l->at == l->end)
		return false;
	newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
	line->s = l->at;
	line->n = (size_t)((newline ? newline : l->end) - l->at);
	line->number = ++l->number;
	l->at = newline ? newline + 1 : l->end;
	while (line->n && folded_is_blank(line->s[line->n - 1]))
		line->n--;
	return true;
}

bool folded_line_is_comment(const struct folded_line *line)
{
	return line->n == 0 || *line->s == '#';
}

/* Is the text a number: a sign, digits, a point, digits? */
static bool folded_is_number(struct folded_number *number)
{
	const char *s = number->s;
	size_t n = number->n, at = n && (*s == '-' || *s == '+'), n_digits = 0, point;

	for (; at < n && folded_is_digit(s[at]); at++)
		n_digits++;
	point = at;
	if (at < n && s[at] == '.')
		for (at++; at < n && folded_is_digit(s[at]); at++, n_digits++)
			if (s[at] != '0')
				number->n_decimals =
					at - point > FOLDED_DECIMALS_MAX ? FOLDED_DECIMALS_MAX : (unsigned)(at - point);
	number->is_plain = n_digits == n;
	return at == n && n_digits > 0;
}

bool folded_line_split(struct folded_line *line, struct folded_number *out)
{
	size_t at = line->n;

	while (at > 0 && !folded_is_blank(line->s[at - 1]))
		at--;
	*out = (struct folded_number){ .s = line->s + at, .n = line->n - at };
	if (at == 0 || !folded_is_number(out))
		return false;
	while (at > 0 && folded_is_blank(line->s[at - 1]))
		at--;
	line->n = at;
	return true;
}

bool folded_number_value(const struct folded_number *number, unsigned n_decimals, int64_t *out)
{
	const char *s = number->s, *end = s + number->n;
	bool is_negative = *s == '-';
	uint64_t v = 0;

	for (s += is_negative || *s == '+'; s < end && *s != '.'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	s += s < end;
	for (unsigned i = 0; i < n_decimals; i++) {
		uint64_t digit = s < end ? (uint64_t)(*s++ - '0') : 0;

		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
			return false;
	}
	if (s < end && *s >= '5' && __builtin_add_overflow(v, 1, &v))
		return false;
	if (v > INT64_MAX)
		return false;
	*out = is_negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The code unit at a position. */
static uint32_t folded_unit(const uint8_t *data, bool is_big)
{
	return is_big ? (uint32_t)data[0] << 8 | data[1] : (uint32_t)data[1] << 8 | data[0];
}

bool folded_text_from_utf16(const uint8_t *data, size_t n, struct buf *out)
{
	bool is_big = n >= 2 && data[0] == 0xfe && data[1] == 0xff;

	if (!is_big && !(n >= 2 && data[0] == 0xff && data[1] == 0xfe))
		return false;
	for (size_t i = 2; i + 1 < n; i += 2) {
		uint32_t c = folded_unit(data + i, is_big), low;

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < n) {
			low = folded_unit(data + i + 2, is_big);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		utf8_add_char(out, c);
	}
	return true;
}
