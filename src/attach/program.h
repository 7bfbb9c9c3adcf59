/*
 * program.h - check whether a program can be profiled with LD_PRELOAD
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_PROGRAM_H
#define ATTACH_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Properties of a program that matter for profiling. */
struct program {
	bool asan_library;     /* does it need libasan.so, which must be the first library? */
	const char *sanitizer; /* the sanitizer it was built with: "address", ...; NULL: none */
	bool has_malloc;       /* does it define its own malloc? Then no library can profile its heap */
	bool is_starter;       /* it cannot be profiled itself, only the programs that it starts */
	bool profiles_itself;  /* is it linked with our library? Its own profiles fail if it is profiled through it */
	bool can_be_sampled;   /* it cannot load our library, but can be sampled like a running process */
};

/*
 * Find the program as execvp does, and check whether it can load our library. For a script the interpreter is checked.
 *
 * path    the path found is appended
 * out     on failure only can_be_sampled is set
 * follow  the user wants profiles of the programs that it starts, so it may be static or written in Go
 * Fails   ERR_IO if it cannot be run; ERR_USAGE, with the reason and a remedy, if it can be run but not profiled: it is
 *         static, for another C library or machine, written in Go, or runs with more rights than its user has
 */
int attach_program_check(const char *name, bool follow, struct buf *path, struct program *out, struct err *err);

#endif
