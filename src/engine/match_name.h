/*
 * match_name.h - what of a function's name stays the same from build to build
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_MATCH_NAME_H
#define ENGINE_MATCH_NAME_H

#include <stddef.h>

/*
 * The length of a name without what compilers append to a part or a copy of a function:
 *
 *	.cold .part.N .constprop.N .isra.N .clone.N .lto_priv.N .llvm.N .localalias .__uniq.N
 *	                         GCC and clang
 *	[clone .cold]            the same as binutils spells it behind a demangled name
 *	::h0123456789abcdef      the hash behind a Rust name; 17h0123456789abcdefE behind a mangled one
 *	.abi0                    the other calling convention of a Go function
 *
 * A dot is part of the name in most other languages ("main.cold" is a function of Go), so the first
 * line goes only where the rest is a name of C, C++ or Rust and the file is not one of Go, Java,
 * Python and their like. Type arguments in brackets and closure counters stay.
 *
 * name    n bytes
 * file    source file, "" when unknown
 */
size_t match_name_len(const char *name, size_t n, const char *file);

#endif
