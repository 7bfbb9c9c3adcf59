/*
 * request_query.h - the parameters of a request, as Go's net/url and strconv read them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_ENDPOINT_REQUEST_QUERY_H
#define LIBCPAPROF_ENDPOINT_REQUEST_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUERY_VALUE_MAX = 256 };

/*
 * Find the first value of a key. Pairs with invalid escapes or a semicolon are ignored.
 *
 * query   [n] the text after the question mark
 * out     the value, unescaped and truncated to fit: no valid parameter is that long; "" if there is none
 * Returns true if there is a value
 * Like    net/url.ParseQuery, Values.Get
 */
bool request_query_value(const char *query, size_t n, const char *key, char out[QUERY_VALUE_MAX]);

/*
 * Unescape a text. space: a plus becomes a space.
 *
 * out     [n + 1] may be the text itself; ends with NUL, but may also contain NULs
 * Returns its length, or -1 if an escape is invalid
 */
long request_query_unescape(const char *text, size_t n, bool space, char *out);

/* Parse a number like strconv.ParseInt(s, 10, 64). On failure returns false, with *out as in Go: 0 or the limit. */
bool request_query_int(const char *s, int64_t *out);

/*
 * Parse a number like strconv.ParseUint(s, 0, 64): 10, 0x1f, 0b11, 0o17, 017, 1_000. Returns false if it is invalid or
 * does not fit.
 */
bool request_query_uint(const char *s, size_t n, uint64_t *out);

/*
 * Parse a number like strconv.ParseFloat(s, 64), with 15 digits of precision: 1.5, 1e3, 0x1p-2, inf, nan. Returns false
 * if it is invalid or does not fit.
 */
bool request_query_float(const char *s, double *out);

#endif
