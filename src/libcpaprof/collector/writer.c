/*
 * writer.c - write text and JSON through a buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/writer.h"

#include "libcpaprof/collector/labels.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ADDED_MAX = 512, JSON_TEXT_MAX = 1000 };

#define REPLACED "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

void writer_flush(struct writer *w)
{
	if (w->len && !w->error)
		w->error = w->sink(w->arg, w->buffer, w->len);
	w->len = 0;
}

void writer_put(struct writer *w, const void *data, size_t n)
{
	while (n) {
		size_t room = WRITER_BUFFER - w->len, take = n < room ? n : room;

		memcpy(w->buffer + w->len, data, take);
		w->len += take;
		data = (const char *)data + take;
		n -= take;
		if (w->len == WRITER_BUFFER)
			writer_flush(w);
	}
}

void writer_add(struct writer *w, const char *fmt, ...)
{
	char text[ADDED_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n > 0)
		writer_put(w, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void writer_json(struct writer *w, const char *s, size_t n)
{
	size_t i = 0, size;

	writer_put(w, "\"", 1);
	for (; i < n && i < JSON_TEXT_MAX; i += size ? size : 1) {
		unsigned char c = (unsigned char)s[i];

		size = collect_utf8_length(s + i, n - i);
		if (size == 0)
			writer_put(w, REPLACED, strlen(REPLACED));
		else if (c < 0x20 || c == 0x7f)
			writer_add(w, "\\u%04x", c);
		else {
			if (c == '"' || c == '\\')
				writer_put(w, "\\", 1);
			writer_put(w, s + i, size);
		}
	}
	if (i < n)
		writer_put(w, ELLIPSIS, strlen(ELLIPSIS));
	writer_put(w, "\"", 1);
}

void writer_us(struct writer *w, uint64_t ns)
{
	writer_add(w, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}
