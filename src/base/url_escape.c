/*
 * url_escape.c - percent escapes of URLs, as in Go's net/url
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/url_escape.h"

#include <assert.h>
#include <string.h>

static bool url_escape_is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool url_escape_is_one_of(char c, const char *set)
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
	return !url_escape_is_alnum(c) && !url_escape_is_one_of(c, plain[part]);
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
			    (part == URL_HOST && high < 8)) /* in a host, only non-ASCII bytes are escaped */
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
	static const char digit[] = "0123456789ABCDEF";
	size_t plain = 0; /* bytes before i that are not escaped */

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (!is_escaped(s[i], part)) {
			plain++;
			continue;
		}
		buf_add(out, s + i - plain, plain);
		plain = 0;
		if (c == ' ' && part == URL_QUERY)
			buf_add(out, "+", 1);
		else
			buf_add(out, (char[]){ '%', digit[c >> 4], digit[c & 15] }, 3);
	}
	buf_add(out, s + n - plain, plain);
}

bool url_path_is_valid(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_escaped(s[i], URL_PATH) && !url_escape_is_one_of(s[i], "!'()*[]%"))
			return false;
	return true;
}
