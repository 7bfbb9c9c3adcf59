/*
 * jit_process.h - the perf map and the jitdumps of a process, and the names that they give to a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Any user can create files in /tmp. So a file counts only if it is a regular file, not a symbolic link, belongs to
 * root, to us or to the user of the process, and is not older than the process.
 */
#ifndef SYMBOL_JIT_JIT_PROCESS_H
#define SYMBOL_JIT_JIT_PROCESS_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "symbol/jit/jit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, as seen while it ran. */
struct jit_process {
	pid_t pid;
	pid_t own_pid;     /* its pid in its own pid namespace, which is in the names of its files */
	uid_t user;        /* its effective user; ours if it has ended */
	uint64_t start_ns; /* wall clock time of its start; 0: not known */
	int root, tmp;     /* its directories / and /tmp; ours if it has ended */
	bool is_running;
};

/* Read the properties of a process, to find its files also after it has ended. Released with jit_process_close. */
void jit_process_open(pid_t pid, struct jit_process *out);
void jit_process_close(struct jit_process *p);

/*
 * Read the perf map and the jitdumps of a process, newest last.
 *
 * mapped  [n_mapped] names of its mappings: a program maps its jitdump, so that it can be found
 * notes   a line is appended for each file that is ignored or damaged, and why
 */
void jit_process_read(const struct jit_process *p, struct jit *j, const char *const *mapped, size_t n_mapped,
		      struct buf *notes);

/*
 * Add names to the addresses of a profile that are in memory without a file, and have no name.
 *
 * p        not yet shared: only its loader uses it
 * file     a perf map or jitdump that the user named; NULL: the files of the process that cpa sampled, which a comment
 *          of the profile names, and whose mappings must be those of the profile if it still runs; and of processes
 *          whose perf maps are mappings of the profile (recordings of perf), for addresses in these
 * notes    a line is appended for each file that is ignored or damaged
 * n_named  out: number of addresses that got a name
 * Fails    like jit_read for file; ERR_LIMIT when the profile grows too large
 */
int jit_symbolize(struct profile *p, const char *file, struct buf *notes, uint32_t *n_named, struct err *err);

#endif
