/*
 * perfscript_int.h - the lines of perf script
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PERFSCRIPT_PERFSCRIPT_INT_H
#define FORMATS_PERFSCRIPT_PERFSCRIPT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the text; borrowed. */
struct perfscript_text {
	const char *s;
	size_t n;
};

/* The rest of the text. */
struct perfscript_lines {
	const char *at, *end;
	size_t number; /* of the last line, from 1 */
};

struct perfscript_header {
	struct perfscript_text comm;
	struct perfscript_text event;  /* with its modifiers; n is 0 if the field is missing */
	struct perfscript_text rest;   /* after the event: a frame, or the fields of a tracepoint */
	struct perfscript_text record; /* PERF_RECORD_... and the rest of the line, if it is no sample; else n is 0 */
	int64_t pid, tid;
	size_t n_blanks; /* after the comm */
	uint64_t time_ns, period;
	bool has_pid, has_tid, has_time, has_period;
	bool is_certain; /* other text has no such line: a pid or tid, a time or a CPU, and an event or a frame */
};

struct perfscript_frame {
	uint64_t addr;
	struct perfscript_text name; /* without offset; n is 0 if perf did not find it */
	struct perfscript_text dso;  /* n is 0 if it is unknown */
	bool is_inlined;
};

enum perfscript_kind {
	PERFSCRIPT_EMPTY,
	PERFSCRIPT_COMMENT,
	PERFSCRIPT_HEADER,
	PERFSCRIPT_FRAME,
	PERFSCRIPT_SOURCE, /* file:line of the frame before it */
	PERFSCRIPT_OTHER
};

struct perfscript_line {
	enum perfscript_kind kind;
	struct perfscript_text text;
	struct perfscript_header header;
	struct perfscript_frame frame;
	struct perfscript_text file; /* of a PERFSCRIPT_SOURCE */
	uint64_t file_line;
	size_t number;
};

/* Read the next line and find its kind. Return false at the end. */
bool perfscript_next(struct perfscript_lines *lines, struct perfscript_line *line);

/* Read a frame: ADDRESS [NAME[+0xOFFSET]] [(DSO)]. Return false if the text is none. */
bool perfscript_frame_parse(struct perfscript_text text, struct perfscript_frame *out);

/* Return true for a header with an event and a named frame; it may have neither time nor CPU. */
bool perfscript_header_has_frame(const struct perfscript_header *h);

#endif
