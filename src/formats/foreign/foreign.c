/*
 * foreign.c - recognize content that cpa does not read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/foreign/foreign.h"

#include "base/webpage.h"

#include <string.h>

/* The first byte that is no space, or NUL if there is none. */
static char foreign_first(const uint8_t *data, size_t n)
{
	size_t at = 0;

	while (at < n && data[at] && strchr(" \t\r\n", data[at]))
		at++;
	return at < n ? (char)data[at] : '\0';
}

enum format_match foreign_goroutines(const uint8_t *data, size_t n)
{
	static const char first[] = "goroutine ";
	size_t len = sizeof(first) - 1;
	bool is_dump = n > len && memcmp(data, first, len) == 0 && data[len] >= '0' && data[len] <= '9';

	return is_dump ? FORMAT_SURE : FORMAT_NO;
}

enum format_match foreign_xml(const uint8_t *data, size_t n)
{
	return foreign_first(data, n) == '<' ? FORMAT_SURE : FORMAT_NO;
}

enum format_match foreign_page(const uint8_t *data, size_t n)
{
	return webpage_is(data, n) ? FORMAT_SURE : FORMAT_NO;
}

int foreign_read_page(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		      struct err *err)
{
	struct buf title = { 0 };

	(void)options;
	(void)out;
	webpage_add_title(data, n, &title);
	err_set(err, ERR_FORMAT, "not a profile: it is a web page%s%s%s", title.len ? ", \"" : "", buf_text(&title),
		title.len ? "\"" : "");
	buf_release(&title);
	return ERR_FORMAT;
}
