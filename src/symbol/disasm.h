/*
 * disasm.h - machine code as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DISASM_H
#define SYMBOL_DISASM_H

#include "base/arena.h"
#include "base/err.h"
#include "symbol/object.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <stdint.h>

/* Texts live in the arena of the call, "" where unknown; hostile. */
struct instruction {
	uint64_t addr; /* object address */
	const char *text;
	const char *function, *file; /* as objdump spells them */
	int64_t line;
};

/* Object addresses [start, stop). */
struct disasm_range {
	uint64_t start, stop;
	uint32_t n;
	struct instruction *inst; /* [n] set by disasm_ranges */
};

struct disasm_how {
	bool intel; /* Intel's syntax where there is a choice */
	bool lines; /* functions, files and lines are wanted; DWARF is read for them, by objdump or else by us */
};

/*
 * Disassemble. What each range gets is what objdump, started for that range alone, prints of it; but
 * ranges that lie close together are read from one output wherever that can be told to be the same.
 *
 * range   [n] in any order
 * mem     the results live there
 * Fails   ERR_UNKNOWN without a disassembler; ERR_IO, ERR_LIMIT when it failed or printed too much; ERR_STOPPED
 * Like    pprof internal/binutils Disasm
 */
int disasm_ranges(struct object *o, const struct symbol_where *w, const struct disasm_how *how,
		  struct disasm_range *range, uint32_t n, struct arena *mem, struct err *err);

#endif
