/*
 * object_int.h - what the files behind object.h share
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
	uint32_t *covering; /* [n_covering] those that llvm-symbolizer knows, one for an address */
	size_t n_covering;
	bool full; /* from a .symtab */
};

/* The symbol that the mapping of a kernel starts at, as far as it is known. */
struct anchor {
	bool known;
	uint64_t value;
};

struct object {
	struct arena *mem;
	struct object_file file; /* elf is NULL when only symbols are known, as of the running kernel */
	GElf_Ehdr ehdr;
	GElf_Phdr *phdr; /* [n_phdr] */
	size_t n_phdr;
	const char *anchor_name; /* asked for last; NULL for none yet */
	struct anchor anchor;

	bool symbols_read, debug_is_read; /* for symbols */
	bool debug_sought, debug_is_self, alt_sought;
	struct symbols symbols;
	struct object_file mini; /* what .gnu_debugdata holds: more symbols */
	struct object_file debug, alt;
};

/* An object of a file that is open already, which then is the object's. */
struct object *object_adopt(const struct object_file *f);

/*
 * Unpack the ELF file in .gnu_debugdata into memory: symbols that some systems put into stripped programs. out->elf is
 * NULL when there is none that is sound and of a sane size.
 */
void object_open_packed(const struct object_file *f, struct object_file *out);

/* Sort a list from malloc, which the arena then owns. */
void symbols_end(struct symbols *list, struct arena *mem);

#endif
