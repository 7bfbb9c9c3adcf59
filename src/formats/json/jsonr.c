/*
 * jsonr.c - read JSON from memory, event by event
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/json/jsonr.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSONR_NUMBER_MAX = 400, JSONR_WORD_BITS = 64 };

int jsonr_fail(struct jsonr *r, int code, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (r->rc)
		return r->rc;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	r->rc = err_set(r->err, code, "byte %zu: %s", r->start, text);
	return r->rc;
}

/* Set an error at the current position. */
static enum jsonr_event jsonr_bad(struct jsonr *r, const char *what)
{
	r->start = r->at;
	r->is_cut = r->at >= r->n && !r->rc;
	if (r->is_cut)
		jsonr_fail(r, ERR_FORMAT, "the input ends within JSON");
	else
		jsonr_fail(r, ERR_FORMAT, "%s", what);
	return JSONR_ERROR;
}

void jsonr_init(struct jsonr *r, const void *data, size_t n, unsigned max_depth, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf";

	*r = (struct jsonr){ .data = data, .n = n, .max_depth = max_depth, .err = err };
	r->is_object = mem_zalloc(max_depth / JSONR_WORD_BITS + 1, sizeof(*r->is_object));
	if (n >= sizeof(mark) - 1 && memcmp(data, mark, sizeof(mark) - 1) == 0)
		r->at = sizeof(mark) - 1;
}

void jsonr_release(struct jsonr *r)
{
	free(r->is_object);
	buf_release(&r->decoded);
	r->is_object = NULL;
}

void jsonr_seek(struct jsonr *r, size_t at)
{
	r->at = at;
	r->depth = 0;
	r->is_first = r->is_after_key = r->is_after_comma = false;
}

static void jsonr_skip_blanks(struct jsonr *r)
{
	while (r->at < r->n &&
	       (r->data[r->at] == ' ' || r->data[r->at] == '\n' || r->data[r->at] == '\r' || r->data[r->at] == '\t'))
		r->at++;
}

static bool jsonr_in_object(const struct jsonr *r)
{
	unsigned top = r->depth - 1;

	return r->depth && (r->is_object[top / JSONR_WORD_BITS] >> top % JSONR_WORD_BITS & 1);
}

/* ---- strings ---- */

static int jsonr_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The code unit of an escape whose four digits are at this position; -1: they are not digits. */
static int jsonr_code_unit(const struct jsonr *r, size_t at)
{
	int unit = 0;

	for (size_t i = 0; i < 4; i++) {
		int digit = at + i < r->n ? jsonr_hex(r->data[at + i]) : -1;

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

static bool jsonr_is_high(int unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

/* Decode \uXXXX, with the other half of its pair if it follows; `at` is after the u. */
static bool jsonr_decode_unit(struct jsonr *r)
{
	int unit = jsonr_code_unit(r, r->at), low = -1;
	uint32_t c;

	if (unit < 0) {
		r->at = r->n - r->at < 4 ? r->n : r->at;
		return false;
	}
	r->at += 4;
	if (jsonr_is_high(unit) && r->n - r->at >= 6 && r->data[r->at] == '\\' && r->data[r->at + 1] == 'u')
		low = jsonr_code_unit(r, r->at + 2);
	c = (uint32_t)unit;
	if (low >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + (((uint32_t)unit - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
		r->at += 6;
	}
	utf8_add_char(&r->decoded, c);
	return true;
}

/* Decode an escape, at its backslash. */
static bool jsonr_decode_escape(struct jsonr *r)
{
	static const char escape[] = "\"\\/bfnrt", byte[] = "\"\\/\b\f\n\r\t";
	const char *found;

	r->at++;
	if (r->at >= r->n)
		return false;
	if (r->data[r->at] == 'u') {
		r->at++;
		return jsonr_decode_unit(r);
	}
	found = r->data[r->at] ? strchr(escape, r->data[r->at]) : NULL;
	if (!found)
		return false;
	buf_add(&r->decoded, &byte[found - escape], 1);
	r->at++;
	return true;
}

/* The length of the bytes that are neither a quote, a backslash nor a control character. */
static size_t jsonr_plain(const struct jsonr *r)
{
	const unsigned char *s = (const unsigned char *)r->data + r->at;
	size_t i = 0, n = r->n - r->at;

	while (i < n && s[i] != '"' && s[i] != '\\' && s[i] >= ' ')
		i++;
	return i;
}

/* Read a string, at its quote. */
static bool jsonr_read_string(struct jsonr *r)
{
	size_t n;

	r->at++;
	r->text = r->data + r->at;
	r->len = n = jsonr_plain(r);
	r->at += n;
	if (r->at < r->n && r->data[r->at] == '\\') {
		r->decoded.len = 0;
		buf_add(&r->decoded, r->text, n);
		while (r->at < r->n && r->data[r->at] == '\\') {
			if (!jsonr_decode_escape(r)) {
				jsonr_bad(r, "invalid escape in a string");
				return false;
			}
			n = jsonr_plain(r);
			buf_add(&r->decoded, r->data + r->at, n);
			r->at += n;
		}
		r->text = buf_text(&r->decoded);
		r->len = r->decoded.len;
	}
	if (r->at >= r->n || r->data[r->at] != '"') {
		jsonr_bad(r, "control character in a string");
		return false;
	}
	r->at++;
	return true;
}

/* ---- values ---- */

/* Skip digits. Returns false if there is none. */
static bool jsonr_digits(struct jsonr *r)
{
	size_t first = r->at;

	while (r->at < r->n && r->data[r->at] >= '0' && r->data[r->at] <= '9')
		r->at++;
	return r->at > first;
}

static enum jsonr_event jsonr_read_number(struct jsonr *r)
{
	bool is_valid;

	r->text = r->data + r->at;
	r->at += r->data[r->at] == '-';
	is_valid = jsonr_digits(r);
	if (is_valid && r->at < r->n && r->data[r->at] == '.') {
		r->at++;
		is_valid = jsonr_digits(r);
	}
	if (is_valid && r->at < r->n && (r->data[r->at] | 0x20) == 'e') {
		r->at++;
		if (r->at < r->n && (r->data[r->at] == '+' || r->data[r->at] == '-'))
			r->at++;
		is_valid = jsonr_digits(r);
	}
	r->len = (size_t)(r->data + r->at - r->text);
	if (!is_valid)
		return jsonr_bad(r, "invalid number");
	if (r->len > JSONR_NUMBER_MAX)
		return jsonr_bad(r, "a number of more than 400 characters");
	return JSONR_NUMBER;
}

static enum jsonr_event jsonr_read_word(struct jsonr *r)
{
	static const struct {
		const char *text;
		enum jsonr_event event;
	} words[] = { { "true", JSONR_TRUE }, { "false", JSONR_FALSE }, { "null", JSONR_NULL } };
	size_t left = r->n - r->at;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].text), common = left < n ? left : n;

		if (common && memcmp(r->data + r->at, words[i].text, common) == 0) {
			r->at += common;
			return common == n ? words[i].event : jsonr_bad(r, "");
		}
	}
	return jsonr_bad(r, "expected a value");
}

static enum jsonr_event jsonr_enter(struct jsonr *r, bool is_object)
{
	uint64_t bit = UINT64_C(1) << r->depth % JSONR_WORD_BITS;

	if (r->depth >= r->max_depth) {
		jsonr_fail(r, ERR_LIMIT, "more than %u objects and arrays in each other", r->max_depth);
		return JSONR_ERROR;
	}
	if (is_object)
		r->is_object[r->depth / JSONR_WORD_BITS] |= bit;
	else
		r->is_object[r->depth / JSONR_WORD_BITS] &= ~bit;
	r->depth++;
	r->at++;
	r->is_first = true;
	return is_object ? JSONR_OBJECT : JSONR_ARRAY;
}

static enum jsonr_event jsonr_leave(struct jsonr *r)
{
	bool is_object = jsonr_in_object(r);

	r->depth--;
	r->at++;
	r->is_first = false;
	return is_object ? JSONR_OBJECT_END : JSONR_ARRAY_END;
}

/* Read a value, or its beginning. */
static enum jsonr_event jsonr_read_value(struct jsonr *r)
{
	char c;

	r->is_first = r->is_after_key = r->is_after_comma = false;
	r->start = r->at;
	if (r->at >= r->n)
		return jsonr_bad(r, "");
	c = r->data[r->at];
	if (c == '{' || c == '[')
		return jsonr_enter(r, c == '{');
	if (c == '"')
		return jsonr_read_string(r) ? JSONR_STRING : JSONR_ERROR;
	if (c == '-' || (c >= '0' && c <= '9'))
		return jsonr_read_number(r);
	return jsonr_read_word(r);
}

/* Go to the next key or value of the open object or array. Returns false at its end and on error. */
static bool jsonr_more(struct jsonr *r)
{
	char end = jsonr_in_object(r) ? '}' : ']';

	jsonr_skip_blanks(r);
	r->start = r->at;
	if (r->at < r->n && r->data[r->at] == end)
		return false;
	if (r->is_first)
		return true;
	if (r->at >= r->n || r->data[r->at] != ',') {
		jsonr_bad(r, end == '}' ? "expected , or }" : "expected , or ]");
		return false;
	}
	r->at++;
	jsonr_skip_blanks(r);
	r->start = r->at;
	return true;
}

static enum jsonr_event jsonr_read_key(struct jsonr *r)
{
	size_t start = r->at;

	if (r->at >= r->n || r->data[r->at] != '"')
		return jsonr_bad(r, "expected a key");
	r->is_first = false;
	if (!jsonr_read_string(r))
		return JSONR_ERROR;
	jsonr_skip_blanks(r);
	if (r->at >= r->n || r->data[r->at] != ':')
		return jsonr_bad(r, "expected :");
	r->at++;
	r->start = start;
	r->is_after_key = true;
	return JSONR_KEY;
}

enum jsonr_event jsonr_next(struct jsonr *r)
{
	if (r->rc)
		return JSONR_ERROR;
	if (!r->depth || r->is_after_key || r->is_after_comma) {
		jsonr_skip_blanks(r);
		r->start = r->at;
		return !r->depth && r->at >= r->n ? JSONR_END : jsonr_read_value(r);
	}
	if (!jsonr_more(r))
		return r->rc ? JSONR_ERROR : jsonr_leave(r);
	return jsonr_in_object(r) ? jsonr_read_key(r) : jsonr_read_value(r);
}

/* ---- what readers use ---- */

static const char *jsonr_kind_name(enum jsonr_event kind)
{
	switch (kind) {
	case JSONR_OBJECT:
		return "an object";
	case JSONR_ARRAY:
		return "an array";
	case JSONR_STRING:
		return "a string";
	case JSONR_NUMBER:
		return "a number";
	default:
		return "true or false";
	}
}

/* Set the error that a value has another type than expected. Returns false; without an error for null. */
static bool jsonr_expected(struct jsonr *r, enum jsonr_event got, enum jsonr_event kind)
{
	if (got == JSONR_END)
		jsonr_bad(r, "");
	else if (got != JSONR_ERROR && got != JSONR_NULL)
		jsonr_fail(r, ERR_FORMAT, "expected %s", jsonr_kind_name(kind));
	return false;
}

bool jsonr_open(struct jsonr *r, enum jsonr_event kind)
{
	enum jsonr_event got = jsonr_next(r);

	return got == kind || jsonr_expected(r, got, kind);
}

bool jsonr_key(struct jsonr *r)
{
	return jsonr_next(r) == JSONR_KEY;
}

bool jsonr_item(struct jsonr *r)
{
	if (r->rc)
		return false;
	if (!jsonr_more(r)) {
		if (!r->rc)
			jsonr_leave(r);
		return false;
	}
	r->is_after_comma = true;
	return true;
}

char jsonr_peek(struct jsonr *r)
{
	if (r->rc)
		return '\0';
	jsonr_skip_blanks(r);
	return r->at < r->n ? r->data[r->at] : '\0';
}

bool jsonr_is(const struct jsonr *r, const char *text)
{
	return strlen(text) == r->len && memcmp(text, r->text, r->len) == 0;
}

bool jsonr_string(struct jsonr *r)
{
	enum jsonr_event got = jsonr_next(r);

	return got == JSONR_STRING || jsonr_expected(r, got, JSONR_STRING);
}

/* Is the text an integer? Sets *out, the nearest one in range. */
static bool jsonr_parse_int(const char *s, size_t n, int64_t *out)
{
	size_t i = n && *s == '-';
	bool is_negative = i > 0;
	int64_t v = 0;

	if (i == n)
		return false;
	for (; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, s[i] - '0', &v))
			v = INT64_MIN;
	}
	*out = is_negative ? v : v == INT64_MIN ? INT64_MAX : -v;
	return true;
}

/* Read a number, or a string that is one. */
static bool jsonr_read_digits(struct jsonr *r)
{
	enum jsonr_event got = jsonr_next(r);
	struct jsonr number = { .data = r->text, .n = r->len };

	if (got != JSONR_STRING)
		return got == JSONR_NUMBER || jsonr_expected(r, got, JSONR_NUMBER);
	if (r->len && (r->text[0] == '-' || (r->text[0] >= '0' && r->text[0] <= '9')) &&
	    jsonr_read_number(&number) == JSONR_NUMBER && number.at == r->len)
		return true;
	return jsonr_expected(r, got, JSONR_NUMBER);
}

static double jsonr_parse_double(const struct jsonr *r)
{
	char text[JSONR_NUMBER_MAX + 1];
	double v;

	memcpy(text, r->text, r->len);
	text[r->len] = '\0';
	v = strtod(text, NULL);
	return v > DBL_MAX ? DBL_MAX : v < -DBL_MAX ? -DBL_MAX : v;
}

bool jsonr_double(struct jsonr *r, double *out)
{
	if (!jsonr_read_digits(r))
		return false;
	*out = jsonr_parse_double(r);
	return true;
}

bool jsonr_scaled(struct jsonr *r, int64_t factor, int64_t *out)
{
	double real;
	int64_t v;

	if (!jsonr_read_digits(r))
		return false;
	if (jsonr_parse_int(r->text, r->len, &v)) {
		if (__builtin_mul_overflow(v, factor, out))
			*out = (v < 0) == (factor < 0) ? INT64_MAX : INT64_MIN;
		return true;
	}
	real = round(jsonr_parse_double(r) * (double)factor);
	*out = real >= 0x1p63 ? INT64_MAX : real < -0x1p63 ? INT64_MIN : (int64_t)real;
	return true;
}

bool jsonr_int(struct jsonr *r, int64_t *out)
{
	return jsonr_scaled(r, 1, out);
}

bool jsonr_bool(struct jsonr *r, bool *out)
{
	enum jsonr_event got = jsonr_next(r);

	if (got != JSONR_TRUE && got != JSONR_FALSE)
		return jsonr_expected(r, got, JSONR_TRUE);
	*out = got == JSONR_TRUE;
	return true;
}

void jsonr_skip(struct jsonr *r)
{
	unsigned depth = r->depth;
	enum jsonr_event got = jsonr_next(r);

	if (got == JSONR_END)
		jsonr_bad(r, "");
	while (r->depth > depth && got != JSONR_ERROR)
		got = jsonr_next(r);
}

void jsonr_end(struct jsonr *r)
{
	if (r->rc)
		return;
	jsonr_skip_blanks(r);
	r->start = r->at;
	if (r->at < r->n)
		jsonr_fail(r, ERR_FORMAT, "more text after the end of the JSON value");
}
