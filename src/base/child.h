/*
 * child.h - run other programs and exchange data with them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/buf.h"
#include "base/err.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Run a program with n bytes of standard input and wait for it. The program is in our process group, so Ctrl-C ends
 * it too. Several threads may run programs at the same time.
 *
 * argv    NULL-terminated; argv[0] is searched in PATH, without a shell
 * out     its standard output is appended, even on failure
 * Fails   ERR_UNKNOWN when there is no such program; ERR_IO when it cannot be run or its exit status
 *         is not 0: the message then ends with the first line of its standard error
 */
int child_run(const char *const *argv, const void *in, size_t n, struct buf *out, struct err *err);

/*
 * Run a program with empty standard input. Kill it when it prints more than max bytes, runs longer
 * than this many seconds, or stop (may be NULL) is set.
 *
 * Fails   like child_run; ERR_LIMIT past max, ERR_IO on timeout, ERR_STOPPED
 */
int child_read(const char *const *argv, size_t max, unsigned seconds, const struct stop *stop, struct buf *out,
	       struct err *err);

/* Limits of a program. */
struct child_limits {
	size_t max_output;       /* bytes of standard output */
	size_t max_memory;       /* bytes of address space */
	unsigned seconds;        /* duration, and processor time */
	const struct stop *stop; /* kill the program when this is set; may be NULL */
};

/*
 * Run a program in its own process group with n bytes of standard input. Kill the whole group when a limit is exceeded.
 *
 * Fails   like child_read
 */
int child_run_limited(const char *const *argv, const void *in, size_t n, const struct child_limits *limits,
		      struct buf *out, struct err *err);

/*
 * Run a program on our terminal with standard output discarded, and wait for it. Ctrl-C ends the program but not cpa.
 * Not thread-safe: there is only one terminal.
 *
 * Fails   like child_run
 */
int child_run_silent(const char *const *argv, struct err *err);

/*
 * Start a shell command on our terminal that reads from a pipe. The caller must ignore SIGPIPE while
 * writing, since the command may exit at any time.
 *
 * fd      write end of the pipe, close-on-exec. The caller closes it, then calls child_wait
 * Fails   like child_run
 */
int child_start_pipe(const char *command, int *fd, pid_t *pid, struct err *err);

/*
 * Wait for a program that child_start_pipe started.
 *
 * interrupted  set to whether Ctrl-C ended the program, which is not a failure
 * Fails        ERR_IO when the exit status is not 0; for some commands that is a normal result
 */
int child_wait(pid_t pid, bool *interrupted, struct err *err);

/* Like child_run_silent, but with standard output on our terminal, for editors and the like. */
int child_run_interactive(const char *const *argv, struct err *err);

#endif
