/*
 * names.h - demangle the functions of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_NAMES_H
#define SYMBOL_NAMES_H

#include "profile/profile.h"
#include "symbol/demangle/demangle.h"

#include <stdbool.h>

/*
 * Demangle the functions that have no name yet, or the linker's name.
 *
 * p       not yet shared: only its loader uses it
 * force   first reset all functions to the linker's names
 * Like    pprof internal/symbolizer Demangle; D names are demangled too
 */
void names_demangle(struct profile *p, enum demangle_mode mode, bool force);

#endif
