/*
 * gzip.h - pack what is written, without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_GZIP_H
#define LIBCPAPROF_COLLECTOR_GZIP_H

#include "libcpaprof/collector/snap.h"

struct gzip;

/* Begin to write to a sink. NULL when there is no memory. */
struct gzip *gzip_open(snap_sink_fn *sink, void *arg);

/* A wire_sink_fn; arg is the struct gzip. */
bool gzip_sink(void *arg, const void *data, size_t n);

/* Write the rest, and free all. Gives 0, or what the sink gave first. */
int gzip_close(struct gzip *g);

#endif
