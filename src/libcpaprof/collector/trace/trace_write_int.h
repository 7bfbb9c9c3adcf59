/*
 * trace_write_int.h - internals shared by the files that write a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TRACE_TRACE_WRITE_INT_H
#define LIBCPAPROF_COLLECTOR_TRACE_TRACE_WRITE_INT_H

#include "libcpaprof/collector/trace/trace_int.h"
#include "libcpaprof/collector/trace/trace_names.h"
#include "libcpaprof/collector/trace/trace_spans.h"
#include "libcpaprof/collector/write/stream.h"

struct trace_writer {
	const struct trace *t;
	uint64_t end_ns, period_ns;
	struct trace_names names;
	uint32_t *samples, *waits, *threads, *offs; /* indexes sorted by thread, then by time; NULL: none */
	uint32_t *runs;                             /* indexes sorted by CPU, then by time; NULL: none */
	struct vec sample, wait, span; /* data of the current thread: struct span_sample, span_wait, trace_span */
	struct vec off_wait; /* uint32_t: for each off of the current thread, index + 1 of the wait that polls saw */
	size_t first_off;    /* position of its first off in offs */
	struct slice_frame saved[TRACE_STACK_MAX];
	struct slices slices;
	uint64_t n_odd_times, n_dropped, ran_ns;
	size_t n_slices_remaining; /* number of slices that may still be written */
	bool has_element;          /* the current JSON list is not empty */
	struct stream json;
};

/* The i-th thread in the order of tids. */
static inline const struct trace_thread *trace_write_thread(const struct trace_writer *x, size_t i)
{
	return (const struct trace_thread *)x->t->thread.data + x->threads[i];
}

/* Begin the next element of the current JSON list or object. */
void trace_write_next(struct trace_writer *x, const char *between);
void trace_write_string(struct trace_writer *x, const char *s);
/* Write a key and its number. */
void trace_write_number(struct trace_writer *x, const char *key, uint64_t n);

/* Write the start of a slice, up to its arguments. */
void trace_write_begin(struct trace_writer *x, const char *name, size_t n, const char *category, int pid, uint32_t tid,
		       uint64_t begin, uint64_t end);

/* Write a metadata event. Its value is text, or number if text is NULL. */
void trace_write_meta(struct trace_writer *x, const char *what, int pid, uint32_t tid, const char *key,
		      const char *text, uint32_t number);

/* The name of a thread. buffer: [size] for a thread without one. */
const char *trace_write_name(const struct trace_thread *info, uint32_t tid, char *buffer, size_t size);

/* Write the CPUs, with the threads that ran there. */
void trace_write_cpus(struct trace_writer *x);

/* Write the numbers of switches, or why there are none. */
void trace_write_sched(struct trace_writer *x);

#endif
