/*
 * webpage.c - recognize web pages, find their titles, escape text for them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/webpage.h"

#include "base/utf8.h"

#include <string.h>
#include <strings.h>

enum { SEARCH_MAX = 16 << 10, TITLE_MAX = 200 }; /* bytes */

static bool is_page_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool starts_with_tag(const uint8_t *s, size_t n, const char *word)
{
	size_t length = strlen(word);

	return n >= length && strncasecmp((const char *)s, word, length) == 0;
}

bool webpage_is(const uint8_t *s, size_t n)
{
	if (starts_with_tag(s, n, "\xef\xbb\xbf"))
		s += 3, n -= 3;
	while (n && is_page_space(*s))
		s++, n--;
	return starts_with_tag(s, n, "<!doctype html") || starts_with_tag(s, n, "<html") ||
	       starts_with_tag(s, n, "<head") || starts_with_tag(s, n, "<title") || starts_with_tag(s, n, "<!--") ||
	       starts_with_tag(s, n, "<body");
}

void webpage_add_title(const uint8_t *s, size_t n, struct buf *out)
{
	size_t i = 0;

	n = n < SEARCH_MAX ? n : SEARCH_MAX;
	while (i < n && !starts_with_tag(s + i, n - i, "<title"))
		i++;
	while (i < n && s[i] != '>')
		i++;
	for (i++; i < n && s[i] != '<' && out->len < TITLE_MAX; i++)
		if (!is_page_space(s[i]))
			buf_add(out, s + i, 1);
		else if (out->len && out->data[out->len - 1] != ' ')
			buf_addz(out, " ");
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* The escape of a character that is special in HTML; NULL for others. */
static const char *webpage_escape_of(char c)
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

void webpage_add_text(struct buf *out, const char *s, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++) {
		const char *escape = webpage_escape_of(s[i]);

		if (!escape)
			continue;
		buf_add(out, s + done, i - done);
		buf_addz(out, escape);
		done = i + 1;
	}
	if (done < n)
		buf_add(out, s + done, n - done);
}

void webpage_add_name(struct buf *out, const char *s)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, s, strlen(s));
	webpage_add_text(out, buf_text(&safe), safe.len);
	buf_release(&safe);
}
