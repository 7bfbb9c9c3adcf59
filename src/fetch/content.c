/*
 * content.c - detect responses of a server that are not profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/buf.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { SEARCH_MAX = 16 << 10, TITLE_MAX = 200 }; /* bytes */

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool starts_with_tag(const uint8_t *s, size_t n, const char *word)
{
	size_t length = strlen(word);

	return n >= length && strncasecmp((const char *)s, word, length) == 0;
}

static bool is_page(const uint8_t *s, size_t n)
{
	if (starts_with_tag(s, n, "\xef\xbb\xbf"))
		s += 3, n -= 3;
	while (n && is_space(*s))
		s++, n--;
	return starts_with_tag(s, n, "<!doctype html") || starts_with_tag(s, n, "<html") ||
	       starts_with_tag(s, n, "<head") || starts_with_tag(s, n, "<title") || starts_with_tag(s, n, "<!--") ||
	       starts_with_tag(s, n, "<body");
}

/* Append the title of a page, on one line. */
static void add_title(const uint8_t *s, size_t n, struct buf *out)
{
	size_t i = 0;

	n = n < SEARCH_MAX ? n : SEARCH_MAX;
	while (i < n && !starts_with_tag(s + i, n - i, "<title"))
		i++;
	while (i < n && s[i] != '>')
		i++;
	for (i++; i < n && s[i] != '<' && out->len < TITLE_MAX; i++)
		if (!is_space(s[i]))
			buf_add(out, s + i, 1);
		else if (out->len && out->data[out->len - 1] != ' ')
			buf_addz(out, " ");
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
}

/* Are the bytes a Go execution trace: "go 1.22 trace" padded with zero bytes? */
static bool is_trace(const uint8_t *s, size_t n)
{
	return n >= 16 && memcmp(s, "go 1.", 5) == 0 && memmem(s, 16, " trace", 6);
}

int fetch_check_content(const uint8_t *data, size_t n, struct err *err)
{
	struct buf title = { 0 };

	assert(data || n == 0);
	if (n == 0)
		return err_set(err, ERR_FORMAT, "the server sent an empty answer");
	if (is_trace(data, n))
		return err_set(err, ERR_FORMAT, "the server sent an execution trace, not a profile; use go tool trace");
	if (!is_page(data, n))
		return 0;
	add_title(data, n, &title);
	if (title.len)
		err_set(err, ERR_FORMAT, "the server sent a web page, not a profile: \"%s\"", title.data);
	else
		err_set(err, ERR_FORMAT, "the server sent a web page, not a profile");
	buf_release(&title);
	return ERR_FORMAT;
}
