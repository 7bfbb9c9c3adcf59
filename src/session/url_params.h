/*
 * url_params.h - the parameters of a URL: an ordered list of keys and values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Also reads the body of a form, which has the same syntax.
 */
#ifndef SESSION_URL_PARAMS_H
#define SESSION_URL_PARAMS_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

struct url_param {
	char *key, *value; /* unescaped; contain any bytes but NUL */
};

struct url_params {
	struct url_param *item; /* [n] in the order of the URL; a key may repeat */
	size_t n, cap;
	size_t n_ignored; /* pairs that were skipped because they are malformed */
};

enum { URL_QUERY_MAX = 16 << 10, URL_PARAMS_MAX = 256 };

/* An empty list. Freed with url_params_free, which takes NULL. */
struct url_params *url_params_new(void);
struct url_params *url_params_copy(const struct url_params *p);
void url_params_free(struct url_params *p);

/*
 * Read a query. Pairs with a semicolon, an invalid escape or a NUL are skipped and counted.
 *
 * query   escaped, without the question mark
 * n       its length in bytes
 * out     freed with url_params_free; untouched on failure
 * Fails   ERR_LIMIT when there are more than URL_QUERY_MAX bytes or URL_PARAMS_MAX pairs
 * Like    net/url ParseQuery, which keeps NULs and has other limits
 */
int url_params_parse(const char *query, size_t n, struct url_params **out, struct err *err);

/* The first value of a key, "" if there is none; valid until the list is changed. */
const char *url_params_get(const struct url_params *p, const char *key);

/* Replace all values of a key by one, at the position of the first. */
void url_params_set(struct url_params *p, const char *key, const char *value);

/* Append a value; other values of the key remain. */
void url_params_add(struct url_params *p, const char *key, const char *value);

/* Remove all values of a key. */
void url_params_remove(struct url_params *p, const char *key);

/* Append the query, sorted by key and escaped, without a question mark. Like net/url Values.Encode. */
void url_params_add_query(const struct url_params *p, struct buf *out);

/* The same in two parts: up to the value of a key, and what follows. For queries that differ in the end of this value. */
void url_params_split_query(const struct url_params *p, const char *key, struct buf *before, struct buf *after);

#endif
