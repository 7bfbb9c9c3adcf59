/*
 * object.h - a program or library: its build id, symbols and load address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An object address is an address in the file, as printed by nm: the address in the process minus the base, which is
 * computed from the mapping.
 */
#ifndef SYMBOL_OBJECT_H
#define SYMBOL_OBJECT_H

#include "base/buf.h"
#include "base/err.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object;

/* The range of a process's memory where the object is mapped, from a mapping of the profile. */
struct object_map {
	uint64_t start, limit, offset;
	const char *kernel_symbol; /* the symbol that start is relative to; "" for none */
};

struct object_symbol {
	const char *name; /* name, not demangled; valid as long as the object */
	const char *file; /* source file of a local symbol, without its folder; "" if unknown */
	uint64_t addr, size;
	bool is_data;     /* is it data for nm, which counts weak functions as data? */
	bool is_covering; /* would llvm-symbolizer use its name? */
	uint32_t place;   /* index of the symbol in the file */
};

/*
 * Open an ELF file.
 *
 * out     closed with object_close
 * Fails   ERR_IO, ERR_FORMAT, naming the path. Hostile files cannot make it crash or run long.
 * Like    pprof internal/binutils Open
 */
int object_open(const char *path, struct object **out, struct err *err);

/* Takes NULL. */
void object_close(struct object *o);

const char *object_path(const struct object *o);

/* Lower-case hexadecimal, "" for none. */
const char *object_build_id(const struct object *o);

/* A descriptor from which libelf and libdw can read; owned by the object. -1 for the running kernel, which has symbols
   only. */
int object_fd(const struct object *o);

/* Is an address in [start, limit)? An empty mapping, made up by a reader, contains every address. */
bool object_map_contains(const struct object_map *map, uint64_t address);

/*
 * The base of a mapping of the object: object address = address - base.
 *
 * address  an address in the mapping that is to be looked up
 * Fails    ERR_RANGE
 * Like     pprof internal/elfexec GetBase and internal/binutils computeBase
 */
int object_base(struct object *o, const struct object_map *map, uint64_t address, uint64_t *base, struct err *err);

/*
 * Check that a base can be computed for the mapping, without an address. pprof does this when it opens a file.
 *
 * Fails    ERR_RANGE, with the text of pprof around ours
 */
int object_check_map(struct object *o, const struct object_map *map, struct err *err);

/* All symbols that have an address, sorted by address, then by name: from .symtab, else from the debug file if
   object_debug has found one, else from .dynsym and .gnu_debugdata. Valid as long as the object. */
size_t object_symbols(struct object *o, const struct object_symbol **out);

/* Does the file have packed symbols (.gnu_debugdata)? */
bool object_has_packed_symbols(const struct object *o);

/* Find the symbol that covers an object address; its name takes precedence over that of DWARF. A symbol without a size
   extends to the next one. Like llvm-symbolizer, getNameFromSymbolTable. */
bool object_symbol_covering(struct object *o, uint64_t addr, struct object_symbol *out);

/*
 * Find the file with the DWARF of the object: the object itself, a file in the usual places (also below symfs) by build
 * id or .gnu_debuglink, or one from debuginfod, if enabled.
 *
 * tried   a line is appended per path, with the reason for rejecting it; may be NULL
 * Returns a descriptor owned by the object, and its path in *path; -1 for none
 */
int object_debug(struct object *o, const struct symbol_options *w, struct buf *tried, const char **path);

/* The supplementary file (DWZ, .gnu_debugaltlink) of the DWARF that object_debug returned; -1 for none. */
int object_debug_alt(struct object *o, const struct symbol_options *w, struct buf *tried);

#endif
