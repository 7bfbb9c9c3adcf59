/*
 * disasm_int.h - the symbols of the disasm report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For report/disasm*.c only.
 */
#ifndef REPORT_DISASM_INT_H
#define REPORT_DISASM_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/nodes.h"
#include "report/binaries.h"
#include "symbol/disasm.h"

#include <stddef.h>
#include <stdint.h>

struct query;

struct disasm_node {
	uint64_t addr; /* address in the object */
	uint32_t node;
};

/* A binary and its nodes. */
struct disasm_object {
	size_t n, cap;
	struct disasm_node *node; /* [n] nodes sorted by address */
};

/* A shown symbol. */
struct disasm_symbol {
	uint32_t object, n_names;
	const char **name; /* [n_names] */
	uint64_t start;
	size_t lo, hi; /* range of the nodes of the symbol */
	int64_t flat;  /* sum over the nodes */
	struct disasm_range range;
};

struct disasm_builder {
	const struct profile *p;
	struct nodes nodes;
	struct binaries binaries;
	struct arena *mem;
	struct disasm_object *object; /* [n_objects] nodes of the first n_objects binaries */
	uint32_t n_objects;
	uint32_t n_symbols;
	size_t cap_symbols;
	struct disasm_symbol *symbol; /* [n_symbols] */
};

/*
 * Find the symbols that match q->pattern and have samples.
 *
 * m       symbols and binaries are added
 * Fails   as report_disasm_make
 */
int report_disasm_find_symbols(struct disasm_builder *m, const struct query *q, struct buf *notes, struct err *err);

#endif
