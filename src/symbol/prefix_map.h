/*
 * prefix_map.h - source file names before compilers mapped their prefixes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * clang -grecord-command-line writes -ffile-prefix-map=OLD=NEW and its kin into DW_AT_producer.
 */
#ifndef SYMBOL_PREFIX_MAP_H
#define SYMBOL_PREFIX_MAP_H

#include "base/arena.h"
#include "symbol/object.h"
#include "symbol/where.h"

#include <stddef.h>

enum { PREFIX_MAP_MAX = 16 };

/* Texts live in mem. */
struct prefix_map {
	struct arena *mem;
	size_t n;
	struct prefix_pair {
		const char *old_name, *new_name;
	} pair[PREFIX_MAP_MAX]; /* different ones; more are left out */
};

/* Add what a command line says, as clang spells it: a backslash in front of blanks and backslashes. */
void prefix_map_add(struct prefix_map *m, const char *producer);

/* Add what the DWARF of an object says; nothing when it has none. Looks at a bounded number of units. */
void prefix_map_read(struct prefix_map *m, struct object *o, const struct symbol_where *w);

/* The name before pair i was applied, in m->mem; NULL when the pair did not make it. */
const char *prefix_map_undo(const struct prefix_map *m, size_t i, const char *file);

#endif
