/*
 * trace_json.h - write JSON through a buffer, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_JSON_H
#define LIBCPAPROF_COLLECTOR_TRACE_JSON_H

#include "libcpaprof/collector/gzip.h"

#include <stddef.h>
#include <stdint.h>

enum { TRACE_JSON_BUFFER = 16 << 10 };

/* Zero-initialised, except gzip. gzip_close reports the first error. */
struct trace_json {
	struct gzip *gzip;
	size_t len;
	char buffer[TRACE_JSON_BUFFER];
};

/* Pass the buffer to gzip. */
void trace_json_flush(struct trace_json *j);

/* Write bytes, or a formatted text, as they are. */
void trace_json_put(struct trace_json *j, const char *s, size_t n);
__attribute__((format(printf, 2, 3))) void trace_json_add(struct trace_json *j, const char *fmt, ...);

/*
 * Write a text in quotes. Invalid UTF-8 is replaced by U+FFFD. At most 1000 bytes are written, then an ellipsis if
 * there are more.
 */
void trace_json_text(struct trace_json *j, const char *s, size_t n);

/* Write ns as microseconds with three decimals. */
void trace_json_us(struct trace_json *j, uint64_t ns);

#endif
