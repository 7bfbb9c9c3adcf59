/*
 * legacy.h - CPU profiles in the format of gperftools, for its clients
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_LEGACY_H
#define LIBCPAPROF_COLLECTOR_LEGACY_H

#include "libcpaprof/collector/snap.h"

/*
 * Write a CPU profile: 64-bit words, then the mappings. Returns 0, or the error of the sink.
 *
 * Like    gperftools' docs/cpuprofile-fileformat.html
 */
int snap_legacy_write(const struct snap *s, snap_sink_fn *sink, void *arg);

#endif
