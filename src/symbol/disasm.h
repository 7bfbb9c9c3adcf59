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
	const char *function, *file;
	int64_t line;
};

/*
 * Disassemble object addresses [start, end].
 *
 * Fails   ERR_UNKNOWN without a disassembler, ERR_IO
 * Like    pprof internal/binutils Disasm
 */
int disasm_range(struct object *o, const struct symbol_where *w, uint64_t start, uint64_t end, bool intel,
		 struct arena *mem, struct instruction **out, uint32_t *n, struct err *err);

#endif
