/*
 * disasm.h - the disasm report: instructions with flat and cum
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_DISASM_H
#define REPORT_DISASM_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>

/* Columns of the table; rows are instructions, grouped by routine. */
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

/* A symbol of a binary. Names are untrusted. */
struct disasm_routine {
	uint32_t n_names;
	const char **name;    /* [n_names] demangled names; all names at its address if it was found by address */
	const char *function; /* name in the profile, as other reports show it; "" if unknown */
	int64_t flat, cum;    /* sums over the addresses of the symbol */
	uint32_t lo, hi;      /* rows [lo, hi) are its instructions */
};

struct disasm {
	uint32_t n;
	bool is_cut; /* instructions without samples are left out; a row says how many */
	struct disasm_routine
		*routine; /* [n] symbols sorted by first name, then by address; by flat with q->max_groups */
};

/*
 * Disassemble the symbols that match q->pattern, by name or address, and that have samples.
 *
 * out     out->disasm and the table, with file names without directory; released with report_release
 * notes   a line for each binary that could not be read
 * Fails   ERR_USAGE if nothing matches, ERR_IO if there is no binary or no disassembler
 * Like    pprof internal/report PrintAssembly
 */
int report_disasm_make(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

#endif
