/*
 * disasm_int.h - from the nodes of a profile to the symbols of its binaries
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For report/disasm*.c alone.
 */
#ifndef REPORT_DISASM_INT_H
#define REPORT_DISASM_INT_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/nodes.h"
#include "engine/query.h"
#include "report/binaries.h"
#include "symbol/disasm.h"

#include <stdint.h>

struct disasm_node {
	uint64_t addr; /* in its object */
	uint32_t node;
};

/* The nodes in a binary. */
struct disasm_object {
	size_t n, cap;
	struct disasm_node *node; /* [n] by address */
};

/* A symbol that is shown. */
struct disasm_symbol {
	uint32_t object, n_names;
	const char **name; /* [n_names] */
	uint64_t start;
	size_t lo, hi; /* its nodes */
	struct disasm_range range;
};

struct disasm_making {
	const struct profile *p;
	struct nodes nodes;
	struct binaries binaries;
	struct arena *mem;
	struct disasm_object *object; /* [binaries.n] */
	uint32_t n_symbols;
	size_t cap_symbols;
	struct disasm_symbol *symbol; /* [n_symbols] */
};

/*
 * Find the symbols that are asked for.
 *
 * m       p, nodes, binaries and mem are set; the rest is filled; released with report_disasm_release,
 *         after a failure too
 * Fails   as report_disasm_make
 */
int report_disasm_symbols(struct disasm_making *m, const struct query *q, struct buf *notes, struct err *err);
void report_disasm_release(struct disasm_making *m);

#endif
