/*
 * counts.h - counters per stack, read from the tables of a process in the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_COUNTS_H
#define LIBCPAPROF_COLLECTOR_COUNTS_H

#include "libcpaprof/collector/read/memory.h"

#include "libcpaprof/target/stacks.h"

struct process;

/* A stack from the tables. The fields contain the values of the first read. */
struct count_stack {
	uint32_t name;  /* kind of stack, see libcpaprof/target/stacks.h */
	uint32_t at, n; /* frames [at, at + n) of struct stack_table.frames */
	uint32_t label;
	uint64_t extra;
	enum stack_kind kind;
};

/* The stacks found so far. Zero-initialised. */
struct counts {
	uint32_t tables;           /* index of the tables in the segment, + 1; 0: the process has none yet */
	uint32_t n_words, n_quiet; /* last value read from the process; number of drains since it changed */
	uint32_t words;            /* total size of the stacks below */
	uint64_t *known;           /* bitmap of the names of stacks */
	struct vec stack;          /* struct count_stack */
	uint32_t created;          /* index of the last stack found to have created a thread */
};

/*
 * Find new stacks, and add their frames to the stack table of the process.
 *
 * slot    index of the slot of the process
 * all     search even if nothing seems to have changed
 */
void counts_drain(struct process *p, uint32_t slot, bool all);

/*
 * Read the current values of a stack. Each is at most INT64_MAX / 2. Of a pair (allocated and freed, added and removed)
 * the second is read first, so that it is never larger.
 */
void counts_values(const struct process *p, const struct count_stack *s, uint64_t out[STACK_VALUES]);

/* Read the values of stacks that did not fit into the tables. All zeros if there are no tables. */
void counts_full(const struct process *p, enum stack_kind kind, uint64_t out[STACK_VALUES]);

/* The stack that created a thread; NULL if not known. */
const struct count_stack *counts_find_creator(struct process *p, uint32_t tid);

/* Release everything. The tables of an ended process are zeroed and returned to the segment. */
void counts_release(struct process *p);

#endif
