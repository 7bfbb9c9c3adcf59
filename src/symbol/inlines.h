/*
 * inlines.h - which function an address is in, and through which inlined calls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_INLINES_H
#define SYMBOL_INLINES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INLINES_NONE = UINT32_MAX };

/* A function or an inlined call that covers an address. */
struct inline_node {
	const char *name;   /* in the sections; NULL when unknown */
	uint64_t call_file; /* in the line table of the unit */
	uint32_t call_line, call_column, start_line;
	uint32_t parent; /* what an inlined call is in; INLINES_NONE when it is in nothing */
	bool is_call;    /* inlined; else a function */
};

struct inlines_open; /* an entry that the walk is below of */

/* Zero at first; used again for the next unit, released with inlines_release. */
struct inlines {
	struct inline_node *node; /* [n] */
	size_t n, cap;
	uint32_t *at; /* [addresses] the innermost node there, or INLINES_NONE */
	size_t cap_at;
	struct inlines_open *open;
	size_t n_open, cap_open;
};

/*
 * Walk over the entries of a unit.
 *
 * unit   its first entry
 * addr   [n] ascending
 * work   how many steps may be taken; counted down
 * Gives  node and at of out; damage ends the walk
 * Like   LLVM DWARFUnit::getInlinedChainForAddress
 */
void inlines_find(struct inlines *out, Dwarf_Die *unit, const uint64_t *addr, uint32_t n, uint64_t *work);
void inlines_release(struct inlines *l);

#endif
