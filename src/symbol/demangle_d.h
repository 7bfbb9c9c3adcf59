/*
 * demangle_d.h - names of D
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEMANGLE_D_H
#define SYMBOL_DEMANGLE_D_H

#include "base/buf.h"
#include "symbol/demangle.h"

#include <stdbool.h>

/*
 * Append the name of a symbol that starts with _D.
 *
 * mode    what it keeps, as for C++: parameters, and the arguments in "!(...)"
 * Gives   false, and appends nothing, when it is none, or larger than libiberty can be trusted with
 */
bool demangle_d(const char *symbol, enum demangle_mode mode, struct buf *out);

#endif
