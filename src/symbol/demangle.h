/*
 * demangle.h - names of C++, Rust and D as people write them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include "base/buf.h"

#include <stdbool.h>

enum demangle_mode {
	DEMANGLE_DEFAULT,   /* neither parameters nor template arguments */
	DEMANGLE_TEMPLATES, /* no parameters */
	DEMANGLE_FULL,      /* everything but the suffixes of copies */
	DEMANGLE_NONE,
};

/*
 * Append the name that a symbol stands for.
 *
 * Gives   false, and appends nothing, when it stays as it is
 * Like    pprof internal/symbolizer demangleSingleFunction
 */
bool demangle(const char *symbol, enum demangle_mode mode, struct buf *out);

#endif
