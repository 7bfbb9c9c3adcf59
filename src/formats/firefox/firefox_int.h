/*
 * firefox_int.h - the tables of a processed profile of the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_FIREFOX_FIREFOX_INT_H
#define FORMATS_FIREFOX_FIREFOX_INT_H

#include "formats/common/named_frames.h"
#include "formats/common/stack_tree.h"
#include "formats/json/jsonr.h"
#include "profile/builder.h"

/* A column of a table; null is FIREFOX_NULL. Freed with free(v). */
struct firefox_column {
	int64_t *v;
	size_t n, cap;
};

#define FIREFOX_NULL INT64_MIN

enum { FIREFOX_COLUMNS_MAX = 5 };

/* The columns of a table that are read; after the last one is one without a name. */
struct firefox_table {
	size_t at; /* position of what was read last; 0: nothing */
	const char *name[FIREFOX_COLUMNS_MAX + 1];
	struct firefox_column column[FIREFOX_COLUMNS_MAX];
};

struct firefox_strings {
	size_t at; /* as above */
	str_id *id;
	size_t n, cap;
};

/* Positions of tables in the file; 0: none. */
struct firefox_positions {
	size_t strings, sources, funcs, frames, stacks, resources;
};

/* Tables that are read: the stacks of a thread, or of all. */
struct firefox_tables {
	struct builder *b;
	struct named_frames *names;
	struct jsonr *r;
	struct err *err;

	uint32_t *lib_map; /* [n_libs] mapping + 1 */
	size_t n_libs, cap_libs;

	struct firefox_strings strings;
	struct firefox_table sources, resources, funcs, frames, prefixes;
	struct firefox_positions at; /* of the tables from which stacks is */
	struct stack_tree stacks;
};

/* b, r and err must be set before. */
void firefox_tables_init(struct firefox_tables *t);
void firefox_tables_release(struct firefox_tables *t);

/* Read a column of numbers, each multiplied by a factor. */
void firefox_read_column(struct jsonr *r, int64_t factor, struct firefox_column *c);

/* An entry of a column; FIREFOX_NULL past its end. */
static inline int64_t firefox_at(const struct firefox_column *c, size_t i)
{
	return i < c->n ? c->v[i] : FIREFOX_NULL;
}

/* Read the list of libraries, as mappings. */
void firefox_read_libs(struct firefox_tables *t);

/* Read the stacks of these tables into t->stacks, unless they are there already. */
void firefox_read_tables(struct firefox_tables *t, const struct firefox_positions *at);

#endif
