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
#include "symbol/options.h"

#include <stdbool.h>
#include <stdint.h>

/* Texts are in the arena of the call, "" if unknown, and untrusted. */
struct instruction {
	uint64_t addr; /* object address */
	const char *text;
	const char *function, *file; /* printed by objdump */
	int64_t line;
	uint32_t n_left_out; /* not 0: these are so many instructions of a cut range, from addr on */
};

/* Object addresses [start, stop). */
struct disasm_range {
	uint64_t start, stop;
	const uint64_t *sample; /* [n_samples] ascending; the code around them is kept if the range is cut */
	uint32_t n_samples;
	uint32_t n;
	struct instruction *inst; /* [n] set by disasm_ranges */
};

struct disasm_options {
	bool intel;           /* Intel syntax instead of AT&T */
	bool lines;           /* add functions, files and lines, from the DWARF that objdump reads or else from ours */
	uint32_t n_whole_max; /* cut ranges of more instructions; 0: cut none */
	uint32_t n_around;    /* instructions of a cut range that are kept on each side of a sample */
};

/*
 * Disassemble ranges. The result for a range is what objdump prints when run on that range alone. Close ranges share
 * one run where the result is certain to be the same. Where a range is cut, one instruction is in place of those that are
 * left out between two others; its text says how many they are.
 *
 * range   [n] in any order
 * mem     the results live there
 * Fails   ERR_UNKNOWN without a disassembler; ERR_IO, ERR_LIMIT when it failed or printed too much; ERR_STOPPED
 * Like    pprof internal/binutils Disasm
 */
int disasm_ranges(struct object *o, const struct symbol_options *w, const struct disasm_options *options,
		  struct disasm_range *range, uint32_t n, struct arena *mem, struct err *err);

#endif
