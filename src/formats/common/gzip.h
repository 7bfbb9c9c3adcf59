/*
 * gzip.h - compress bytes with gzip, on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_GZIP_H
#define FORMATS_COMMON_GZIP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct gzip;

/* Produces the bytes to compress and passes them to format_gzip_write in order. Returns 0, or an error of its own. */
typedef int (*gzip_source_fn)(void *arg, struct gzip *g, struct err *err);

/* Add n bytes to compress; also a wire_sink_fn. Returns true. */
bool format_gzip_write(void *gzip, const void *data, size_t n);

/*
 * Append the bytes of source as one gzip member, without name and time. Input of up to 1 MiB is compressed at a high
 * level; larger input is compressed in pieces at a lower level, in half the time. The output does not depend on the
 * number of threads.
 *
 * n_threads   maximum, including the calling thread, on which source runs
 * Fails       as source does; ERR_LIMIT without memory; out is unchanged then
 */
int format_gzip_pack(gzip_source_fn source, void *arg, unsigned n_threads, struct buf *out, struct err *err);

#endif
