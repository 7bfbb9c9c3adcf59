/*
 * stacks.h - texts of stacks: what Go prints when it panics or gets SIGQUIT, and debug=2 of /debug/pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_STACKS_H
#define READER_STACKS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the text, which are as whoever wrote them wanted. */
struct stacks_text {
	const char *s;
	size_t n;
};

struct stacks_frame {
	struct stacks_text function, file; /* without arguments; file of length 0: not known */
	uint64_t line;
};

struct stacks_thread {
	uint64_t id;
	struct stacks_text name;   /* threads have one */
	struct stacks_text state;  /* in the words of the text, without what follows */
	struct stacks_text more;   /* "locked to thread" and the like */
	struct stacks_text labels; /* "{...}" as it stands there */
	bool waits;                /* the text says for how long: wait_s */
	uint64_t wait_s;
	uint64_t cpu_ms;   /* threads: CPU time used */
	uint32_t first, n; /* its frames, leaf first */
	bool created;      /* creator is known */
	struct stacks_frame creator;
};

struct stacks {
	bool are_threads;          /* not goroutines */
	struct stacks_text reason; /* why the program died, if it did */
	struct stacks_thread *thread;
	size_t n, cap;
	struct stacks_frame *frame;
	size_t n_frames, cap_frames;
};

/*
 * Find the stacks in a text; what stands around them does not matter.
 *
 * text    [n] used as long as out
 * Fails   ERR_FORMAT when there are none, ERR_LIMIT for more than 2^32 frames
 */
int stacks_parse(const char *text, size_t n, struct stacks *out, struct err *err);
void stacks_release(struct stacks *s);

#endif
