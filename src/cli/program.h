/*
 * program.h - can this program be profiled by a library that is loaded into it?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/*
 * Find the program as execvp does, and look whether our library will do in it. A script is what its
 * interpreter is.
 *
 * path    appended: what was found
 * asan    out: it has the library of the address sanitizer, which wants to be loaded before all others
 * Fails   ERR_IO when it cannot be run; ERR_USAGE, with the reason, when it can be but not profiled: it is
 *         static, of another C library or machine, or gets rights that its user does not have
 */
int program_check(const char *name, struct buf *path, bool *asan, struct err *err);

#endif
