/*
 * gzip.h - pack what is written, without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef COLLECT_GZIP_H
#define COLLECT_GZIP_H

#include <stdbool.h>
#include <stddef.h>

struct gzip;

/* Begin to write to a descriptor, which stays open. NULL when there is no memory. */
struct gzip *gzip_open(int fd);

/* A wire_sink_fn; arg is the struct gzip. */
bool gzip_sink(void *arg, const void *data, size_t n);

/* Write the rest, and free all. Gives 0, or -errno of the first thing that failed. */
int gzip_close(struct gzip *g);

#endif
