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
 * The first value of a key: "" when there is none. Pairs whose escapes are broken, or which have a semicolon, are none.
 *
 * query   [n] what follows the question mark
 * out     the value, unescaped; one that does not fit is cut: no parameter of ours is as long
 * Gives   is there one?
 * Like    net/url.ParseQuery, Values.Get
 */
bool request_query_value(const char *query, size_t n, const char *key, char out[QUERY_VALUE_MAX]);

/*
 * Undo the escapes of a text. space: a plus is a space.
 *
 * out     [n + 1]; may be the text itself; ended by 0, which does not say where it ends
 * Gives   its length, or -1 when an escape is broken
 */
long request_query_unescape(const char *text, size_t n, bool space, char *out);

/* A number as strconv.ParseInt(s, 10, 64) takes it. False when it is none; *out is then what Go gives: 0, or the limit. */
bool request_query_int(const char *s, int64_t *out);

/*
 * A number as strconv.ParseUint(s, 0, 64) takes it: 10, 0x1f, 0b11, 0o17, 017, 1_000. False when it is none, or does
 * not fit.
 */
bool request_query_uint(const char *s, size_t n, uint64_t *out);

/*
 * A number as strconv.ParseFloat(s, 64) takes it: 1.5, 1e3, 0x1p-2, inf, nan; to 15 digits. False when it is none, or
 * does not fit.
 */
bool request_query_float(const char *s, double *out);

#endif
