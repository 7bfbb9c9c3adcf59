/*
 * names.h - what of a function's name stays the same when a program changes a little
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
 * Append a name without what match_name.h drops, and without
 *
 *	[abi:cxx11]              ABI tags of C++, anywhere
 *	@v1.2.3 @v0.0.0-20...    the version of a module, anywhere
 *	[go.shape.int] [...]     type arguments of Go, anywhere
 *	-fm                      a method value of Go
 *	.func3 .func1.2          counters of closures: .func is all of a function together;
 *	.gowrap1 -range2         and of what Go wraps: .gowrap, .deferwrap, -range
 *
 * The last three go only where the file is one of Go, or unknown and the name has dots and no "::". main.func1
 * and main.(*T).func1 can only have been written so and stay.
 *
 * name    n bytes
 * file    source file, "" when unknown
 */
void gate_names_add_plain(const char *name, size_t n, const char *file, struct buf *out);

/* What names of one side are made of. */
struct gate_names {
	const struct gate_options *options; /* exact_names, rules of renaming */
	bool renames;                       /* this side is the base */
};

/*
 * Append the name that a function counts for: plain unless the names are exact, and renamed by the last rule that
 * fits the whole of that, which is then used once more. A match_name_fn; arg is a struct gate_names.
 *
 * Fails   ERR_USAGE naming the rule when its NEW has a group that is not there; ERR_LIMIT
 */
int gate_names_add(void *arg, const char *name, size_t n, const char *file, struct buf *out, struct err *err);

#endif
