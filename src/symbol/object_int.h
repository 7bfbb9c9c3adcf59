/*
 * object_int.h - shared by the files that implement object.h
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_OBJECT_INT_H
#define SYMBOL_OBJECT_INT_H

#include "base/arena.h"
#include "symbol/object.h"
#include "symbol/object_file.h"

/* Sorted by address, then name. */
struct symbols {
	struct object_symbol *sym; /* [n] */
	size_t n;
	uint32_t *covering; /* [n_covering] symbols that llvm-symbolizer uses, one per address */
	size_t n_covering;
	bool has_symtab; /* are the symbols from a .symtab? */
};

/* The symbol at which the mapping of a kernel starts, if known. */
struct anchor {
	bool is_known;
	uint64_t value;
};

struct object {
	struct arena *mem;
	struct object_file file; /* elf is NULL when there are only symbols, as of the running kernel */
	GElf_Ehdr ehdr;
	GElf_Phdr *phdr; /* [n_phdr] */
	size_t n_phdr;
	const char *anchor_name; /* symbol that was looked up last; NULL for none yet */
	struct anchor anchor;

	bool symbols_read, debug_is_read; /* have the symbols of the file, and of the debug file, been read? */
	bool debug_searched, debug_is_self, alt_searched;
	struct symbols symbols;
	struct object_file mini; /* ELF file unpacked from .gnu_debugdata, with additional symbols */
	struct object_file debug, alt;
};

/* Make an object of an open file, and take ownership of the file. */
struct object *object_adopt(const struct object_file *f);

/*
 * Unpack the ELF file in .gnu_debugdata into memory. It contains the symbols that some systems add to stripped
 * programs. out->elf is NULL when there is none, or it is damaged or too large.
 */
void object_open_packed(const struct object_file *f, struct object_file *out);

/*
 * Copy the file to memory with those DWARF sections inflated that zstd compresses. Returns false, and out->elf is NULL,
 * when there are none, they are damaged, or have 4 GiB or more.
 */
bool object_file_inflate(const struct object_file *f, struct object_file *out);

/* Sort a list allocated with malloc, and let the arena own it. */
void symbols_finish(struct symbols *list, struct arena *mem);

#endif
