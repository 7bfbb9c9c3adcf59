/*
 * same_profile.h - compare all columns of two profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_SAME_PROFILE_H
#define TESTS_UNIT_SAME_PROFILE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

#define SAME(column, n)                                                                                                \
	if ((n) && memcmp(a->column, b->column, (n) * sizeof(*a->column)) != 0)                                        \
		return #column;
#define SAME_NUMBER(field)                                                                                             \
	if (a->field != b->field)                                                                                      \
		return #field;

static inline const char *lists_difference(const struct csr *a, const struct csr *b)
{
	SAME_NUMBER(n)
	SAME(off, a->n + 1)
	SAME(item, a->off[a->n])
	return NULL;
}

static inline const char *stacks_difference(const struct stack_lists *a, const struct stack_lists *b)
{
	SAME_NUMBER(n)
	SAME_NUMBER(width)
	SAME(off, a->n + 1)
	if (memcmp(a->packed, b->packed, (size_t)a->off[a->n] * a->width) != 0)
		return "packed";
	return NULL;
}

static inline const char *strings_difference(const struct strtab *a, const struct strtab *b)
{
	if (strtab_count(a) != strtab_count(b))
		return "number of strings";
	for (str_id i = 0; i < strtab_count(a); i++)
		if (strtab_len(a, i) != strtab_len(b, i) ||
		    memcmp(strtab_text(a, i), strtab_text(b, i), strtab_len(a, i)) != 0)
			return "string";
	return NULL;
}

static inline const char *tables_difference(const struct profile *a, const struct profile *b)
{
	SAME_NUMBER(n_locs)
	SAME(loc_id, a->n_locs)
	SAME(loc_addr, a->n_locs)
	SAME(loc_map, a->n_locs)
	SAME(loc_folded, a->n_locs)
	SAME(loc_line, a->n_locs + 1)
	SAME_NUMBER(n_lines)
	SAME(line_func, a->n_lines)
	SAME(line_no, a->n_lines)
	SAME(line_col, a->n_lines)
	SAME_NUMBER(n_funcs)
	SAME(func_id, a->n_funcs)
	SAME(func_name, a->n_funcs)
	SAME(func_sysname, a->n_funcs)
	SAME(func_file, a->n_funcs)
	SAME(func_start, a->n_funcs)
	SAME_NUMBER(n_maps)
	for (uint32_t i = 0; i < a->n_maps; i++)
		if (a->map[i].id != b->map[i].id || a->map[i].start != b->map[i].start ||
		    a->map[i].file != b->map[i].file)
			return "map";
	SAME_NUMBER(n_source_lines)
	SAME(source_file, a->n_source_lines)
	SAME(source_text, a->n_source_lines)
	SAME(source_line, a->n_source_lines)
	SAME_NUMBER(meta.time_ns)
	SAME_NUMBER(meta.duration_ns)
	SAME_NUMBER(meta.period)
	SAME_NUMBER(meta.has_period_type)
	SAME_NUMBER(meta.period_type.name)
	SAME_NUMBER(meta.period_type.unit)
	SAME_NUMBER(meta.default_type)
	SAME_NUMBER(meta.drop_frames)
	SAME_NUMBER(meta.keep_frames)
	SAME_NUMBER(meta.doc_url)
	SAME_NUMBER(meta.n_comments)
	SAME(meta.comment, a->meta.n_comments)
	return NULL;
}

/* The name of a column in which two profiles differ; NULL if they are the same. content_hash is not compared. */
static inline const char *profile_difference(const struct profile *a, const struct profile *b)
{
	const char *name;

	SAME_NUMBER(n_types)
	SAME(type, a->n_types)
	SAME_NUMBER(n_rows)
	SAME(stack, a->n_rows)
	SAME(labels, a->n_rows)
	for (uint32_t t = 0; t < a->n_types; t++)
		SAME(value[t], a->n_rows)
	SAME_NUMBER(n_labels)
	SAME(label_key, a->n_labels)
	SAME(label_text, a->n_labels)
	SAME(label_unit, a->n_labels)
	SAME(label_num, a->n_labels)
	SAME(label_is_text, a->n_labels)
	if ((name = stacks_difference(&a->stacks, &b->stacks)) ||
	    (name = lists_difference(&a->label_sets, &b->label_sets)) || (name = strings_difference(a->str, b->str)))
		return name;
	return tables_difference(a, b);
}

#undef SAME
#undef SAME_NUMBER

#endif
