/*
 * files.h - write the profiles of the processes of a run to files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_FILES_H
#define ATTACH_FILES_H

#include "attach/jit.h"
#include "attach/run.h"
#include "base/buf.h"
#include "libcpaprof/collector/collect.h"

#include <stdbool.h>
#include <sys/types.h>

enum { INCOMPLETE_PERCENT_MIN = 80, INCOMPLETE_STACKS_MIN = 20 };

/* The incomplete stacks of several processes. Zero-initialised. */
struct attach_incomplete {
	struct incomplete
		worst; /* the process with most of them; n_reason is that of all processes with the same reason */
	uint64_t n, n_complete; /* stacks of all processes */
	bool is_outside;        /* was the worst process sampled from outside, not by the library? */
};

struct attach_unsampled {
	char *program; /* its name */
	uint64_t ns;
};

struct attach_files {
	const struct attach_options *options;
	struct attach_result *result;
	struct attach_jits jits; /* processes that generate code */
	unsigned n_written, n_replaced, n_every;
	uint64_t n_child_periods;           /* CPU time of all processes but the program, in periods */
	struct attach_unsampled *unsampled; /* [n_unsampled] CPU time of processes without a sample, by program */
	size_t n_unsampled, unsampled_cap;
	struct collect *c;
	struct attach_incomplete incomplete; /* stacks of all processes whose profiles were written */
	bool is_full;                        /* was the max number of files reached, and reported? */
};

/* Write the profiles of a process that ended or executed another program. A collect_process_fn. */
void attach_files_write(void *files, struct process *p);

void attach_files_release(struct attach_files *files);

/* Write the profiles of a running process, with the number n_every in their names. A collect_process_fn. */
void attach_files_write_numbered(void *files, struct process *p);

/* May another file be written? Counts it, and reports once that the limit is reached. */
bool attach_files_has_room(struct attach_files *files);

/* A file was written. */
void attach_files_add(struct attach_files *files, const char *path);

/*
 * Append the name of a file: %p is the pid, %t seconds since 1970, %h the host name, %% a %.
 *
 * more    inserted before the suffix
 */
void attach_file_name(const char *name, pid_t pid, const char *more, struct buf *out);

/* Are files written for this process, and can clients see it? Always true for the program itself. */
bool attach_follows(const struct attach_options *o, const struct process_info *f);

/* Format a message and pass it to the callbacks of m. attach_error returns ERR_IO. */
void attach_note(const struct attach_messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int attach_error(const struct attach_messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Add the stacks of a process. */
void attach_incomplete_add(struct attach_incomplete *to, const struct incomplete *x, bool is_outside);

/*
 * Call messages.note if less than INCOMPLETE_PERCENT_MIN percent of at least INCOMPLETE_STACKS_MIN stacks are complete.
 */
void attach_note_incomplete(const struct attach_messages *m, const struct attach_incomplete *all);

#endif
