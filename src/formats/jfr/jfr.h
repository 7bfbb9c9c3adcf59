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

/* Labels that a sample has by reference, as Pyroscope's agent for Java writes them. */
struct jfr_context_label {
	const char *key, *value;
};
struct jfr_context {
	int64_t id;
	const struct jfr_context_label *label; /* [n] */
	size_t n;
};
struct jfr_context_text {
	int64_t id;
	const char *text;
};
struct jfr_contexts {
	const struct jfr_context *context; /* [n] by ascending id */
	size_t n;
	const struct jfr_context_text *text; /* [n_texts] names of spans, by ascending id */
	size_t n_texts;
};

/*
 * Read a recording whose events have a field contextId: its labels are those of the sample. The field spanId becomes the label
 * profile_id, in hexadecimal, and spanName the label span_name, as in Pyroscope. A comment counts samples whose context is
 * missing. As jfr_read.
 */
int jfr_read_contexts(const uint8_t *data, size_t n, const struct jfr_contexts *contexts,
		      const struct format_options *options, struct profile **out, struct err *err);

/* The label of samples of waits with the name of their event, "jdk.ThreadPark". */
#define JFR_EVENT_LABEL "event"

#endif
