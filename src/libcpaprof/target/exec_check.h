/*
 * exec_check.h - check whether a program can load our library, before it is executed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * May run in children of fork and vfork: takes no lock, and allocates and writes only on the stack.
 */
#ifndef LIBCPAPROF_TARGET_EXEC_CHECK_H
#define LIBCPAPROF_TARGET_EXEC_CHECK_H

#include <stdbool.h>

struct exec_check {
	bool is_executable; /* the file exists and can probably be executed */
	bool refuses;       /* our library cannot be loaded into this program */
	bool profiles_itself; /* the program was linked with our library: its own profiles fail if cpa profiles it through it */
};

/*
 * Check the file that execveat would execute. If it is unreadable or has an unknown format, refuses is false.
 *
 * shell   a file that the kernel cannot execute is passed to /bin/sh
 */
struct exec_check cpi_exec_check_file_sig(int folder, const char *path, int flags, bool shell);

/* Check the file that execvp would execute: a name without a slash is searched in PATH of this process. */
struct exec_check cpi_exec_check_name_sig(const char *name);

#endif
