/*
 * html.c - text escaped for web pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/html/html.h"

#include "base/utf8.h"

#include <string.h>

/* The escape of a character that is special in HTML; NULL for others. */
static const char *escape_of(char c)
{
	switch (c) {
	case 0:
		return "\xef\xbf\xbd";
	case '"':
		return "&#34;";
	case '&':
		return "&amp;";
	case '\'':
		return "&#39;";
	case '+':
		return "&#43;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	default:
		return NULL;
	}
}

void html_add(struct buf *out, const char *s, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		const char *escape = escape_of(s[i]);

		if (!escape)
			continue;
		buf_add(out, s + done, i - done);
		buf_addz(out, escape);
		done = i + 1;
	}
	if (done < n)
		buf_add(out, s + done, n - done);
}

void html_add_name(struct buf *out, const char *s)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, s, strlen(s));
	html_add(out, buf_text(&safe), safe.len);
	buf_release(&safe);
}
