/*
 * body.h - a growing buffer for profiles and HTTP answers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_BODY_H
#define LIBCPAPROF_COLLECTOR_WRITE_BODY_H

#include "libcpaprof/collector/snap.h"

/* Zero-initialised. The memory is mapped, not taken from the host's heap. */
struct body {
	struct vec v; /* uint8_t */
};

/* A snap_sink_fn; body is a struct body. Returns 0 or -ENOMEM. */
int body_append(void *body, const void *data, size_t n);
/* Pass the contents to write in pieces of at most 64 KiB, until it fails. Returns 0, or the error of write. */
int body_send(const struct body *b, int (*write)(void *arg, const void *data, size_t n), void *arg);
void body_release(struct body *b);

/* Take a profile of a process and append it, as snap_take and write_snap do. Returns 0 or -errno. */
int body_append_snap(struct body *b, struct process *p, enum snap_kind kind, uint64_t custom, int debug);

#endif
