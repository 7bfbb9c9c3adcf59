/*
 * linetab.h - the line table of a unit
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_LINETAB_H
#define SYMBOL_LINETAB_H

#include "base/arena.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first; used again for the next unit, released with linetab_release. */
struct linetab {
	Dwarf_Lines *lines; /* NULL when there is no table */
	Dwarf_Files *files;
	size_t n, n_files;
	const char *comp_dir; /* what relative paths are relative to; "" when unknown */
	bool counts_from_1;   /* files, up to DWARF 4 */
	const char **path;    /* [n_files] as far as they were asked for, else NULL */
	size_t cap_path;
};

/* What a table says of an address. */
struct linetab_row {
	uint64_t file;
	uint32_t line, column;
};

/* Read the table of a unit, whose first entry this is. */
void linetab_open(struct linetab *t, Dwarf_Die *unit);

/* The row of an address: the last one that does not lie behind it, unless code ends there; false for none. */
bool linetab_find(const struct linetab *t, uint64_t addr, struct linetab_row *out);

/* The path of a file, in mem; NULL for none. */
const char *linetab_path(struct linetab *t, uint64_t file, struct arena *mem);

void linetab_release(struct linetab *t);

#endif
