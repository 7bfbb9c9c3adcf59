/*
 * demangle_int.h - one demangler for each language
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each function appends the demangled name of a symbol. It returns false and appends nothing when the symbol belongs to
 * another language, is too long, or is too complex to pass to libiberty safely.
 */
#ifndef SYMBOL_DEMANGLE_DEMANGLE_INT_H
#define SYMBOL_DEMANGLE_DEMANGLE_INT_H

#include "symbol/demangle/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Max bytes of a demangled name; symbols with longer names stay mangled. */
enum { DEMANGLED_MAX = 1 << 20 };

/* Output of libiberty. setjmp returns to too_long when a name is too long. */
struct demangle_print {
	struct buf *out;
	size_t max; /* limit on out->len */
	jmp_buf too_long;
};

/* Append a piece of a name. print: a struct demangle_print */
void demangle_add_piece(const char *s, size_t n, void *print);

/* The parts of a C++ name that are printed. */
struct cplus_style {
	bool params;    /* parameters and result of the function */
	bool enclosing; /* parameters of enclosing functions */
	bool templates; /* template arguments */
};

/* C++: symbols that start with _Z. Text after the name, such as the suffix of a clone, is omitted. */
bool demangle_cplus(const char *symbol, struct cplus_style style, struct buf *out);

/* D: symbols that start with _D. The mode selects parameters, and the arguments in "!(...)", as for C++. */
bool demangle_d(const char *symbol, enum demangle_mode mode, struct buf *out);

/*
 * Rust: symbols of the current mangling, which start with _R, or of the legacy one, which look like C++ with a hash at
 * the end. The suffix of a clone is omitted.
 *
 * generics  false omits the arguments of generics, but not their brackets
 */
bool demangle_rust(const char *symbol, bool generics, struct buf *out);

#endif
