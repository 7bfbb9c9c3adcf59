/*
 * match.h - find the same function in several profiles, at any address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row is an item of a comparison: a function, a file or a line. It is identified by its file and by its name without
 * compiler suffixes (match_name.h). The directories of a build tree may differ between profiles, so functions of one
 * name are the same by the first rule that applies:
 *
 *	1. the whole path is equal;
 *	2. the last parts of the path are equal and this is unique on both sides: eight parts,
 *	   then seven, and so on down to the bare file name;
 *	3. it is the only function of its name on both sides: it has moved, or one side has no files.
 *
 * All other functions are different. Within one profile, a function without a file is the same as the function with a
 * file, if there is exactly one. Files, for rows that have no name, follow rules 1 and 2.
 */
#ifndef ENGINE_MATCH_H
#define ENGINE_MATCH_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/places.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct match;

/* Create a match without rows; owned by the caller. */
struct match *match_new(void);
void match_free(struct match *m);

/* Append the name to use for a function whose name has n bytes. Fails with a message. */
typedef int (*match_name_fn)(void *arg, const char *name, size_t n, const char *file, struct buf *out, struct err *err);

/* Use fn instead of match_name.h to make the names of profiles added later. NULL restores match_name.h. */
void match_set_names(struct match *m, match_name_fn fn, void *arg);

/*
 * Find or append the rows of another profile.
 *
 * pl     made with file names (match_query); its places become rows of m: list and many are renumbered, n becomes the
 *        number of rows so far, and place is released
 * Fails  ERR_LIMIT; as match_name_fn
 */
int match_places(struct match *m, struct places *pl, struct err *err);

/* The query for making places: functions in different files are different places. Fails ERR_USAGE for addresses. */
int match_query(const struct query_filter *q, struct query_filter *out, struct err *err);

/* Number of rows so far; ids are below it and never change. */
uint32_t match_count(const struct match *m);

/* The name and the file of a row, "" for none; the file is that of the last profile. Borrowed. */
const char *match_name(const struct match *m, uint32_t row);
const char *match_file(const struct match *m, uint32_t row);
int64_t match_line(const struct match *m, uint32_t row);

/* Append the row as printed in reports; with_file adds the file, for names that are ambiguous without it. */
void match_add_label(const struct match *m, uint32_t row, bool with_file, struct buf *out);

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
