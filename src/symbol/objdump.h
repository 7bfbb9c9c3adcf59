/*
 * objdump.h - read the output of objdump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJDUMP_H
#define SYMBOL_OBJDUMP_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/disasm.h"

#include <stdbool.h>
#include <stdint.h>

/* Lines between an instruction and the previous one. */
enum {
	OBJDUMP_SYMBOL = 1,   /* the line of a symbol that starts at the instruction */
	OBJDUMP_FUNCTION = 2, /* the name of the instruction's function */
	OBJDUMP_LINE = 4,     /* file and line of the instruction */
	OBJDUMP_HOLE = 8,     /* bytes that objdump skipped */
	OBJDUMP_KNOWN = 16,   /* a function or line was printed before all of these */
};

struct objdump_text {
	uint32_t n;
	struct instruction *inst; /* [n] instructions in the order of the text */
	uint8_t *before;          /* [n + 1] OBJDUMP_*; the last is for the end of the text */
};

/*
 * Read the output of objdump --disassemble, of GNU or LLVM. Reading cannot fail: unknown lines and instructions outside
 * [start, stop) are skipped.
 *
 * text    moved to the arena and split in place; all texts of the result point into it
 * Like    pprof internal/binutils disassemble
 */
void objdump_read(struct buf *text, uint64_t start, uint64_t stop, struct arena *mem, struct objdump_text *out);

#endif
