/*
 * dwarf_handle.h - an open DWARF file, for one thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DWARF_HANDLE_H
#define SYMBOL_DWARF_HANDLE_H

#include "base/err.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Texts in the sections live until dwarf_handle_close, also over dwarf_handle_renew. */
struct dwarf_handle {
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
};

/*
 * Open the DWARF behind a descriptor, and the supplementary file of it (-1 for none). They stay the
 * caller's and open as long as the handle.
 *
 * Fails   ERR_UNKNOWN without DWARF, ERR_FORMAT for DWARF that cannot be read at all
 */
int dwarf_handle_open(struct dwarf_handle *h, int fd, int alt_fd, struct err *err);

/* Give back what libdw has kept of units so far, entries and line tables; false when it cannot be opened again. */
bool dwarf_handle_renew(struct dwarf_handle *h);

/* A zero one too. */
void dwarf_handle_close(struct dwarf_handle *h);

/* A number of an entry itself; 0 when it has none. */
uint64_t dwarf_number(Dwarf_Die *die, unsigned attribute);

/* The linkage name of a function, else its name, where the entry or one it stems from has it; NULL for none.
   Like LLVM DWARFDie::getSubroutineName. */
const char *dwarf_function_name(Dwarf_Die *die);

#endif
