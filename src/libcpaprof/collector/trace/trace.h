/*
 * trace.h - a timeline of the threads of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * While CPU time is sampled, each sample is stored with its time. Every few milliseconds the threads are polled from
 * outside, without a signal, to find what the waiting ones wait for.
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_H

#include "libcpaprof/collector/snap.h"

enum { TRACE_POLL_MS = 10, TRACE_EVENTS_MAX = 1 << 20 };

struct trace;

/*
 * Start a trace; there is at most one per process. Call all functions with the collector lock held. Returns 0 or
 * -errno: -EBUSY, -ENOMEM.
 */
int trace_begin(struct process *p, struct trace **out);

/*
 * Poll the threads, so that polls take at most a tenth of the time, and read the switches. Returns the ms until the next
 * call.
 */
unsigned trace_poll(struct trace *t);

/* Stop: no more samples are stored. */
void trace_end(struct trace *t);

/*
 * Write the trace as JSON in the Trace Event Format, which Perfetto and chrome://tracing read, compressed with gzip.
 *
 * names   as for write_snap
 */
int trace_write(const struct trace *t, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg);

/* Make a profile of all stacks of a trace, to look up names before it is written. Returns 0 or -errno. */
int trace_snap(const struct trace *t, struct snap **out);

/* Takes NULL. */
void trace_free(struct trace *t);

#endif
