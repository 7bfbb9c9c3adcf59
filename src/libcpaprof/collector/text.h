/*
 * text.h - the texts of profiles, as Go's runtime/pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_TEXT_H
#define LIBCPAPROF_COLLECTOR_TEXT_H

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/snap.h"

enum { TEXT_BUFFER = 16 << 10 };

/* A text that is being written. */
struct text {
	const struct snap *s;
	snap_names_fn *names;
	void *names_arg;
	snap_sink_fn *sink;
	void *arg;
	int error; /* what failed first; nothing is written any more */
	size_t len;
	struct vec line, chars; /* text_frames.c: frames of a stack that wait to be aligned */
	char buffer[TEXT_BUFFER];
};

void snap_text_put(struct text *t, const void *data, size_t n);
__attribute__((format(printf, 2, 3))) void snap_text_add(struct text *t, const char *fmt, ...);

/* How many bytes the character at s has, 0 when a terminal would obey it or it is none. */
size_t snap_text_shown(const char *s, size_t n);

/* As snap_text_put, but what a terminal would obey becomes '?'. */
void snap_text_safe(struct text *t, const char *s, size_t n);

/* The texts of a stack: its addresses, after " @"; its frames with names, below each other; its labels. */
void snap_text_addresses(struct text *t, const struct snap_row *r);
void snap_text_frames(struct text *t, const struct snap_row *r);
void snap_text_labels(struct text *t, uint32_t label);

/* Function and place of frames [at, at + n) in two lines each, as of a goroutine; no more than most frames. */
void snap_text_calls(struct text *t, const char *before, uint32_t at, uint32_t n, uint32_t most);

void snap_text_release_frames(struct text *t);

/* The forms. They are given a text to write to, and rows in any order. */
void snap_text_counts(struct text *t);
void snap_text_heap(struct text *t);
void snap_text_contention(struct text *t);
void snap_text_threads(struct text *t);

/* What is known of the memory of the process, as "# key = value" lines. */
void snap_text_memory(struct text *t);

#endif
