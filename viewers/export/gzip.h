/*
 * gzip.h - pack bytes with gzip, on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_EXPORT_GZIP_H
#define VIEWERS_EXPORT_GZIP_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct gzip;

/* Makes the bytes to be packed and hands them to export_gzip_put in order. Fails as it likes. */
typedef int (*gzip_make_fn)(void *arg, struct gzip *g, struct err *err);

/* Take n bytes of what is to be packed; also a wire_sink_fn. False when there is no memory. */
bool export_gzip_put(void *gzip, const void *data, size_t n);

/*
 * Append what make makes as one gzip member, without a name and without a time. Up to 1 MiB it is
 * packed hard; what is longer is packed piece by piece and a little less hard, in half the time. The
 * bytes are the same for any number of threads.
 *
 * n_threads   at most so many, the calling one among them; make runs on that one
 * Fails       as make does; ERR_LIMIT without memory; out is as before then
 */
int export_gzip_pack(gzip_make_fn make, void *arg, unsigned n_threads, struct buf *out, struct err *err);

#endif
