/*
 * elffile.h - the symbols of an ELF file, and where it is in memory
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_ELFFILE_H
#define LIBCPAPROF_COLLECTOR_ELFFILE_H

#include "libcpaprof/collector/maps.h"

#include <elf.h>
#include <stdbool.h>

enum { ELFFILE_SEGMENTS_MAX = 64 };

/* Begins as zeros. What is in the tables is hostile still. */
struct elffile {
	Elf64_Sym *symbols; /* [n_symbols] of .symtab, else of .dynsym */
	char *texts;        /* [n_texts] and a NUL */
	size_t n_symbols, n_texts;
	size_t symbols_size, texts_size; /* as mapped */
	Elf64_Phdr segment[ELFFILE_SEGMENTS_MAX];
	uint32_t n_segments;
};

/*
 * Read the file of a mapping; the vdso is read from the memory of its process.
 *
 * Gives   false when it is none, has no symbols, or another build id than what was mapped
 */
bool elffile_read(struct elffile *f, pid_t pid, const struct maps *maps, const struct map *m);

/* The address in the file of one in memory. False when no segment has it. */
bool elffile_address(const struct elffile *f, const struct map *m, uint64_t addr, uint64_t *out);

void elffile_release(struct elffile *f);

#endif
