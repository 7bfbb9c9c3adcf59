/*
 * child.h - other programs: bytes in, bytes out
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
 * Run a program with these bytes on its standard input and wait for it. It is in our process group,
 * so Ctrl-C ends it too. Several threads may do this at the same time.
 *
 * argv    [argv[0] is looked up in PATH] ends with NULL; no shell sees it
 * out     what it printed is appended, also when it failed
 * Fails   ERR_UNKNOWN when there is no such program; ERR_IO when it could not be run, or ended with
 *         another status than 0: the sentence then ends with the first line of its standard error
 */
int child_run(const char *const *argv, const void *in, size_t n, struct buf *out, struct err *err);

/*
 * Run a program that reads nothing, and end it when it prints more than max bytes or is not done
 * after so many seconds, or when stop, which may be NULL, is set.
 *
 * Fails   as child_run; ERR_LIMIT past max, ERR_IO when it took too long; ERR_STOPPED
 */
int child_read(const char *const *argv, size_t max, unsigned seconds, const struct stop *stop, struct buf *out,
	       struct err *err);

/*
 * Run a program on our terminal and wait for it; what it prints on standard output goes nowhere.
 * Ctrl-C ends it and not us. There is one terminal: not from two threads at the same time.
 *
 * Fails   as child_run
 */
int child_show(const char *const *argv, struct err *err);

/*
 * Start a command of sh on our terminal that reads from a pipe. Whoever writes to it ignores SIGPIPE,
 * for the command may end when it likes.
 *
 * fd      the end to write to; closed in other programs. The caller closes it, then calls child_end
 * Fails   as child_run
 */
int child_pipe(const char *command, int *fd, pid_t *pid, struct err *err);

/*
 * Wait for it.
 *
 * interrupted  set to whether Ctrl-C ended it; then it is no failure
 * Fails        ERR_IO when it ended with another status than 0, which may be its answer
 */
int child_end(pid_t pid, bool *interrupted, struct err *err);

/* As child_show for a program that prints on our terminal, as editors do. */
int child_talk(const char *const *argv, struct err *err);

#endif
