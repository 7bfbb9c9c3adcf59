/*
 * names.h - the names of a profile's functions as people write them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_NAMES_H
#define SYMBOL_NAMES_H

#include "profile/profile.h"
#include "symbol/demangle.h"

#include <stdbool.h>

/*
 * Demangle the functions that have no name yet, or the linker's.
 *
 * p       the loader's alone
 * force   all functions go back to the linker's names first
 * Like    pprof internal/symbolizer Demangle; names of D are demangled too
 */
void demangle_names(struct profile *p, enum demangle_mode mode, bool force);

#endif
