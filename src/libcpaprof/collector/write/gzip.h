/*
 * gzip.h - compress a stream, without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_GZIP_H
#define LIBCPAPROF_COLLECTOR_WRITE_GZIP_H

#include "libcpaprof/collector/snap.h"

struct collector_gzip;

/*
 * Start a stream that is written to a sink. is_small: for a few KiB, use less memory. Returns NULL if out of memory.
 */
struct collector_gzip *gzip_open(snap_sink_fn *sink, void *arg, bool is_small);

/* Compress data. A wire_sink_fn; arg is a struct collector_gzip. */
bool gzip_sink(void *arg, const void *data, size_t n);

/* Write the rest, and free the stream. Returns 0, or the first error of the sink. */
int gzip_close(struct collector_gzip *g);

#endif
