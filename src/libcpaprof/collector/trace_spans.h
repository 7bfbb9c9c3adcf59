/*
 * trace_spans.h - when a thread did what: spans that do not overlap, and slices that nest
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Times are ns, of any one clock. Nothing here knows of processes.
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_SPANS_H
#define LIBCPAPROF_COLLECTOR_TRACE_SPANS_H

#include "libcpaprof/collector/memory.h"

/* A thread had run for cost_ns, all together, up to ns, and was then seen in something. */
struct span_sample {
	uint64_t ns, cost_ns;
	uint32_t of;
};

/* A thread waited. Not sure: it did at the begin and at the end, and ran little between. */
struct span_wait {
	uint64_t begin, end;
	uint32_t of;
	bool sure;
};

struct trace_span {
	uint64_t begin, end; /* begin < end */
	uint32_t of;
	bool waits;
};

struct spans_window {
	uint64_t begin, end; /* all is within */
	uint64_t join_ns;    /* time between two samples of which less than this is left is theirs */
};

/*
 * Put samples and waits of a thread together.
 *
 * The cost of a sample is taken from the time before it in which the thread did not wait for sure, back to
 * the sample before it. What is between and is neither is no span.
 *
 * sample  [n_samples] in order of time; those out of the window are left out
 * wait    [n_waits] in order of their begins; where two overlap the first one counts. One without a length
 *         is seen as SPAN_LEAST_NS long, if there is room
 * out     struct trace_span, in order of time; they do not overlap
 * Gives   0 or -ENOMEM
 */
enum { SPAN_LEAST_NS = 1000 };
int spans_make(const struct spans_window *window, const struct span_sample *sample, size_t n_samples,
	       const struct span_wait *wait, size_t n_waits, struct vec *out);

/* A frame of a span; frames with the same id are the same function. */
struct slice_frame {
	uint32_t id, at;
};

struct trace_slice {
	uint64_t begin, end;
	uint32_t id, at; /* at: that of the first span */
	uint32_t tag;    /* of the spans in which it is the last frame; 0: there are none */
	uint32_t depth;  /* 0: outermost */
};

/* Begins as zeros but for most. */
struct slices {
	struct vec slice; /* struct trace_slice: callers before what they call, in order of their begins */
	struct vec open;  /* uint32_t: the slices that have no end yet, outermost first; UINT32_MAX: left out */
	uint64_t end;     /* of the last span */
	size_t most;      /* slices that are kept */
	uint64_t n_left_out;
	bool failed; /* no memory */
};

/*
 * The next span of a thread: what it has in common with the one before it, where that ended as this begins,
 * goes on. A slice has one tag at most: with another one, another slice begins.
 *
 * frame   [n] outermost first
 * tag     not 0
 */
void slices_add(struct slices *s, uint64_t begin, uint64_t end, const struct slice_frame *frame, size_t n,
		uint32_t tag);

/* No more spans of this thread. */
void slices_end(struct slices *s);
void slices_release(struct slices *s);

#endif
