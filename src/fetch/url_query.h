/*
 * url_query.h - queries of URLs, as in Go's net/url
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_URL_QUERY_H
#define FETCH_URL_QUERY_H

#include "base/buf.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Append a query sorted by key, without invalid pairs.
 *
 * seconds  if at least 1, replaces the value in the query. Else set to the value in the query, or to 0 if this is
 *          missing or not a number
 * Like     net/url ParseQuery and Values.Encode, and go tool pprof's adjustURL
 */
void url_query(const char *s, size_t n, int64_t *seconds, struct buf *out);

#endif
