/*
 * jfr.h - read recordings of Java Flight Recorder, by HotSpot and async-profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_JFR_JFR_H
#define FORMATS_JFR_JFR_H

#include "formats/common/format.h"

/*
 * Each kind of event in the recording has two sample types, its number and its value: cpu and cpu_ns, samples and
 * cpu_time, wall and wall_ns, alloc_in_new_tlab_objects and alloc_in_new_tlab_bytes, and so on. Chunks of a recording, and
 * of recordings that were concatenated, are read one after the other. A chunk that was not finished or is cut is read as
 * far as possible. Comments of the profile that begin with "jfr: " report this and whatever is missing or skipped.
 * A format_read_fn.
 */
int jfr_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
	     struct err *err);

#endif
