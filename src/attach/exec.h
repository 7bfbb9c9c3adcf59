/*
 * exec.h - start a program in a child process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_EXEC_H
#define ATTACH_EXEC_H

#include "attach/run.h"
#include "base/err.h"

#include <signal.h>
#include <sys/types.h>

/*
 * The arguments of /bin/sh for a script without #!, as execvp passes them. They contain path and argv. The caller frees
 * the array.
 */
char **attach_script_arguments(const char *path, char **argv);

/*
 * Execute a program in this process. Allocates nothing, so it can be called after vfork.
 *
 * script  attach_script_arguments, for a file that the kernel cannot execute
 * m       exec_failed reports an error; the process then ends with status 126 or 127
 */
_Noreturn void attach_exec(const char *path, char **argv, char **script, char **env, const struct attach_messages *m);

/* The exit status of a shell for a status of wait(2): 128 + N after signal N. */
int attach_exit_status(int status);

enum { ATTACH_CHILD_SIGNALS = 6 };

/* A child process that executes a program as soon as it is released. */
struct attach_child {
	pid_t pid;
	int gate;                                      /* the child reads a byte from it first */
	struct sigaction before[ATTACH_CHILD_SIGNALS]; /* our actions for the signals that are passed on */
};

/*
 * Create a child process for a program, with our environment. Until attach_child_wait, signals that others send to us
 * are passed on to it; the terminal sends its own to both. Only one child at a time.
 *
 * m       exec_failed reports that the program cannot be executed
 * Fails   ERR_IO
 */
int attach_child_create(const char *path, char **argv, const struct attach_messages *m, struct attach_child *out,
			struct err *err);

/* Let the child execute the program. */
void attach_child_release(struct attach_child *c);

/* Wait until the child has ended; if it was not released, without executing the program. Returns attach_exit_status. */
int attach_child_wait(struct attach_child *c);

#endif
