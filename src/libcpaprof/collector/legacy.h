/*
 * legacy.h - CPU profiles as gperftools writes them, for its clients
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_LEGACY_H
#define LIBCPAPROF_COLLECTOR_LEGACY_H

#include "libcpaprof/collector/snap.h"

/*
 * Write a CPU profile: words of 64 bits, and then what is mapped. Gives 0, or what the sink gave.
 *
 * Like    gperftools' docs/cpuprofile-fileformat.html
 */
int snap_legacy_write(const struct snap *s, snap_sink_fn *sink, void *arg);

#endif
