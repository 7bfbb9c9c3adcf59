/*
 * legacy_text.c - lines, words and numbers of the legacy text formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/legacy/legacy_text.h"

#include "base/str.h"

#include <assert.h>
#include <string.h>

/* Lines */

bool lines_next(struct lines *l)
{
	const char *end = l->at == l->end ? NULL : memchr(l->at, '\n', (size_t)(l->end - l->at));

	assert(l->at <= l->end);
	l->line = (struct slice){ l->end, 0 };
	if (l->at == l->end)
		return false;
	l->line = slice_make(l->at, end ? end : l->end);
	l->at = end ? end + 1 : l->end;
	if (l->line.n && l->line.p[l->line.n - 1] == '\r')
		l->line.n--;
	l->no++;
	return true;
}

bool lines_next_text(struct lines *l)
{
	while (lines_next(l))
		if (!slice_is_comment(l->line))
			return true;
	return false;
}

/* Slices */

bool slice_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* Length of the Unicode space that p starts with, 0 if it is not a space. */
static size_t space_width(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	if (n && (slice_is_blank(p[0]) || p[0] == '\v'))
		return 1;
	if (n >= 2 && u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0))
		return 2;
	if (n < 3)
		return 0;
	if (u[0] == 0xe2 && u[1] == 0x80) /* U+2000 to U+200A, U+2028, U+2029, U+202F */
		return (u[2] >= 0x80 && u[2] <= 0x8a) || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf ? 3 : 0;
	if (memcmp(p, "\xe1\x9a\x80", 3) == 0 || memcmp(p, "\xe2\x81\x9f", 3) == 0 || memcmp(p, "\xe3\x80\x80", 3) == 0)
		return 3;
	return 0;
}

struct slice slice_trim(struct slice s)
{
	for (size_t w; (w = space_width(s.p, s.n)) > 0; s.p += w, s.n -= w)
		;
	for (size_t w = 1; w <= 3 && w <= s.n;) {
		if (space_width(s.p + s.n - w, w) == w) {
			s.n -= w;
			w = 1;
		} else {
			w++;
		}
	}
	return s;
}

bool slice_is_comment(struct slice s)
{
	s = slice_trim(s);
	return s.n == 0 || s.p[0] == '#';
}

bool slice_is(struct slice s, const char *text)
{
	return s.n == strlen(text) && slice_starts(s, text);
}

bool slice_starts(struct slice s, const char *text)
{
	return starts_with_n(s.p, s.n, text);
}

const char *slice_find(struct slice s, const char *text)
{
	return s.n ? memmem(s.p, s.n, text, strlen(text)) : NULL;
}

bool slice_is_map_heading(struct slice s)
{
	return slice_find(s, "--- Memory map: ---") || slice_find(s, "MAPPED_LIBRARIES:");
}

static void slice_drop(struct slice *s, size_t n)
{
	assert(n <= s->n);
	s->p += n;
	s->n -= n;
}

bool slice_take(struct slice *s, const char *text)
{
	if (!slice_starts(*s, text))
		return false;
	slice_drop(s, strlen(text));
	return true;
}

static bool slice_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit; 16 for other characters. */
static unsigned slice_digit_value(char c)
{
	if (slice_is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

static bool slice_is_hex(char c)
{
	return slice_digit_value(c) < 16;
}

static bool is_lower_hex(char c)
{
	return slice_is_hex(c) && (c < 'A' || c > 'F');
}

static struct slice take_run(struct slice *s, bool (*matches)(char))
{
	struct slice run = { s->p, 0 };

	while (run.n < s->n && matches(s->p[run.n]))
		run.n++;
	slice_drop(s, run.n);
	return run;
}

struct slice slice_take_digits(struct slice *s)
{
	return take_run(s, slice_is_digit);
}

struct slice slice_take_hex(struct slice *s)
{
	return take_run(s, slice_is_hex);
}

static bool slice_is_space(char c)
{
	return c == ' ';
}

size_t slice_take_spaces(struct slice *s)
{
	return take_run(s, slice_is_space).n;
}

bool slice_skip_to_digit(struct slice *s)
{
	while (s->n && !slice_is_digit(s->p[0]))
		slice_drop(s, 1);
	return s->n > 0;
}

static bool is_address_char(char c)
{
	return c == ' ' || c == 'x' || is_lower_hex(c);
}

struct slice slice_addresses(struct slice s)
{
	return take_run(&s, is_address_char);
}

bool slice_next_address(struct slice *s, struct slice *digits)
{
	for (const char *at; (at = slice_find(*s, "0x")) != NULL;) {
		slice_drop(s, (size_t)(at - s->p) + 2);
		*digits = take_run(s, is_lower_hex);
		if (digits->n)
			return true;
	}
	return false;
}

/* Numbers */

/* Parse digits in a base. With underscores, '_' is skipped; the caller has checked its positions. */
static bool parse_unsigned(struct slice s, unsigned base, bool underscores, uint64_t *v)
{
	uint64_t r = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned d = slice_digit_value(s.p[i]);

		if (s.p[i] == '_' && underscores)
			continue;
		if (d >= base || __builtin_mul_overflow(r, base, &r) || __builtin_add_overflow(r, d, &r))
			return false;
	}
	*v = r;
	return true;
}

static bool apply_sign(uint64_t magnitude, bool minus, int64_t *v)
{
	if (magnitude > (uint64_t)INT64_MAX + minus)
		return false;
	*v = minus ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
	return true;
}

static bool take_sign(struct slice *s)
{
	return !slice_take(s, "+") && slice_take(s, "-");
}

bool slice_decimal(struct slice s, int64_t *v)
{
	bool minus = take_sign(&s);
	uint64_t u;

	return s.n && parse_unsigned(s, 10, false, &u) && apply_sign(u, minus, v);
}

bool slice_hex(struct slice s, uint64_t *v)
{
	return s.n && parse_unsigned(s, 16, false, v);
}

/* Is each '_' between two digits, or between the prefix and a digit? */
static bool slice_underscores_are_valid(struct slice s, bool prefixed)
{
	bool digit = prefixed;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '_' && (!digit || i + 1 == s.n))
			return false;
		digit = s.p[i] != '_';
	}
	return true;
}

bool slice_number(struct slice s, int64_t *v)
{
	bool minus = take_sign(&s), prefixed = false;
	unsigned base = 10;
	uint64_t u;

	if (s.n >= 3 && s.p[0] == '0') {
		char c = s.p[1] | 0x20;

		base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
		prefixed = base != 10;
	}
	if (prefixed)
		slice_drop(&s, 2);
	else if (s.n && s.p[0] == '0')
		base = 8;
	return s.n && slice_underscores_are_valid(s, prefixed) && parse_unsigned(s, base, true, &u) &&
	       apply_sign(u, minus, v);
}
