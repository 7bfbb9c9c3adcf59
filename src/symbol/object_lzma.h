/*
 * object_lzma.h - the symbols that some systems put into stripped programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJECT_LZMA_H
#define SYMBOL_OBJECT_LZMA_H

#include "symbol/object_file.h"

/* Unpack the ELF file in .gnu_debugdata into memory. out->elf stays NULL where there is none that is
   sound and of a sane size. */
void object_lzma_open(const struct object_file *f, struct object_file *out);

/* Unpack a file of xz into memory; -1 when it is none, or too large. */
int object_lzma_unpack(const uint8_t *data, size_t n, const char *name);

#endif
