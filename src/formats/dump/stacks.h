/*
 * stacks.h - parse stack dumps: output of Go panics and SIGQUIT, and of /debug/pprof with debug=2
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_DUMP_STACKS_H
#define FORMATS_DUMP_STACKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the input, which may have any bytes; borrowed. */
struct stacks_text {
	const char *s;
	size_t n;
};

struct stacks_frame {
	struct stacks_text function, file; /* function without arguments; file may be empty */
	uint64_t line;
};

struct stacks_thread {
	uint64_t id;
	struct stacks_text name;    /* threads only */
	struct stacks_text state;   /* first part in brackets, for example "chan receive" */
	struct stacks_text details; /* "locked to thread" and the like */
	struct stacks_text labels;  /* labels as in the text, "{...}" */
	bool is_waiting;            /* wait_s is set */
	uint64_t wait_s;
	uint64_t cpu_ms;   /* threads only: CPU time */
	uint32_t first, n; /* frames of the thread, leaf first: stacks.frame[first .. first + n) */
	bool has_creator;  /* creator is set */
	struct stacks_frame creator;
};

struct stacks {
	bool are_threads;          /* threads, not goroutines */
	struct stacks_text reason; /* why the program crashed; empty if it did not */
	struct stacks_thread *thread;
	size_t n, cap;
	struct stacks_frame *frame;
	size_t n_frames, cap_frames;
};

/*
 * Find the stacks in a text; other lines are ignored.
 *
 * text [n] must outlive out
 * Fails   ERR_FORMAT when there are none, ERR_LIMIT for more than 2^32 frames
 */
int stacks_parse(const char *text, size_t n, struct stacks *out, struct err *err);
void stacks_release(struct stacks *s);

#endif
