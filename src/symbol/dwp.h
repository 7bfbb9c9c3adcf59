/*
 * dwp.h - units of a package of split DWARF (.dwp)
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libdw reads packages since 0.192; Debian 12 has 0.188.
 */
#ifndef SYMBOL_DWP_H
#define SYMBOL_DWP_H

#include "base/buf.h"
#include "symbol/elfutils.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dwp; /* constant after dwp_open: threads share it */

/* Open the package of a file with DWARF, if it has one: PATH.dwp. If it cannot be read, it has no units. */
struct dwp *dwp_open(const char *path);

/* Takes NULL. */
void dwp_close(struct dwp *d);

/* A split unit that is open. Zero-initialised. */
struct dwp_unit {
	Elf *elf;
	Dwarf *dwarf;
	uint8_t *file; /* [size] the sections of the unit, as an ELF file */
	size_t size;
};

enum split_status {
	SPLIT_NONE, /* the unit is not split */
	SPLIT_FOUND,
	SPLIT_MISSING,
};

/*
 * Replace the first entry of a skeleton unit by that of its split unit, in a file of its own (.dwo) or in the package.
 *
 * elf     the file with the skeleton
 * out     closed with dwp_unit_close
 */
enum split_status dwp_find_split(const struct dwp *d, Elf *elf, Dwarf_Die *die, struct dwp_unit *out);

/* Append why n split units are missing; nothing if n is 0. */
void dwp_explain(const struct dwp *d, uint32_t n, struct buf *out);

/* Takes a zero-initialised unit. */
void dwp_unit_close(struct dwp_unit *u);

#endif
