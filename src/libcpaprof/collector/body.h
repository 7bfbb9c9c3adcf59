/*
 * body.h - a profile in memory, until nobody needs to wait for it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_BODY_H
#define LIBCPAPROF_COLLECTOR_BODY_H

#include "libcpaprof/collector/snap.h"

/* Begins as zeros. The memory is not of the host's heap. */
struct body {
	struct vec v; /* uint8_t */
};

/* Gives 0 or -ENOMEM; a snap_sink_fn. */
int body_put(void *body, const void *data, size_t n);
/* Hands it to write in pieces of at most 64 kB, until one is not taken. Gives 0, or what write gave. */
int body_give(const struct body *b, int (*write)(void *arg, const void *data, size_t n), void *arg);
void body_release(struct body *b);

/* A profile of a process, as snap_take and snap_write make it. Gives 0, or -errno. */
int body_snap(struct body *b, struct process *p, enum snap_kind kind, uint64_t custom, int debug);

#endif
