/*
 * request_query.c - the parameters of a request, as Go's net/url and strconv read them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * strtod and strtoul are not used: they accept other formats, and depend on the locale of the program.
 */
#include "config.h"

#include "libcpaprof/endpoint/request_query.h"

#include <math.h>
#include <string.h>

static int request_query_digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

long request_query_unescape(const char *text, size_t n, bool space, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (c == '%') {
			if (n - i < 3 || request_query_digit_of(text[i + 1]) > 15 ||
			    request_query_digit_of(text[i + 2]) > 15)
				return -1;
			c = (char)(request_query_digit_of(text[i + 1]) << 4 | request_query_digit_of(text[i + 2]));
			i += 2;
		} else if (c == '+' && space) {
			c = ' ';
		}
		out[len++] = c;
	}
	out[len] = '\0';
	return (long)len;
}

/* Unescape a value, and truncate it. Returns false if any escape is invalid, even beyond the limit. */
static bool unescape_value(const char *text, size_t n, char out[QUERY_VALUE_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		size_t size = text[i] == '%' ? 3 : 1;
		char c[2];

		if (request_query_unescape(text + i, n - i < size ? n - i : size, true, c) < 0)
			return false;
		i += size - 1;
		if (len < QUERY_VALUE_MAX - 1)
			out[len++] = c[0];
	}
	out[len] = '\0';
	return true;
}

bool request_query_value(const char *query, size_t n, const char *key, char out[QUERY_VALUE_MAX])
{
	char name[QUERY_VALUE_MAX];

	for (const char *end = query + n, *next; query < end; query = next) {
		const char *stop = memchr(query, '&', (size_t)(end - query)), *is;

		stop = stop ? stop : end;
		next = stop < end ? stop + 1 : end;
		if (memchr(query, ';', (size_t)(stop - query)))
			continue;
		is = memchr(query, '=', (size_t)(stop - query));
		is = is ? is : stop;
		if (!unescape_value(query, (size_t)(is - query), name) || strcmp(name, key) != 0)
			continue;
		is += is < stop;
		if (unescape_value(is, (size_t)(stop - is), out))
			return true;
	}
	out[0] = '\0';
	return false;
}

bool request_query_int(const char *s, int64_t *out)
{
	bool minus = *s == '-', fits = true;
	uint64_t most = (uint64_t)INT64_MAX + minus, n = 0;

	*out = 0;
	s += *s == '-' || *s == '+';
	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return false;
		if (n > (most - (uint64_t)(*s - '0')) / 10)
			fits = false;
		else
			n = n * 10 + (uint64_t)(*s - '0');
	}
	n = fits ? n : most;
	*out = minus ? (int64_t)(0 - n) : (int64_t)n;
	return fits;
}

/* Are underscores only between digits, or after a base prefix? s: the text after the sign. */
static bool underscores_are_valid(const char *s, size_t n, bool prefix)
{
	char before = '^';
	bool hex = false;
	size_t i = 0;

	if (prefix && n >= 2 && s[0] == '0' && memchr("box", s[1] | 0x20, 3)) {
		i = 2;
		before = '0';
		hex = (s[1] | 0x20) == 'x';
	}
	for (; i < n; i++) {
		char is = s[i];

		if (request_query_digit_of(is) < 10 || (hex && request_query_digit_of(is) < 16))
			is = '0';
		else if (is != '_')
			is = '!';
		if ((is == '_' && before != '0') || (is == '!' && before == '_'))
			return false;
		before = is;
	}
	return before != '_';
}

bool request_query_uint(const char *s, size_t n, uint64_t *out)
{
	const char *text = s, *end = s + n;
	unsigned base = 10;
	uint64_t value = 0;

	if (n == 0)
		return false;
	if (*s == '0') {
		static const char letter[] = "box";
		static const unsigned of[] = { 2, 8, 16 };
		const char *at = n >= 3 && s[1] ? strchr(letter, s[1] | 0x20) : NULL;

		base = at && *at ? of[at - letter] : 8;
		s += at && *at ? 2 : 1;
	}
	for (; s < end; s++) {
		unsigned digit = (unsigned)request_query_digit_of(*s);

		if (*s == '_')
			continue;
		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	if (memchr(text, '_', n) && !underscores_are_valid(text, n, true))
		return false;
	*out = value;
	return true;
}

static bool request_query_is_word(const char *s, const char *word)
{
	for (; *s && *word; s++, word++)
		if ((*s | 0x20) != *word)
			return false;
	return *s == *word;
}

/* Parse digits. Their value is *m * base^*at. Returns the end of the digits; NULL if there are none. */
static const char *parse_mantissa(const char *s, unsigned base, double *m, int *at)
{
	bool any = false, dot = false;
	int skipped = 0;

	for (; *s; s++) {
		unsigned digit = (unsigned)request_query_digit_of(*s);

		if (*s == '.' && !dot) {
			dot = true;
			continue;
		}
		if (*s == '_')
			continue;
		if (digit >= base)
			break;
		any = true;
		if (*m < 1e17)
			*m = *m * base + digit;
		else
			skipped++;
		*at -= dot;
	}
	*at += skipped;
	return any ? s : NULL;
}

/* Parse an exponent after its letter. Returns its end; NULL if it is invalid. */
static const char *parse_exponent(const char *s, int *out)
{
	bool minus = *s == '-';
	int n = 0;

	s += *s == '-' || *s == '+';
	if (*s < '0' || *s > '9')
		return NULL;
	for (; (*s >= '0' && *s <= '9') || *s == '_'; s++)
		if (*s != '_' && n < 10000)
			n = n * 10 + (*s - '0');
	*out += minus ? -n : n;
	return s;
}

static bool request_query_parse_number(const char *s, double *out)
{
	bool hex = s[0] == '0' && (s[1] | 0x20) == 'x', bars = strchr(s, '_') != NULL;
	const char *text = s;
	double m = 0;
	int at = 0, power = 0;

	s = parse_mantissa(s + 2 * hex, hex ? 16 : 10, &m, &at);
	if (!s)
		return false;
	if ((*s | 0x20) == (hex ? 'p' : 'e'))
		s = parse_exponent(s + 1, &power);
	else if (hex)
		return false;
	if (!s || *s || (bars && !underscores_are_valid(text, strlen(text), true)))
		return false;
	*out = m;
	for (at = hex ? 4 * at + power : at + power; at > 0 && *out != 0 && !isinf(*out); at--)
		*out *= hex ? 2 : 10;
	for (; at < 0 && *out != 0; at++)
		*out /= hex ? 2 : 10;
	return !isinf(*out);
}

bool request_query_float(const char *s, double *out)
{
	bool minus = *s == '-', fits;
	const char *text = s + (*s == '-' || *s == '+');

	*out = 0;
	if (request_query_is_word(text, "inf") || request_query_is_word(text, "infinity")) {
		*out = minus ? -HUGE_VAL : HUGE_VAL;
		return true;
	}
	if (request_query_is_word(s, "nan")) {
		*out = NAN;
		return true;
	}
	fits = request_query_parse_number(text, out);
	if (minus)
		*out = -*out;
	return fits;
}
