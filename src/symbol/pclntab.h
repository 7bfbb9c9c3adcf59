/*
 * pclntab.h - functions, files and lines of Go programs, which keep them also when they are stripped
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_PCLNTAB_H
#define SYMBOL_PCLNTAB_H

#include "symbol/frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pclntab; /* only pclntab.c looks inside */

/* The table of the program behind a descriptor, of Go 1.16 or later; NULL when there is none. The descriptor
   stays the caller's. Freed with pclntab_close. */
struct pclntab *pclntab_open(int fd);

/* Takes NULL. */
void pclntab_close(struct pclntab *t);

/*
 * The function at an address, with the file and line of the innermost call there, which may have been
 * inlined: as go tool pprof has it.
 *
 * out     texts are in the table
 * Like    Go debug/gosym, PCToLine
 */
bool pclntab_find(const struct pclntab *t, uint64_t addr, struct frame *out);

/* How many bytes the texts of the table have together. */
size_t pclntab_text(const struct pclntab *t);

#endif
