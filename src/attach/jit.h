/*
 * jit.h - names of code that the processes of a run generate, from their perf maps and jitdumps
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_JIT_H
#define ATTACH_JIT_H

#include "base/buf.h"
#include "libcpaprof/collector/snap.h"
#include "symbol/jit/jit_process.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct attach_jit_names;

/*
 * Look up the addresses of a snap that are in memory without a file. A profile must be written with these names at once:
 * later its process has ended, and its pid may be used again.
 *
 * p       the process, if it was opened while it ran; NULL: open it now
 * notes   a line is appended for each file that is ignored or damaged; may be NULL
 * Returns NULL if no address has a name
 */
struct attach_jit_names *attach_jit_names_new(const struct snap *s, const struct jit_process *p, struct buf *notes);

/* Takes NULL. */
void attach_jit_names_free(struct attach_jit_names *n);

/* A snap_names_fn; arg is a struct attach_jit_names. */
bool attach_jit_names_at(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i,
			 struct snap_name *out);

/* The running processes that generate code; zero-initialised, released with attach_jits_release. */
struct attach_jits {
	struct jit_process *process; /* [n] */
	size_t n, cap;
};

/* Open a running process that generates code, so that its files are found when it has ended. A collect_process_fn. */
void attach_jits_track(void *jits, struct process *p);

/* The process with this pid; NULL if it is not known. */
const struct jit_process *attach_jits_find(const struct attach_jits *jits, pid_t pid);

/* Close a process that has ended. */
void attach_jits_remove(struct attach_jits *jits, pid_t pid);
void attach_jits_release(struct attach_jits *jits);

#endif
