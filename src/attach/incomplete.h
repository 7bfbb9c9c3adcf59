/*
 * incomplete.h - report that many stacks are incomplete, with the reason and the remedy
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_INCOMPLETE_H
#define ATTACH_INCOMPLETE_H

#include "attach/run.h"
#include "libcpaprof/collector/incomplete.h"

enum { INCOMPLETE_PERCENT_MIN = 80, INCOMPLETE_STACKS_MIN = 20 };

/* The incomplete stacks of several processes. Zero-initialised. */
struct attach_incomplete {
	struct incomplete
		worst; /* the process with most of them; n_reason is that of all processes with the same reason */
	uint64_t n, n_complete; /* stacks of all processes */
	bool is_outside;        /* was the worst process sampled from outside, not by the library? */
};

void attach_incomplete_add(struct attach_incomplete *to, const struct incomplete *x, bool is_outside);

/*
 * Call messages.note if less than INCOMPLETE_PERCENT_MIN percent of at least INCOMPLETE_STACKS_MIN stacks are complete.
 */
void attach_note_incomplete(const struct attach_messages *m, const struct attach_incomplete *all);

#endif
