/*
 * foreign.c - recognize content that cpa does not read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/foreign/foreign.h"

#include "base/webpage.h"

#include <stdbool.h>
#include <string.h>

enum { FOREIGN_SEARCHED = 64 << 10 }; /* bytes that are searched for texts */

/* The first byte that is no space, or NUL if there is none. */
static char foreign_first(const uint8_t *data, size_t n)
{
	size_t at = 0;

	while (at < n && data[at] && strchr(" \t\r\n", data[at]))
		at++;
	return at < n ? (char)data[at] : '\0';
}

static bool foreign_has(const uint8_t *data, size_t n, const char *text)
{
	return memmem(data, n < FOREIGN_SEARCHED ? n : FOREIGN_SEARCHED, text, strlen(text)) != NULL;
}

enum format_match foreign_goroutines(const uint8_t *data, size_t n)
{
	static const char first[] = "goroutine ";
	size_t len = sizeof(first) - 1;
	bool is_dump = n > len && memcmp(data, first, len) == 0 && data[len] >= '0' && data[len] <= '9';

	return is_dump ? FORMAT_SURE : FORMAT_NO;
}

/* The number of bytes of the line "v VERSION FORMAT", with which recordings of heaptrack begin; 0 if it is none. */
static size_t foreign_heaptrack_line(const uint8_t *data, size_t n)
{
	size_t at = 2, line;

	if (n < 2 || memcmp(data, "v ", 2) != 0)
		return 0;
	for (line = at; line < n && strchr("0123456789abcdef ", data[line]) && data[line]; line++)
		at = line + 1;
	return at > 2 && line < n && data[line] == '\n' ? line + 1 : 0;
}

enum format_match foreign_heaptrack(const uint8_t *data, size_t n)
{
	return foreign_heaptrack_line(data, n) ? FORMAT_SURE : FORMAT_NO;
}

enum format_match foreign_heaptrack_raw(const uint8_t *data, size_t n)
{
	size_t line = foreign_heaptrack_line(data, n);

	return line && line + 1 < n && data[line] == 'x' && data[line + 1] == ' ' ? FORMAT_SURE : FORMAT_NO;
}

enum format_match foreign_massif(const uint8_t *data, size_t n)
{
	static const char first[] = "desc: ";

	return n >= sizeof(first) - 1 && memcmp(data, first, sizeof(first) - 1) == 0 &&
			       foreign_has(data, n, "\ntime_unit: ")
		       ? FORMAT_SURE
		       : FORMAT_NO;
}

/* A dictionary whose first key is a tuple of three: file, line and function. */
enum format_match foreign_pstats(const uint8_t *data, size_t n)
{
	enum { REF = 0x80, DICT = '{', SMALL_TUPLE = ')', TUPLE = '(' };
	bool is_dict = n >= 3 && (data[0] & ~REF) == DICT;

	if (is_dict && (data[1] & ~REF) == SMALL_TUPLE && data[2] == 3)
		return FORMAT_SURE;
	if (is_dict && n >= 6 && (data[1] & ~REF) == TUPLE && memcmp(data + 2, "\3\0\0", 4) == 0)
		return FORMAT_SURE;
	return FORMAT_NO;
}

/* A buffer whose first event, after a header of 72 bytes, has the kind of headers of files, for 32 or 64 bits. */
enum format_match foreign_etl(const uint8_t *data, size_t n)
{
	enum { HEADER_BYTES = 72 };

	return n >= HEADER_BYTES + 4 && data[0] == 0 &&
			       (memcmp(data + HEADER_BYTES, "\2\0\1\xc0", 4) == 0 ||
				memcmp(data + HEADER_BYTES, "\2\0\2\xc0", 4) == 0)
		       ? FORMAT_SURE
		       : FORMAT_NO;
}

enum format_match foreign_xctrace(const uint8_t *data, size_t n)
{
	return foreign_first(data, n) == '<' && foreign_has(data, n, "<trace-query-result>") ? FORMAT_SURE : FORMAT_NO;
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
