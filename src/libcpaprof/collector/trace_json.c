/*
 * trace_json.c - write JSON through a buffer, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/trace_json.h"

#include "libcpaprof/collector/labels.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ADDED_MAX = 512, JSON_TEXT_MAX = 1000 };

#define REPLACED "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

void trace_json_flush(struct trace_json *j)
{
	gzip_sink(j->gzip, j->buffer, j->len);
	j->len = 0;
}

void trace_json_put(struct trace_json *j, const char *s, size_t n)
{
	while (n) {
		size_t room = TRACE_JSON_BUFFER - j->len, take = n < room ? n : room;

		memcpy(j->buffer + j->len, s, take);
		j->len += take;
		s += take;
		n -= take;
		if (j->len == TRACE_JSON_BUFFER)
			trace_json_flush(j);
	}
}

void trace_json_add(struct trace_json *j, const char *fmt, ...)
{
	char text[ADDED_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		trace_json_put(j, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void trace_json_text(struct trace_json *j, const char *s, size_t n)
{
	size_t i = 0, size;

	trace_json_put(j, "\"", 1);
	for (; i < n && i < JSON_TEXT_MAX; i += size ? size : 1) {
		unsigned char c = (unsigned char)s[i];

		size = collect_utf8_length(s + i, n - i);
		if (size == 0)
			trace_json_put(j, REPLACED, strlen(REPLACED));
		else if (c < 0x20 || c == 0x7f)
			trace_json_add(j, "\\u%04x", c);
		else {
			if (c == '"' || c == '\\')
				trace_json_put(j, "\\", 1);
			trace_json_put(j, s + i, size);
		}
	}
	if (i < n)
		trace_json_put(j, ELLIPSIS, strlen(ELLIPSIS));
	trace_json_put(j, "\"", 1);
}

void trace_json_us(struct trace_json *j, uint64_t ns)
{
	trace_json_add(j, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}
