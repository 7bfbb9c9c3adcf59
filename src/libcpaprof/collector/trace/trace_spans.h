/*
 * trace_spans.h - the timeline of one thread: spans that do not overlap, and slices that nest
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Times are in ns of one clock. This file does not depend on processes.
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_SPANS_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_SPANS_H

#include "libcpaprof/collector/read/memory.h"

/* A sample at time ns, for cost_ns of CPU time before it. source is any number, such as an index of the caller. */
struct span_sample {
	uint64_t ns, cost_ns;
	uint32_t source;
};

/* A wait of a thread. If it is not certain, the thread waited at begin and at end, and ran a little in between. */
struct span_wait {
	uint64_t begin, end;
	uint32_t source;
	bool is_certain;
};

struct trace_span {
	uint64_t begin, end; /* begin < end */
	uint32_t source;
	bool is_wait;
};

struct spans_window {
	uint64_t begin, end; /* window that contains all spans */
	uint64_t join_ns;    /* shorter gaps between two samples are added to the span */
};

/*
 * Combine the samples and waits of a thread into spans.
 *
 * The cost of a sample is placed in the time before it, back to the previous sample, where the thread did not certainly
 * wait. Time that is neither cost nor wait has no span.
 *
 * sample  [n_samples] sorted by time; samples outside the window are ignored
 * wait    [n_waits] sorted by begin; where two overlap, the first one counts. A wait of zero length is SPAN_MIN_NS
 *         long, if there is room
 * out     struct trace_span, sorted by time; they do not overlap
 * Returns 0 or -ENOMEM
 */
enum { SPAN_MIN_NS = 1000 };
int spans_make(const struct spans_window *window, const struct span_sample *sample, size_t n_samples,
	       const struct span_wait *wait, size_t n_waits, struct vec *out);

/* A frame of a span. Frames with the same id are the same function. */
struct slice_frame {
	uint32_t id, at;
};

struct trace_slice {
	uint64_t begin, end;
	uint32_t id, at; /* at: position of the frame in the first span */
	uint32_t tag;    /* tag of the spans in which this is the innermost frame; 0: none */
	uint32_t depth;  /* depth; 0 is the outermost frame */
};

/* Zero-initialised, except max. */
struct slices {
	struct vec slice; /* struct trace_slice: sorted by begin, callers before callees */
	struct vec open;  /* uint32_t: the open slices, outermost first; UINT32_MAX: dropped */
	uint64_t end;     /* end of the last span */
	size_t max;       /* max number of slices */
	uint64_t n_dropped;
	bool failed; /* did memory run out? */
};

/*
 * Add the next span of a thread. If it begins where the previous span ended, the slices of their common callers
 * continue. A slice has at most one tag: another tag begins another slice.
 *
 * frame   [n] outermost first
 * tag     not 0
 */
void slices_add(struct slices *s, uint64_t begin, uint64_t end, const struct slice_frame *frame, size_t n,
		uint32_t tag);

/* End the spans of this thread. */
void slices_end(struct slices *s);
void slices_release(struct slices *s);

#endif
