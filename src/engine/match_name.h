/*
 * match_name.h - the part of a function name that is stable between builds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_MATCH_NAME_H
#define ENGINE_MATCH_NAME_H

#include <stddef.h>

/*
 * The length of a name without the suffixes that compilers append to parts and clones of a function:
 *
 *	.cold .part.N .constprop.N .isra.N .clone.N .lto_priv.N .llvm.N .localalias .__uniq.N
 *	                         GCC and clang
 *	[clone .cold]            the same, as binutils prints it after a demangled name
 *	::h0123456789abcdef      the hash after a Rust name; 17h0123456789abcdefE after a mangled one
 *	.abi0                    the other calling convention of a Go function
 *
 * A dot is part of the name in most other languages ("main.cold" is a Go function), so the suffixes of the first line
 * are removed only if the rest is a name of C, C++ or Rust and the file is not of Go, Java, Python or similar. Type
 * arguments in brackets and closure counters remain.
 *
 * name    n bytes
 * file    source file, "" when unknown
 */
size_t match_name_len(const char *name, size_t n, const char *file);

/*
 * The number of bytes at the start of a name that differ between runs: the kind and tier of code that V8 compiled, such as
 * "JS:~", "JS:*" or "LazyCompile:^", and a space if the function has no name.
 */
size_t match_name_start(const char *name, size_t n);

#endif
