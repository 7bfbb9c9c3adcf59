/*
 * trace_names.h - the functions of the stacks of a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_NAMES_H
#define LIBCPAPROF_COLLECTOR_TRACE_NAMES_H

#include "libcpaprof/collector/strings.h"
#include "libcpaprof/collector/trace_int.h"
#include "libcpaprof/collector/trace_spans.h"

enum { TRACE_STACK_MOST = 1024 };

/* A function at a location. file 0: not known. */
struct trace_frame {
	uint32_t name, file; /* numbers of texts */
};

struct trace_names {
	const struct process *p;
	snap_names_fn *names;
	void *names_arg;
	struct strings strings;
	struct vec frame;          /* struct trace_frame */
	struct trace_known *known; /* [n_known] */
	size_t n_known;
	bool failed; /* no memory */
	size_t n;
	struct slice_frame stack[TRACE_STACK_MOST]; /* [n] of trace_names_stack, outermost first; at: of frame */
};

/*
 * Frames 0 to t->word.n - 1 are those of the words.
 *
 * names   as of snap_write
 * Gives   0 or -ENOMEM
 */
int trace_names_init(struct trace_names *x, const struct trace *t, snap_names_fn *names, void *names_arg);
void trace_names_release(struct trace_names *x);

/* Put the functions of frames [at, at + n) of the table into x->stack; what is too deep is left out. */
void trace_names_stack(struct trace_names *x, uint32_t at, uint32_t n);

/* One more of them, innermost. */
void trace_names_push(struct trace_names *x, uint32_t frame);

static inline const struct trace_frame *trace_names_frame(const struct trace_names *x, uint32_t i)
{
	return (const struct trace_frame *)x->frame.data + i;
}

#endif
