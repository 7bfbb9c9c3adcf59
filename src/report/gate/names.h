/*
 * names.h - strip those parts of function names that change between builds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_NAMES_H
#define REPORT_GATE_NAMES_H

#include "base/buf.h"
#include "base/err.h"
#include "report/gate/options.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Append a name without the parts that match_name.h drops, and without
 *
 *	[abi:cxx11]              ABI tags of C++, anywhere
 *	@v1.2.3 @v0.0.0-20...    the version of a module, anywhere
 *	[go.shape.int] [...]     type arguments of Go, anywhere
 *	-fm                      a method value of Go
 *	.func3 .func1.2          counters of closures: .func is all of a function together;
 *	.gowrap1 -range2         and of what Go wraps: .gowrap, .deferwrap, -range
 *
 * The last three are stripped only if the file is a Go file, or unknown and the name has dots and no "::". main.func1
 * and main.(*T).func1 are names of declared functions and remain.
 *
 * name    n bytes
 * file    source file, "" if unknown
 */
void gate_names_add_plain(const char *name, size_t n, const char *file, struct buf *out);

/* Rules for the names of one side. */
struct gate_names {
	const struct gate_options *options; /* for exact_names and the rename rules */
	bool applies_renames;               /* do rename rules apply, because the side is the base? */
};

/*
 * Append the canonical name of a function: stripped unless names are exact, and renamed by the last rule that matches
 * the whole name, whose use is counted. A match_name_fn; arg is a struct gate_names.
 *
 * Fails   ERR_USAGE with the rule if its NEW refers to a missing group; ERR_LIMIT
 */
int gate_names_add(void *arg, const char *name, size_t n, const char *file, struct buf *out, struct err *err);

#endif
