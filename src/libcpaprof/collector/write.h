/*
 * write.h - the forms in which a snap is written, and a snap of nothing but addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_H
#define LIBCPAPROF_COLLECTOR_WRITE_H

#include "libcpaprof/collector/snap.h"

/* As snap_write, in one form. */
int snap_write_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);
int snap_write_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg);

/*
 * Make a snap of which row i is a stack of the one address addr[i]. The tables of the process stay as they are; the snap
 * has a process of its own, with the same mappings.
 *
 * Gives   0 or -ENOMEM
 */
int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out);

/* Takes NULL. */
void addresses_close(struct snap *s);

#endif
