/*
 * disasm.h - the report disasm: instructions and their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_DISASM_H
#define REPORT_DISASM_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdint.h>

/* Columns of the table; its rows are instructions, routine after routine. */
enum {
	DISASM_ROUTINE,
	DISASM_ADDRESS,
	DISASM_FLAT,
	DISASM_CUM,
	DISASM_TEXT,
	DISASM_FUNCTION,
	DISASM_FILE,
	DISASM_LINE,
	N_DISASM_COLS
};

/* A symbol of a binary. Names are hostile. */
struct disasm_routine {
	uint32_t n_names;
	const char **name; /* [n_names] readable ones, and all at its address when it was found by that */
	int64_t flat, cum; /* sums over its addresses */
	uint32_t lo, hi;   /* its rows are [lo, hi) */
};

struct disasm {
	uint32_t n;
	struct disasm_routine *routine; /* [n] by first name, then by address */
};

/*
 * Disassemble the symbols that q->pattern is about, by name or as an address, and that have samples.
 *
 * out     out->disasm and the table, file names without their folder; released with report_release
 * notes   a line for each binary that could not be looked into
 * Fails   ERR_USAGE when nothing matches, ERR_IO when no binary or no disassembler is there
 * Like    pprof internal/report PrintAssembly
 */
int report_disasm_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

#endif
