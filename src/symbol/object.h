/*
 * object.h - a program or library: its build id, its symbols, where it was loaded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An object address is one of the file, as nm prints it: address - base, where the address is the
 * one in the process and the base follows from the mapping.
 */
#ifndef SYMBOL_OBJECT_H
#define SYMBOL_OBJECT_H

#include "base/buf.h"
#include "base/err.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

/* The part of a process's memory that shows the object, as mappings of profiles tell it. */
struct object_map {
	uint64_t start, limit, offset;
	const char *kernel_symbol; /* the one that the start is relative to; "" for none */
};

struct object_symbol {
	const char *name; /* as in the file; lives as long as the object */
	const char *file; /* the source file of a local one, without its folder; "" when unknown */
	uint64_t addr, size;
	bool is_data;   /* to nm, which takes weak functions for data */
	bool covers;    /* llvm-symbolizer would take its name */
	uint32_t place; /* in the file */
};

/*
 * Open an ELF file.
 *
 * out     closed with object_close
 * Fails   ERR_IO, ERR_FORMAT, naming the path; no input makes it crash or take long
 * Like    pprof internal/binutils Open
 */
int object_open(const char *path, struct object **out, struct err *err);

/* Takes NULL. */
void object_close(struct object *o);

const char *object_path(const struct object *o);

/* In lower-case hexadecimal, "" without one. */
const char *object_build_id(const struct object *o);

/* Where its bytes are: a descriptor for libelf and libdw to read from; stays the object's. -1 for
   the running kernel, which has symbols only. */
int object_fd(const struct object *o);

/*
 * The base of a mapping of the object: object address = address - base.
 *
 * address  one in [start, limit) that is to be looked up
 * Fails    ERR_RANGE
 * Like     pprof internal/elfexec GetBase and internal/binutils computeBase
 */
int object_base(struct object *o, const struct object_map *map, uint64_t address, uint64_t *base, struct err *err);

/*
 * Can a base of the mapping be told at all? What pprof asks when it opens a file; no address is
 * looked at.
 *
 * Fails    ERR_RANGE, with the words of pprof around ours
 */
int object_fits(struct object *o, const struct object_map *map, struct err *err);

/* All symbols that have an address, sorted by it, then by name: of .symtab, else of the debug file
   if object_debug has found one, else of .dynsym and .gnu_debugdata. Lives as long as the object. */
size_t object_symbols(struct object *o, const struct object_symbol **out);

/* Are there symbols in .gnu_debugdata, which nobody else unpacks? */
bool object_has_packed_symbols(const struct object *o);

/* The symbol that an object address belongs to; false when there is none.
   Like pprof internal/binutils addr2liner_nm: data symbols must cover it, functions need not. */
bool object_symbol_at(struct object *o, uint64_t addr, struct object_symbol *out);

/* The symbol that covers an object address, with a name that DWARF's should give way to. One without
   a size covers all up to the next. Like llvm-symbolizer, getNameFromSymbolTable. */
bool object_symbol_covering(struct object *o, uint64_t addr, struct object_symbol *out);

/*
 * The file that holds the DWARF of the object: itself; what its build id or .gnu_debuglink names in
 * the usual places (below symfs too); what debuginfod gives, if it may be asked.
 *
 * tried   NULL, or a line is appended for each place, with what was wrong with it
 * Gives   a descriptor that stays the object's, and its path in *path; -1 when there is none
 */
int object_debug(struct object *o, const struct symbol_where *w, struct buf *tried, const char **path);

/* The supplementary file (DWZ, .gnu_debugaltlink) of the DWARF that object_debug gave; -1 for none. */
int object_debug_alt(struct object *o, const struct symbol_where *w, struct buf *tried);

#endif
