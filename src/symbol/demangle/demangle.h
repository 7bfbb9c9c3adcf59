/*
 * demangle.h - C++, Rust and D symbols to readable names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEMANGLE_DEMANGLE_H
#define SYMBOL_DEMANGLE_DEMANGLE_H

#include "base/buf.h"

#include <stdbool.h>

enum demangle_mode {
	DEMANGLE_DEFAULT,   /* omit parameters and template arguments */
	DEMANGLE_TEMPLATES, /* omit parameters */
	DEMANGLE_FULL,      /* omit only the suffixes of clones */
	DEMANGLE_MANGLED,   /* as DEMANGLE_DEFAULT, but names that are demangled already stay unchanged */
	DEMANGLE_NONE,
};

/*
 * Append the demangled name of a symbol.
 *
 * Returns false, and appends nothing, when the name stays unchanged
 * Like    pprof internal/symbolizer demangleSingleFunction
 */
bool demangle(const char *symbol, enum demangle_mode mode, struct buf *out);

#endif
