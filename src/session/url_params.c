/*
 * url_params.c - the parameters of a URL: an ordered list of keys and values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/url_params.h"

#include "base/mem.h"
#include "base/url_escape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct url_params *url_params_new(void)
{
	return mem_zalloc(1, sizeof(struct url_params));
}

static void release_item(struct url_param *item)
{
	free(item->key);
	free(item->value);
}

void url_params_free(struct url_params *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		release_item(&p->item[i]);
	free(p->item);
	free(p);
}

struct url_params *url_params_copy(const struct url_params *p)
{
	struct url_params *copy = url_params_new();

	for (size_t i = 0; i < p->n; i++)
		url_params_add(copy, p->item[i].key, p->item[i].value);
	copy->n_ignored = p->n_ignored;
	return copy;
}

/* Unescape n bytes. The caller frees the result; NULL if they are malformed or contain a NUL. */
static char *unescape(const char *s, size_t n)
{
	struct buf text = { 0 };
	char *result = NULL;

	if (url_unescape(s, n, URL_QUERY, &text) && strlen(buf_text(&text)) == text.len)
		result = mem_strndup(buf_text(&text), text.len);
	buf_release(&text);
	return result;
}

static void parse_pair(struct url_params *p, const char *s, size_t n)
{
	const char *equals = memchr(s, '=', n), *value = equals ? equals + 1 : s + n;
	struct url_param item;

	if (n == 0)
		return;
	item.key = memchr(s, ';', n) ? NULL : unescape(s, equals ? (size_t)(equals - s) : n);
	item.value = item.key ? unescape(value, (size_t)(s + n - value)) : NULL;
	if (!item.value) {
		free(item.key);
		p->n_ignored++;
		return;
	}
	p->item = mem_grow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = item;
}

int url_params_parse(const char *query, size_t n, struct url_params **out, struct err *err)
{
	struct url_params *p;
	const char *at = query, *end = query + n;
	size_t n_pairs = 1;

	if (n > URL_QUERY_MAX)
		return err_set(err, ERR_LIMIT, "the parameters of the URL are longer than %d bytes", URL_QUERY_MAX);
	for (size_t i = 0; i < n; i++)
		n_pairs += query[i] == '&';
	if (n_pairs > URL_PARAMS_MAX)
		return err_set(err, ERR_LIMIT, "the URL has more than %d parameters", URL_PARAMS_MAX);
	p = url_params_new();
	while (at < end) {
		const char *amp = memchr(at, '&', (size_t)(end - at)), *stop = amp ? amp : end;

		parse_pair(p, at, (size_t)(stop - at));
		at = stop + 1;
	}
	*out = p;
	return 0;
}

const char *url_params_get(const struct url_params *p, const char *key)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->item[i].key, key) == 0)
			return p->item[i].value;
	return "";
}

void url_params_add(struct url_params *p, const char *key, const char *value)
{
	struct url_param item = { mem_strndup(key, strlen(key)), mem_strndup(value, strlen(value)) };

	p->item = mem_grow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = item;
}

/* Remove the values of a key at positions from start on. */
static void remove_from(struct url_params *p, const char *key, size_t start)
{
	size_t n = start;

	for (size_t i = start; i < p->n; i++) {
		if (strcmp(p->item[i].key, key) == 0)
			release_item(&p->item[i]);
		else
			p->item[n++] = p->item[i];
	}
	p->n = n;
}

void url_params_set(struct url_params *p, const char *key, const char *value)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->item[i].key, key) == 0) {
			char *old = p->item[i].value;

			p->item[i].value = mem_strndup(value, strlen(value)); /* value may be the old text */
			remove_from(p, key, i + 1);
			free(old);
			return;
		}
	}
	url_params_add(p, key, value);
}

void url_params_remove(struct url_params *p, const char *key)
{
	if (p->n)
		remove_from(p, key, 0);
}

static int url_params_compare_items(const void *a, const void *b)
{
	const struct url_param *const *x = a, *const *y = b;
	int order = strcmp((*x)->key, (*y)->key);

	return order ? order : (*x > *y) - (*x < *y);
}

void url_params_split_query(const struct url_params *p, const char *key, struct buf *before, struct buf *after)
{
	struct buf *out = before;
	const struct url_param **sorted = mem_alloc(p->n + 1, sizeof(*sorted));

	for (size_t i = 0; i < p->n; i++)
		sorted[i] = &p->item[i];
	qsort(sorted, p->n, sizeof(*sorted), url_params_compare_items);
	for (size_t i = 0; i < p->n; i++) {
		if (i)
			buf_addz(out, "&");
		url_escape(sorted[i]->key, strlen(sorted[i]->key), URL_QUERY, out);
		buf_addz(out, "=");
		url_escape(sorted[i]->value, strlen(sorted[i]->value), URL_QUERY, out);
		if (strcmp(sorted[i]->key, key) == 0)
			out = after;
	}
	free(sorted);
}

void url_params_add_query(const struct url_params *p, struct buf *out)
{
	url_params_split_query(p, "", out, out);
}
