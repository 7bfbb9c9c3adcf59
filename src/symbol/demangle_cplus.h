/*
 * demangle_cplus.h - names of C++
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEMANGLE_CPLUS_H
#define SYMBOL_DEMANGLE_CPLUS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/* What a name keeps. */
struct cplus_style {
	bool params;    /* parameters and result of the function */
	bool enclosing; /* parameters of functions that others are local to */
	bool templates; /* template arguments */
};

/*
 * Append the name of a symbol that starts with _Z. What follows the name is left out, such as the
 * suffix of a copy.
 *
 * Gives   false, and appends nothing, when it is none, too long, or nested too deep
 */
bool demangle_cplus(const char *symbol, struct cplus_style style, struct buf *out);

/* What a demangler of libiberty may write about one name; a longer one stays mangled. */
enum { DEMANGLED_MAX = 1 << 20 };

#endif
