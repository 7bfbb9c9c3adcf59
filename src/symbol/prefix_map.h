/*
 * prefix_map.h - undo the prefix maps of compilers in source file names; build directories
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * clang -grecord-command-line writes -ffile-prefix-map=OLD=NEW and similar options to DW_AT_producer.
 */
#ifndef SYMBOL_PREFIX_MAP_H
#define SYMBOL_PREFIX_MAP_H

#include "base/arena.h"
#include "symbol/object.h"
#include "symbol/options.h"

#include <stddef.h>

enum { PREFIX_MAP_MAX = 16 };

/* Texts are in mem. */
struct prefix_map {
	struct arena *mem;
	size_t n;
	struct prefix_pair {
		const char *old_name, *new_name;
	} pair[PREFIX_MAP_MAX]; /* distinct; pairs beyond the limit are ignored */
	size_t n_folders;
	const char *folder[PREFIX_MAP_MAX]; /* distinct directories in which compilers ran; more are ignored */
};

/* Add the maps of a command line as written by clang: with a backslash before blanks and backslashes. */
void prefix_map_add(struct prefix_map *m, const char *producer);

/* Add the maps and the build directories in the DWARF of an object, if it has any. Reads a bounded number of units. */
void prefix_map_read(struct prefix_map *m, struct object *o, const struct symbol_options *w);

/* The name before pair i was applied, in m->mem; NULL when the pair does not apply. */
const char *prefix_map_undo(const struct prefix_map *m, size_t i, const char *file);

#endif
