/*
 * vdso.h - the vDSO, the library that the kernel maps into every process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_VDSO_H
#define SYMBOL_VDSO_H

#include "base/err.h"
#include "symbol/object.h"

#include <stdbool.h>

/* Do profiles use this name for the vDSO: "[vdso]", "linux-vdso.so.1"? */
bool vdso_is_name(const char *file);

/*
 * Open the vDSO of this process, if it has this build id.
 *
 * Fails   ERR_UNKNOWN when its build id differs, or build_id is ""
 */
int vdso_open(const char *build_id, struct object **out, struct err *err);

#endif
