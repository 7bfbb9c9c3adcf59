/*
 * url_query.c - escapes and queries of URLs, as net/url of Go has them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/url_query.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_escaped(char c, enum url_part part)
{
	static const char *const plain[] = {
		[URL_HOST] = "-_.~!$&'()*+,;=:[]<>\"",
		[URL_PATH] = "-_.~$&+,/:;=@",
		[URL_QUERY] = "-_.~",
		[URL_USER] = "-_.~$&+,;=",
	};

	assert(part <= URL_USER);
	return !is_alnum(c) && !is_one_of(c, plain[part]);
}

static int digit_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

bool url_unescape(const char *s, size_t n, enum url_part part, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		char c = s[i];

		if (c == '%') {
			int high = i + 2 < n ? digit_value(s[i + 1]) : -1, low = i + 2 < n ? digit_value(s[i + 2]) : -1;

			if (high < 0 || low < 0 ||
			    (part == URL_HOST && high < 8)) /* a host escapes other scripts only */
				return false;
			c = (char)(high << 4 | low);
			i += 2;
		} else if (c == '+' && part == URL_QUERY) {
			c = ' ';
		} else if (part == URL_HOST && (signed char)c >= 0 && is_escaped(c, part)) {
			return false;
		}
		buf_add(out, &c, 1);
	}
	return true;
}

void url_escape(const char *s, size_t n, enum url_part part, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == ' ' && part == URL_QUERY)
			buf_addz(out, "+");
		else if (is_escaped(s[i], part))
			buf_addf(out, "%%%02X", (unsigned char)s[i]);
		else
			buf_add(out, &s[i], 1);
	}
}

bool url_path_is_fine(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_escaped(s[i], URL_PATH) && !is_one_of(s[i], "!'()*[]%"))
			return false;
	return true;
}

/* One of a query, without its escapes: key and value lie behind each other in a buffer. */
struct pair {
	size_t at, n_key, n_value;
	const char *text; /* that buffer's, once it has stopped growing */
	size_t number;    /* as in the query */
};

struct pairs {
	struct pair *item;
	size_t n, cap;
	struct buf text;
};

static void add_pair(struct pairs *p, const char *s, size_t n)
{
	const char *equals = memchr(s, '=', n);
	size_t n_key = equals ? (size_t)(equals - s) : n;
	struct pair pair = { .at = p->text.len, .number = p->n };

	if (n == 0 || memchr(s, ';', n))
		return;
	if (!url_unescape(s, n_key, URL_QUERY, &p->text))
		return;
	pair.n_key = p->text.len - pair.at;
	if (equals && !url_unescape(equals + 1, n - n_key - 1, URL_QUERY, &p->text))
		return;
	pair.n_value = p->text.len - pair.at - pair.n_key;
	p->item = mem_grow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = pair;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	size_t n = x->n_key < y->n_key ? x->n_key : y->n_key;
	int order = n ? memcmp(x->text, y->text, n) : 0;

	if (order == 0)
		order = (x->n_key > y->n_key) - (x->n_key < y->n_key);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_seconds(const struct pair *p)
{
	return p->n_key == 7 && memcmp(p->text, "seconds", 7) == 0;
}

/* As strconv.ParseInt reads 32 bits in base 10; 0 for what it does not. */
static int64_t number_of(const struct pair *p)
{
	char digits[16] = "", *end;
	int64_t value;

	if (p->n_value == 0 || p->n_value >= sizeof(digits) || !is_one_of(p->text[p->n_key], "+-0123456789"))
		return 0;
	memcpy(digits, p->text + p->n_key, p->n_value);
	errno = 0;
	value = strtoll(digits, &end, 10);
	return end == digits + p->n_value && errno == 0 && value >= INT32_MIN && value <= INT32_MAX ? value : 0;
}

static void draw_pair(const char *key, size_t n_key, const char *value, size_t n_value, struct buf *out)
{
	if (out->len)
		buf_addz(out, "&");
	url_escape(key, n_key, URL_QUERY, out);
	buf_addz(out, "=");
	url_escape(value, n_value, URL_QUERY, out);
}

static void split_query(struct pairs *p, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *amp = memchr(s, '&', (size_t)(end - s)), *stop = amp ? amp : end;

		add_pair(p, s, (size_t)(stop - s));
		s = stop + 1;
	}
	for (size_t i = 0; i < p->n; i++)
		p->item[i].text = p->text.data + p->item[i].at;
}

void url_query(const char *s, size_t n, int64_t *seconds, struct buf *out)
{
	static const char name[] = "seconds";
	struct pairs p = { 0 };
	struct buf all = { 0 }, wanted = { 0 };
	bool set = *seconds > 0, known = false;

	assert(seconds && out);
	split_query(&p, s, n);
	if (set) { /* one more, behind all that are left out for it */
		buf_addf(&wanted, "%s%" PRId64, name, *seconds);
		p.item = mem_grow(p.item, &p.cap, p.n + 1, sizeof(*p.item));
		p.item[p.n] = (struct pair){
			.n_key = strlen(name), .n_value = wanted.len - strlen(name), .text = wanted.data, .number = p.n
		};
		p.n++;
	} else {
		*seconds = 0;
	}
	if (p.n)
		qsort(p.item, p.n, sizeof(*p.item), compare_pairs);
	for (size_t i = 0; i < p.n; i++) {
		const struct pair *pair = &p.item[i];

		if (is_seconds(pair) && set && pair->text != wanted.data)
			continue;
		if (is_seconds(pair) && !set && !known) {
			*seconds = number_of(pair);
			known = true;
		}
		draw_pair(pair->text, pair->n_key, pair->text + pair->n_key, pair->n_value, &all);
	}
	buf_add(out, buf_text(&all), all.len);
	free(p.item);
	buf_release(&p.text);
	buf_release(&wanted);
	buf_release(&all);
}
