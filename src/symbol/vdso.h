/*
 * vdso.h - the library that the kernel puts into every process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_VDSO_H
#define SYMBOL_VDSO_H

#include "base/err.h"
#include "symbol/object.h"

#include <stdbool.h>

/* Is it how profiles name it: "[vdso]", "linux-vdso.so.1"? */
bool vdso_is_name(const char *file);

/*
 * The one of this process, which is the one of the profile when it has that build id.
 *
 * Fails   ERR_UNKNOWN when it has another, or "" is asked for
 */
int vdso_open(const char *build_id, struct object **out, struct err *err);

#endif
