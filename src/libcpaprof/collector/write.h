/*
 * write.h - the output formats of a snap, and snaps of bare addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_H
#define LIBCPAPROF_COLLECTOR_WRITE_H

#include "libcpaprof/collector/snap.h"

/* The implementation of snap_write for one format. */
int snap_write_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);
int snap_write_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg);

/*
 * Make a snap whose row i is a stack of the single address addr[i]. The tables of the process do not change: the snap
 * has its own process with the same mappings.
 *
 * Returns 0 or -ENOMEM
 */
int addresses_open(const struct process *p, const uint64_t *addr, size_t n, struct snap **out);

/* Takes NULL. */
void addresses_close(struct snap *s);

/*
 * Write a CPU profile: 64-bit words, then the mappings. Returns 0, or the error of the sink.
 *
 * Like    gperftools' docs/cpuprofile-fileformat.html
 */
int snap_legacy_write(const struct snap *s, snap_sink_fn *sink, void *arg);

#endif
