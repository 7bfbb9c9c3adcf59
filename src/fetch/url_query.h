/*
 * url_query.h - escapes and queries of URLs, as net/url of Go has them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_URL_QUERY_H
#define FETCH_URL_QUERY_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which part of a URL it is decides what is escaped in it. */
enum url_part { URL_HOST, URL_PATH, URL_QUERY, URL_USER };

/*
 * Append n bytes without their escapes.
 *
 * Gives   false, with some of it appended, when a % has no two digits behind it, or the part may not
 *         hold what is there
 * Like    net/url unescape
 */
bool url_unescape(const char *s, size_t n, enum url_part part, struct buf *out);

/* Append n bytes with escapes. Like net/url escape. */
void url_escape(const char *s, size_t n, enum url_part part, struct buf *out);

/* Is this a path that stays as it is spelt? Like net/url validEncoded. */
bool url_path_is_fine(const char *s, size_t n);

/*
 * Append a query sorted by key, without the pairs that cannot be read.
 *
 * seconds  at least 1: put in place of what the query says of them. Else they become what the query
 *          says, 0 when that is nothing or no number
 * Like     net/url ParseQuery and Values.Encode, and go tool pprof's adjustURL
 */
void url_query(const char *s, size_t n, int64_t *seconds, struct buf *out);

#endif
