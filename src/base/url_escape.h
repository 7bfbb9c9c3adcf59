/*
 * url_escape.h - percent escapes of URLs, as in Go's net/url
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_URL_ESCAPE_H
#define BASE_URL_ESCAPE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* Parts of a URL, which differ in the characters that are escaped. */
enum url_part { URL_HOST, URL_PATH, URL_QUERY, URL_USER };

/*
 * Append n bytes, unescaped.
 *
 * Returns false, with the bytes before the error appended, when a % is not followed by two digits, or a
 *         character is not allowed in this part
 * Like    net/url unescape
 */
bool url_unescape(const char *s, size_t n, enum url_part part, struct buf *out);

/* Append n bytes, escaped. Like net/url escape. */
void url_escape(const char *s, size_t n, enum url_part part, struct buf *out);

/* Is this a correctly escaped path? Like net/url validEncoded. */
bool url_path_is_valid(const char *s, size_t n);

#endif
