/*
 * trace.h - what the threads of a process did, one after the other
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * While CPU time is sampled, samples are kept with their times; and every some ms threads are looked at from outside,
 * without a signal, for what those that do not run wait for.
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_H
#define LIBCPAPROF_COLLECTOR_TRACE_H

#include "libcpaprof/collector/snap.h"

enum { TRACE_LOOK_MS = 10, TRACE_EVENTS_MOST = 1 << 20 };

struct trace;

/* One trace of a process at a time. All are called with the collector. Gives 0 or -errno: -EBUSY, -ENOMEM. */
int trace_begin(struct process *p, struct trace **out);

/* Look at the threads. Gives in how many ms to look again: looks take a tenth of the time at most. */
unsigned trace_look(struct trace *t);

/* No more samples are kept. */
void trace_end(struct trace *t);

/*
 * Write it: the JSON of the Trace Event Format, which Perfetto and chrome://tracing read, packed with gzip.
 *
 * names   as of snap_write
 */
int trace_write(const struct trace *t, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);

/* A profile of all its stacks, for who looks up names before it is written. Gives 0 or -errno. */
int trace_snap(const struct trace *t, struct snap **out);

/* Takes NULL. */
void trace_free(struct trace *t);

#endif
