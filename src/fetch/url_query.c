/*
 * url_query.c - queries of URLs, as in Go's net/url
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/url_query.h"

#include "base/mem.h"
#include "base/url_escape.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An unescaped pair of a query; key and value are adjacent in a buffer. */
struct pair {
	size_t at, n_key, n_value;
	const char *text; /* start of the key, set when the buffer is complete */
	size_t number;    /* position in the query */
};

struct pairs {
	struct pair *item;
	size_t n, cap;
	struct buf text;
};

static void url_query_add_pair(struct pairs *p, const char *s, size_t n)
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

static int url_query_compare_pairs(const void *a, const void *b)
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

/* The value as a 32-bit decimal number, as by strconv.ParseInt; 0 if it is not such a number. */
static int64_t url_query_pair_number(const struct pair *p)
{
	char digits[16] = "", *end;
	int64_t value;

	if (p->n_value == 0 || p->n_value >= sizeof(digits) || !strchr("+-0123456789", p->text[p->n_key]))
		return 0;
	memcpy(digits, p->text + p->n_key, p->n_value);
	errno = 0;
	value = strtoll(digits, &end, 10);
	return end == digits + p->n_value && errno == 0 && value >= INT32_MIN && value <= INT32_MAX ? value : 0;
}

static void add_escaped_pair(const char *key, size_t n_key, const char *value, size_t n_value, struct buf *out)
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

		url_query_add_pair(p, s, (size_t)(stop - s));
		s = stop + 1;
	}
	for (size_t i = 0; i < p->n; i++)
		p->item[i].text = p->text.data + p->item[i].at;
}

void url_query(const char *s, size_t n, int64_t *seconds, struct buf *out)
{
	static const char name[] = "seconds";
	struct pairs p = { 0 };
	struct buf result = { 0 }, replacement = { 0 };
	bool has_replacement = *seconds > 0, is_found = false;

	assert(seconds && out);
	split_query(&p, s, n);
	if (has_replacement) { /* append the new pair; the pairs it replaces are skipped below */
		buf_addf(&replacement, "%s%" PRId64, name, *seconds);
		p.item = mem_grow(p.item, &p.cap, p.n + 1, sizeof(*p.item));
		p.item[p.n] = (struct pair){ .n_key = strlen(name),
					     .n_value = replacement.len - strlen(name),
					     .text = replacement.data,
					     .number = p.n };
		p.n++;
	} else {
		*seconds = 0;
	}
	if (p.n)
		qsort(p.item, p.n, sizeof(*p.item), url_query_compare_pairs);
	for (size_t i = 0; i < p.n; i++) {
		const struct pair *pair = &p.item[i];

		if (is_seconds(pair) && has_replacement && pair->text != replacement.data)
			continue;
		if (is_seconds(pair) && !has_replacement && !is_found) {
			*seconds = url_query_pair_number(pair);
			is_found = true;
		}
		add_escaped_pair(pair->text, pair->n_key, pair->text + pair->n_key, pair->n_value, &result);
	}
	buf_add(out, buf_text(&result), result.len);
	free(p.item);
	buf_release(&p.text);
	buf_release(&replacement);
	buf_release(&result);
}
