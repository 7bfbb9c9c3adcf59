/*
 * trace_names.h - names of the functions in a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_NAMES_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_NAMES_H

#include "libcpaprof/collector/trace/trace_int.h"
#include "libcpaprof/collector/trace/trace_spans.h"
#include "libcpaprof/collector/write/strings.h"

enum { TRACE_STACK_MAX = 1024 };

/* The functions of a location, outermost first: frames [at - 1, at - 1 + n). at 0: not looked up yet. */
struct trace_location {
	uint32_t at, n;
};

/* A function at a location. file 0: not known. */
struct trace_frame {
	uint32_t name, file; /* indexes in trace_names.strings */
};

struct trace_names {
	const struct process *p;
	snap_names_fn *names;
	void *names_arg;
	struct strings strings;
	struct vec frame;                /* struct trace_frame */
	struct trace_location *location; /* [n_locations] */
	size_t n_locations;
	bool failed; /* did memory run out? */
	size_t n;
	struct slice_frame stack[TRACE_STACK_MAX]; /* [n] the current stack, outermost first; at: index in frame */
};

static inline const struct trace_frame *trace_names_frame(const struct trace_names *x, uint32_t i)
{
	return (const struct trace_frame *)x->frame.data + i;
}

/*
 * Frames 0 to t->reason.n - 1 are the reasons of waits; then come a thread that is ready to run, a wait for an unknown
 * reason, and those in the functions of t->sched.why.
 *
 * names   as for write_snap
 * Returns 0 or -ENOMEM
 */
int trace_names_init(struct trace_names *x, const struct trace *t, snap_names_fn *names, void *names_arg);
void trace_names_release(struct trace_names *x);

/* Add an innermost frame to x->stack. */
void trace_names_push(struct trace_names *x, uint32_t frame);

/* Set x->stack to the functions of frames [at, at + n) of the stack table; functions beyond the limit are dropped. */
void trace_names_stack(struct trace_names *x, uint32_t at, uint32_t n);

#endif
