/*
 * frames_symbols.h - the symbols that many addresses belong to
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_SYMBOLS_H
#define SYMBOL_FRAMES_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct frames_symbols; /* only frames_symbols.c looks inside */

/*
 * Look up addresses in .symtab, or in .dynsym where there is none.
 *
 * fd      of an ELF file; stays the caller's
 * addr    [n] ascending
 * Gives   NULL when there are no symbols; freed with frames_symbols_free
 * Like    LLVM SymbolizableObjectFile::getNameFromSymbolTable: of symbols with one address the largest,
 *         one without a size up to the next
 */
struct frames_symbols *frames_symbols_find(int fd, const uint64_t *addr, uint32_t n);

/* Do they come from .symtab? */
bool frames_symbols_is_full(const struct frames_symbols *s);

/*
 * The symbol of address i; NULL when there is none.
 *
 * file    set to the source file that it is local to, or NULL
 */
const char *frames_symbols_get(const struct frames_symbols *s, uint32_t i, const char **file);

/* Takes NULL. */
void frames_symbols_free(struct frames_symbols *s);

#endif
