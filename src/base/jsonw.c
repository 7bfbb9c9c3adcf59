/*
 * jsonw.c - JSON writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/jsonw.h"

#include "base/num.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void json_separate(struct json *j)
{
	if (j->is_after_key) {
		j->is_after_key = false;
		return;
	}
	if (j->has_previous)
		buf_add(j->out, ",", 1);
	if (j->depth && !j->is_one_line) {
		buf_add(j->out, "\n", 1);
		buf_fill(j->out, ' ', (size_t)j->depth * 2);
	} else if (j->has_previous) {
		buf_add(j->out, " ", 1);
	}
	j->has_previous = true;
}

void jsonw_open(struct json *j, char bracket)
{
	assert(j->out && (bracket == '{' || bracket == '['));
	json_separate(j);
	buf_add(j->out, &bracket, 1);
	j->depth++;
	j->has_previous = false;
}

void jsonw_close(struct json *j, char bracket)
{
	assert(j->depth > 0 && !j->is_after_key);
	j->depth--;
	if (j->has_previous && !j->is_one_line) {
		buf_add(j->out, "\n", 1);
		buf_fill(j->out, ' ', (size_t)j->depth * 2);
	}
	buf_add(j->out, &bracket, 1);
	j->has_previous = true;
}

/* The number of characters at the start of a text that are the same in JSON. */
static size_t json_count_plain(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= ' ' && s[i] <= '~' && s[i] != '"' && s[i] != '\\' && s[i] != '<' && s[i] != '>' &&
	       s[i] != '&')
		i++;
	return i;
}

static void json_quote(struct buf *b, const char *s, size_t n)
{
	buf_add(b, "\"", 1);
	for (size_t i = 0; i < n;) {
		uint32_t c = 0xfffd;
		size_t plain = json_count_plain(s + i, n - i), len;

		buf_add(b, s + i, plain);
		i += plain;
		if (i == n)
			break;
		len = utf8_decode(s + i, n - i, &c);
		if (len == 0)
			buf_addz(b, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", (char)c);
		else if (c == '<' || c == '>' || c == '&' || (c < 0x10000 && !utf8_is_safe(c)))
			buf_addf(b, "\\u%04x", c);
		else if (!utf8_is_safe(c))
			buf_addf(b, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
		else
			buf_add(b, s + i, len);
		i += len ? len : 1;
	}
	buf_add(b, "\"", 1);
}

void jsonw_key(struct json *j, const char *key)
{
	assert(!j->is_after_key);
	json_separate(j);
	json_quote(j->out, key, strlen(key));
	buf_addz(j->out, ": ");
	j->is_after_key = true;
}

void jsonw_text(struct json *j, const char *s, size_t n)
{
	json_separate(j);
	json_quote(j->out, s, n);
}

void jsonw_textz(struct json *j, const char *s)
{
	jsonw_text(j, s, strlen(s));
}

void jsonw_int(struct json *j, int64_t v)
{
	char digits[NUM_DIGITS];

	json_separate(j);
	buf_add(j->out, digits, (size_t)(num_put(digits, v) - digits));
}

void jsonw_raw(struct json *j, const char *s, size_t n)
{
	json_separate(j);
	buf_add(j->out, s, n);
}

void jsonw_bool(struct json *j, bool v)
{
	json_separate(j);
	buf_addz(j->out, v ? "true" : "false");
}

void jsonw_real(struct json *j, double v)
{
	char text[400];
	size_t n;

	json_separate(j);
	if (!isfinite(v)) {
		buf_addz(j->out, "null");
		return;
	}
	n = (size_t)snprintf(text, sizeof(text), "%.4f", v);
	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	buf_add(j->out, text, n == 2 && memcmp(text, "-0", 2) == 0 ? (text[0] = '0', 1) : n);
}

void jsonw_number(struct json *j, double v)
{
	char text[40];

	json_separate(j);
	if (!isfinite(v)) {
		buf_addz(j->out, "null");
		return;
	}
	if (fabs(v) < 0x1p53 && v == nearbyint(v)) {
		snprintf(text, sizeof(text), "%.0f", fabs(v));
		buf_addz(j->out, v < 0 ? "-" : "");
	} else {
		int digits = 1;

		do
			snprintf(text, sizeof(text), "%.*g", digits, v);
		while (strtod(text, NULL) != v && ++digits <= 17);
	}
	buf_addz(j->out, text);
}

void jsonw_add_number(struct json *j, const char *key, double v)
{
	jsonw_key(j, key);
	jsonw_number(j, v);
}

void jsonw_add_text(struct json *j, const char *key, const char *text)
{
	jsonw_key(j, key);
	jsonw_textz(j, text);
}

void jsonw_add_int(struct json *j, const char *key, int64_t v)
{
	jsonw_key(j, key);
	jsonw_int(j, v);
}

void jsonw_add_bool(struct json *j, const char *key, bool v)
{
	jsonw_key(j, key);
	jsonw_bool(j, v);
}

void jsonw_add_real(struct json *j, const char *key, double v)
{
	jsonw_key(j, key);
	jsonw_real(j, v);
}

void jsonw_add_texts(struct json *j, const char *key, const char *const *text, size_t n)
{
	jsonw_open_key(j, key, '[');
	for (size_t i = 0; i < n; i++)
		jsonw_textz(j, text[i]);
	jsonw_close(j, ']');
}

void jsonw_open_key(struct json *j, const char *key, char bracket)
{
	jsonw_key(j, key);
	jsonw_open(j, bracket);
}
