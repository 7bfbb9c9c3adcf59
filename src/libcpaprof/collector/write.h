/*
 * write.h - the forms in which a snap is written
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

#endif
