/*
 * demangle_rust.h - names of Rust
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEMANGLE_RUST_H
#define SYMBOL_DEMANGLE_RUST_H

#include "base/buf.h"

#include <stdbool.h>

/*
 * Append the name of a symbol of today's mangling, which starts with _R, or of the older one, which
 * looks like C++ with a hash at its end. The suffix of a copy is left out.
 *
 * generics  false leaves the arguments of generics out, but not their brackets
 * Gives     false, and appends nothing, when it is none, or too long
 */
bool demangle_rust(const char *symbol, bool generics, struct buf *out);

#endif
