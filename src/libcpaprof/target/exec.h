/*
 * exec.h - what a program is that this one is about to execute
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All of it is called in children of fork and of vfork: no lock, nothing is allocated or written but on the stack,
 * and errno stays.
 */
#ifndef LIBCPAPROF_TARGET_EXEC_H
#define LIBCPAPROF_TARGET_EXEC_H

#include <stdbool.h>

struct exec_look {
	bool runs;    /* it is there, and most likely executed */
	bool refuses; /* our library cannot be loaded into it */
};

/*
 * Look at a file as execveat finds it. What cannot be read, or is of a kind that we do not know, refuses nothing.
 *
 * shell   one that the kernel does not know is given to /bin/sh
 */
struct exec_look cpi_exec_look_sig(int folder, const char *path, int flags, bool shell);

/* The same of what execvp finds: name is looked for in PATH of this process when there is no slash in it. */
struct exec_look cpi_exec_look_name_sig(const char *name);

#endif
