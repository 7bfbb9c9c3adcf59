/*
 * elffile.h - the symbols of an ELF file, and the mapping from memory addresses to its addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_READ_ELFFILE_H
#define LIBCPAPROF_COLLECTOR_READ_ELFFILE_H

#include "libcpaprof/collector/read/maps.h"

#include <elf.h>
#include <stdbool.h>

enum { ELFFILE_SEGMENTS_MAX = 64 };

/* Zero-initialised. The contents of the tables are not validated. */
struct elffile {
	Elf64_Sym *symbols; /* [n_symbols] symbols of .symtab, else of .dynsym */
	char *texts;        /* [n_texts] and a NUL */
	size_t n_symbols, n_texts;
	size_t symbols_size, texts_size; /* sizes of the mappings */
	Elf64_Phdr segment[ELFFILE_SEGMENTS_MAX];
	uint32_t n_segments;
};

/*
 * Read the file of a mapping; the vDSO is read from the memory of its process.
 *
 * Returns false if it is not an ELF file, has no symbols, or its build id differs from that of the mapping
 */
bool elffile_read(struct elffile *f, pid_t pid, const struct maps *maps, const struct map *m);

/* Convert a memory address to an address of the file. Returns false if no segment contains it. */
bool elffile_address(const struct elffile *f, const struct map *m, uint64_t addr, uint64_t *out);

void elffile_release(struct elffile *f);

#endif
