/*
 * stream.c - write text and JSON through a buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/write/stream.h"

#include "libcpaprof/collector/labels.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ADDED_MAX = 512, JSON_TEXT_MAX = 1000 };

#define REPLACED "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

void stream_flush(struct stream *out)
{
	if (out->len && !out->error)
		out->error = out->sink(out->arg, out->buffer, out->len);
	out->len = 0;
}

void stream_put(struct stream *out, const void *data, size_t n)
{
	while (n) {
		size_t room = STREAM_BUFFER - out->len, take = n < room ? n : room;

		memcpy(out->buffer + out->len, data, take);
		out->len += take;
		data = (const char *)data + take;
		n -= take;
		if (out->len == STREAM_BUFFER)
			stream_flush(out);
	}
}

void stream_add(struct stream *out, const char *fmt, ...)
{
	char text[ADDED_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		stream_put(out, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void stream_json(struct stream *out, const char *s, size_t n)
{
	size_t i = 0, size;

	stream_put(out, "\"", 1);
	for (; i < n && i < JSON_TEXT_MAX; i += size ? size : 1) {
		unsigned char c = (unsigned char)s[i];

		size = collect_utf8_length(s + i, n - i);
		if (size == 0)
			stream_put(out, REPLACED, strlen(REPLACED));
		else if (c < 0x20 || c == 0x7f)
			stream_add(out, "\\u%04x", c);
		else {
			if (c == '"' || c == '\\')
				stream_put(out, "\\", 1);
			stream_put(out, s + i, size);
		}
	}
	if (i < n)
		stream_put(out, ELLIPSIS, strlen(ELLIPSIS));
	stream_put(out, "\"", 1);
}

void stream_us(struct stream *out, uint64_t ns)
{
	stream_add(out, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}
