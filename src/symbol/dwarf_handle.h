/*
 * dwarf_handle.h - an open DWARF file, used by one thread
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DWARF_HANDLE_H
#define SYMBOL_DWARF_HANDLE_H

#include "base/err.h"
#include "symbol/elfutils.h"

#include <stdbool.h>
#include <stdint.h>

/* Texts in the sections remain valid until dwarf_handle_close, even after dwarf_handle_renew. */
struct dwarf_handle {
	Elf *elf, *alt_elf;
	Dwarf *dwarf, *alt;
};

/*
 * Open the DWARF of a file and of its supplementary file (-1 for none). The caller keeps both descriptors open as long
 * as the handle, and closes them.
 *
 * Fails   ERR_UNKNOWN without DWARF, ERR_FORMAT for DWARF that is unreadable as a whole
 */
int dwarf_handle_open(struct dwarf_handle *h, int fd, int alt_fd, struct err *err);

/* Release the entries and line tables that libdw has cached, by reopening; false when that fails. */
bool dwarf_handle_renew(struct dwarf_handle *h);

/* Takes a zero-initialised handle. */
void dwarf_handle_close(struct dwarf_handle *h);

/* A numeric attribute of the entry itself; 0 if the entry has no such attribute. */
uint64_t dwarf_number(Dwarf_Die *die, unsigned attribute);

/* The linkage name of a function, else its name, from the entry or its origins; NULL for none. Like LLVM
   DWARFDie::getSubroutineName. */
const char *dwarf_function_name(Dwarf_Die *die);

#endif
