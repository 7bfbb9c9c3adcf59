/*
 * incomplete.h - the reason why stacks of a process are incomplete
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_INCOMPLETE_H
#define LIBCPAPROF_COLLECTOR_INCOMPLETE_H

#include "libcpaprof/target/unwind/unwind.h"

#include <stdbool.h>

struct process;

enum { INCOMPLETE_FILE_MAX = 128 };

struct incomplete {
	uint64_t n, n_complete;            /* stacks of CPU samples */
	uint64_t n_reason;                 /* stacks that end for the most frequent reason */
	enum unwind_end reason;            /* UNWIND_ROOT: all are complete */
	uint64_t n_file;                   /* stacks that end in the file with most ends; 0: not known */
	char file[INCOMPLETE_FILE_MAX];    /* its name without folders; "": memory without a file, generated code */
	char program[INCOMPLETE_FILE_MAX]; /* name of the executable without folders */
	bool has_generated_code;
};

/* Count an incomplete stack whose last frame is at pc. */
void incomplete_count(struct process *p, uint64_t pc);

void incomplete_get(const struct process *p, struct incomplete *out);

#endif
