/*
 * bytes.h - a profile in memory, until nobody needs to wait for it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef API_BYTES_H
#define API_BYTES_H

#include "collect/snap.h"

/* Begins as zeros. The memory is not of the host's heap. */
struct bytes {
	struct vec v; /* uint8_t */
};

/* Gives 0 or -ENOMEM; a snap_sink_fn. */
int bytes_put(void *bytes, const void *data, size_t n);
void bytes_release(struct bytes *b);

/* A profile of a process, as snap_take and snap_write make it. Gives 0, or -errno. */
int bytes_snap(struct bytes *b, struct process *p, enum snap_kind kind, uint64_t custom, int debug);

#endif
