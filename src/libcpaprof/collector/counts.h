/*
 * counts.h - what a process counts per stack, in its tables of the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_COUNTS_H
#define LIBCPAPROF_COLLECTOR_COUNTS_H

#include "libcpaprof/collector/memory.h"

#include "libcpaprof/target/stacks.h"

struct process;

/* A stack of the tables. What it is counted for stays as it was when it was first seen. */
struct count_stack {
	uint32_t name;  /* libcpaprof/target/stacks.h */
	uint32_t at, n; /* its frames, in struct stack_table.frames */
	uint32_t label;
	uint64_t extra;
	enum stack_kind kind;
};

/* What was found so far. Begins as zeros. */
struct counts {
	uint32_t tables;           /* index + 1 in the segment; 0: the process has none yet */
	uint32_t n_words, n_quiet; /* as the process said last; drains since it said something else */
	uint32_t words;            /* that the stacks below take */
	uint64_t *known;           /* bits: names of them */
	struct vec stack;          /* struct count_stack */
	uint32_t created;          /* index of the one that was last found to have created a thread */
};

/*
 * Look for stacks that are new, and keep their frames as locations of the process's table.
 *
 * slot    of the process
 * all     also when nothing seems to have changed
 */
void counts_drain(struct process *p, uint32_t slot, bool all);

/*
 * What is counted for a stack now. Each is at most INT64_MAX / 2; of pairs of what came and went
 * those that went are read first, so that they are never more.
 */
void counts_values(const struct process *p, const struct count_stack *s, uint64_t out[STACK_VALUES]);

/* The same for what found no room for its stack. Zeros when there are no tables. */
void counts_full(const struct process *p, enum stack_kind kind, uint64_t out[STACK_VALUES]);

/* The stack that created a thread, of those that were found; NULL when none is known. */
const struct count_stack *counts_created(struct process *p, uint32_t tid);

/* Forget all. The tables of a process that has ended go back to the segment, as zeros. */
void counts_release(struct process *p);

#endif
