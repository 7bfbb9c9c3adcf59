/*
 * pclntab.h - functions, files and lines of Go programs, which may be stripped
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_PCLNTAB_H
#define SYMBOL_PCLNTAB_H

#include "symbol/frames.h"

#include <stdbool.h>
#include <stdint.h>

struct pclntab; /* opaque */

/* Open the table of a program built by Go 1.16 or later; NULL when there is none. The caller keeps and closes the
   descriptor. Freed with pclntab_close. */
struct pclntab *pclntab_open(int fd);

/* Takes NULL. */
void pclntab_close(struct pclntab *t);

/*
 * Find the function at an address, with the file and line of the innermost call, which may be inlined: as in go tool
 * pprof.
 *
 * out     texts point into the table
 * Like    Go debug/gosym, PCToLine
 */
bool pclntab_find(const struct pclntab *t, uint64_t addr, struct frame *out);

#endif
