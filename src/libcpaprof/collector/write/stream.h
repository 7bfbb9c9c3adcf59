/*
 * stream.h - write text and JSON through a buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_STREAM_H
#define LIBCPAPROF_COLLECTOR_WRITE_STREAM_H

#include "libcpaprof/collector/snap.h"

#include <stddef.h>
#include <stdint.h>

enum { STREAM_BUFFER = 4096 };

/* Zero-initialised, except sink and arg. */
struct stream {
	snap_sink_fn *sink;
	void *arg;
	int error; /* the first error; it stops all output */
	size_t len;
	char buffer[STREAM_BUFFER];
};

/* Pass the buffer to the sink. */
void stream_flush(struct stream *out);

/* Write bytes, or a formatted text, as they are. */
void stream_put(struct stream *out, const void *data, size_t n);
__attribute__((format(printf, 2, 3))) void stream_add(struct stream *out, const char *fmt, ...);

/*
 * Write a text in quotes. Invalid UTF-8 is replaced by U+FFFD. At most 1000 bytes are written, then an ellipsis if
 * there are more.
 */
void stream_json(struct stream *out, const char *s, size_t n);

/* Write ns as microseconds with three decimals. */
void stream_us(struct stream *out, uint64_t ns);

#endif
