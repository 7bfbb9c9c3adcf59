/*
 * tools.h - programs of other packages: where they are
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_TOOLS_H
#define SYMBOL_TOOLS_H

#include "base/arena.h"
#include "base/err.h"
#include "symbol/where.h"

#include <stdbool.h>

struct objdump {
	const char *path; /* of the program, in the arena of the call */
	bool is_llvm;     /* its options are those of LLVM's */
};

/*
 * Find a disassembler: llvm-objdump from version 8 on, else objdump, each in the folders that
 * w->tools names for it, then in those for all tools, in PATH when w->tools names none.
 *
 * Fails   ERR_UNKNOWN when there is none
 * Like    pprof internal/binutils findObjdump
 */
int tools_objdump(const struct symbol_where *w, struct arena *mem, struct objdump *out, struct err *err);

/* Does the answer of a program to --version tell LLVM's objdump of version 8 or later? */
bool tools_is_llvm(const char *version);

#endif
