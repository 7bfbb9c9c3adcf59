/*
 * writer.h - write text and JSON through a buffer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITER_H
#define LIBCPAPROF_COLLECTOR_WRITER_H

#include "libcpaprof/collector/snap.h"

#include <stddef.h>
#include <stdint.h>

enum { WRITER_BUFFER = 4096 };

/* Zero-initialised, except sink and arg. */
struct writer {
	snap_sink_fn *sink;
	void *arg;
	int error; /* the first error; it stops all output */
	size_t len;
	char buffer[WRITER_BUFFER];
};

/* Pass the buffer to the sink. */
void writer_flush(struct writer *w);

/* Write bytes, or a formatted text, as they are. */
void writer_put(struct writer *w, const void *data, size_t n);
__attribute__((format(printf, 2, 3))) void writer_add(struct writer *w, const char *fmt, ...);

/*
 * Write a text in quotes. Invalid UTF-8 is replaced by U+FFFD. At most 1000 bytes are written, then an ellipsis if
 * there are more.
 */
void writer_json(struct writer *w, const char *s, size_t n);

/* Write ns as microseconds with three decimals. */
void writer_us(struct writer *w, uint64_t ns);

#endif
