/*
 * trace_json.h - JSON, packed with gzip as it is written
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_JSON_H
#define LIBCPAPROF_COLLECTOR_TRACE_JSON_H

#include "libcpaprof/collector/gzip.h"

enum { JSON_BUFFER = 16 << 10, JSON_TEXT_MOST = 1000 };

/* Begins as zeros but for gzip. What fails first is told by gzip_close. */
struct trace_json {
	struct gzip *gzip;
	size_t len;
	char buffer[JSON_BUFFER];
};

void trace_json_put(struct trace_json *j, const char *s, size_t n);
__attribute__((format(printf, 2, 3))) void trace_json_add(struct trace_json *j, const char *fmt, ...);

/*
 * A text in its quotes. What is no UTF-8 becomes U+FFFD; no more than JSON_TEXT_MOST bytes of it are written, and
 * an ellipsis when there are more.
 */
void trace_json_text(struct trace_json *j, const char *s, size_t n);

/* ns as microseconds with three decimals. */
void trace_json_us(struct trace_json *j, uint64_t ns);

void trace_json_flush(struct trace_json *j);

#endif
