/*
 * v8.h - read profiles of V8, as Node.js, Deno and Chromium write them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All are JSON with a tree of calls, whose node (root) is left out of stacks. Functions without a name are (anonymous).
 * The functions below are format_read_fn.
 */
#ifndef FORMATS_V8_V8_H
#define FORMATS_V8_V8_H

#include "formats/common/format.h"

/*
 * A .cpuprofile: sample types samples and cpu. A sample lasts until the next one, the last one until the end of the
 * recording; samples are sorted by time first. Samples of a function are divided among its lines as its ticks are.
 */
int v8_read_cpuprofile(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		       struct err *err);

/* A .heapprofile: sample type space, and objects if its samples have counts. Sizes are estimates of V8 already. */
int v8_read_heapprofile(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			struct err *err);

/*
 * The CPU profiles in a trace of Chromium: events Profile and ProfileChunk, or CpuProfile. Threads are the labels thread,
 * tid and pid. A trace that is cut is read up to there, with a comment.
 */
int v8_read_trace(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		  struct err *err);

#endif
