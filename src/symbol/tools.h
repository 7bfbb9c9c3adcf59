/*
 * tools.h - find programs of other packages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_TOOLS_H
#define SYMBOL_TOOLS_H

#include "base/arena.h"
#include "base/err.h"
#include "symbol/options.h"

#include <stdbool.h>

struct objdump {
	const char *path; /* path in the arena of the call */
	bool is_llvm;     /* does it take the options of LLVM's objdump? */
};

/*
 * Find a disassembler: llvm-objdump from version 8 on, else objdump. Each is searched in its own folders in w->tools,
 * then in those for all tools; if w->tools is empty, in PATH.
 *
 * Fails   ERR_UNKNOWN when there is none
 * Like    pprof internal/binutils findObjdump
 */
int tools_find_objdump(const struct symbol_options *w, struct arena *mem, struct objdump *out, struct err *err);

/* Is this the --version output of LLVM's objdump, version 8 or later? */
bool tools_is_llvm(const char *version);

#endif
