/*
 * write.h - the output formats of a snap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_WRITE_WRITE_H
#define LIBCPAPROF_COLLECTOR_WRITE_WRITE_H

#include "libcpaprof/collector/snap.h"

/*
 * Write a snap.
 *
 * debug   0: profile.proto, compressed with gzip; 1, 2: text in the format of Go's runtime/pprof (2: thread by thread)
 * names   NULL: addresses only (text then has addresses and mappings). In profile.proto names are hints: mappings are
 *         not marked as having functions, so readers look up names in the files if they have them, else use the hints
 * Returns 0, -errno, or the error of the sink; -EINVAL for a CPU profile as text, which does not exist
 */
int write_snap(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);

/* The implementation of write_snap for one format. */
int write_snap_proto(const struct snap *s, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);
int write_snap_text(const struct snap *s, int debug, snap_names_fn *names, void *names_arg, snap_sink_fn *sink,
		    void *arg);

/*
 * Write a CPU profile: 64-bit words, then the mappings. Returns 0, or the error of the sink.
 *
 * Like    gperftools' docs/cpuprofile-fileformat.html
 */
int write_snap_legacy(const struct snap *s, snap_sink_fn *sink, void *arg);

#endif
