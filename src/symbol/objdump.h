/*
 * objdump.h - what objdump prints, read
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

/* What stood between an instruction and the one before it. */
enum {
	OBJDUMP_SYMBOL = 1,   /* the line of a symbol that begins at the instruction */
	OBJDUMP_FUNCTION = 2, /* then, or without one: the name of its function */
	OBJDUMP_LINE = 4,     /* likewise its file and line */
	OBJDUMP_HOLE = 8,     /* bytes that are not shown */
	OBJDUMP_KNOWN = 16,   /* some function or line was told before all of these */
};

struct objdump_text {
	uint32_t n;
	struct instruction *inst; /* [n] in the order of the text */
	uint8_t *before;          /* [n + 1] OBJDUMP_*; the last is of the end */
};

/*
 * Read the text of objdump --disassemble, of GNU or LLVM. Nothing in it can fail: what is not
 * understood is left out, as are instructions outside [start, stop).
 *
 * text    becomes the arena's, cut to pieces; all texts of the result are in it
 * Like    pprof internal/binutils disassemble
 */
void objdump_read(struct buf *text, uint64_t start, uint64_t stop, struct arena *mem, struct objdump_text *out);

#endif
