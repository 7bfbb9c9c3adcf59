/*
 * program.h - can this program be profiled by a library that is loaded into it?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_PROGRAM_H
#define ATTACH_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Properties of a program that matter when it is profiled. */
struct program {
	bool asan_library; /* it has the library of the address sanitizer, which wants to be loaded before all others */
	const char *sanitizer; /* the sanitizer that it was built with: "address", ...; NULL for none */
	bool has_malloc;       /* it brings a malloc of its own: no library sees its heap */
};

/*
 * Find the program as execvp does, and look whether our library will do in it. A script is what its
 * interpreter is.
 *
 * path    appended: what was found
 * Fails   ERR_IO when it cannot be run; ERR_USAGE, with the reason and what to do instead, when it can be but
 *         not profiled: it is static, of another C library or machine, in Go, or gets rights that its user does not have
 */
int attach_program_check(const char *name, struct buf *path, struct program *out, struct err *err);

#endif
