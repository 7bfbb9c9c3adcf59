/*
 * check_profile.h - check the invariants of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_CHECK_PROFILE_H
#define TEST_CHECK_PROFILE_H

#include "profile/profile.h"

#include <inttypes.h>
#include <stddef.h>

/* Check that all columns exist. */
static int check_columns(const struct profile *p, struct err *err)
{
	/* clang-format off */
#define COLUMN(name) { #name, p->name }
	const struct {
		const char *name;
		const void *column;
	} columns[] = {
		COLUMN(type), COLUMN(stack), COLUMN(labels), COLUMN(value),
		COLUMN(stacks.off), COLUMN(stacks.packed), COLUMN(label_sets.off),
		COLUMN(label_sets.item), COLUMN(label_key), COLUMN(label_text),
		COLUMN(label_unit), COLUMN(label_num), COLUMN(label_is_text), COLUMN(loc_id),
		COLUMN(loc_addr), COLUMN(loc_map), COLUMN(loc_folded), COLUMN(loc_line),
		COLUMN(line_func), COLUMN(line_no), COLUMN(line_col), COLUMN(func_id),
		COLUMN(func_name), COLUMN(func_sysname), COLUMN(func_file), COLUMN(func_start),
		COLUMN(map), COLUMN(meta.comment),
	};
#undef COLUMN
	/* clang-format on */

	if (!p->mem || !p->str)
		return err_set(err, ERR_FORMAT, "the profile has no arena or no strings");
	if (p->n_types == 0)
		return err_set(err, ERR_FORMAT, "the profile has no sample types");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (!columns[i].column)
			return err_set(err, ERR_FORMAT, "column %s is missing", columns[i].name);
	return 0;
}

static int profile_check_values(const struct profile *p, struct err *err)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		if (!p->value[t])
			return err_set(err, ERR_FORMAT, "values of type %" PRIu32 " are missing", t);
	return 0;
}

static int check_strings(const struct profile *p, struct err *err)
{
	uint32_t n = strtab_count(p->str);

	if (n == 0 || strtab_len(p->str, 0) != 0)
		return err_set(err, ERR_FORMAT, "string 0 is not empty");
	for (str_id i = 0; i < n; i++)
		if (strtab_text(p->str, i)[strtab_len(p->str, i)] != 0)
			return err_set(err, ERR_FORMAT, "string %" PRIu32 " is not NUL-terminated", i);
	return 0;
}

/* Check that all n ids are below the limit. */
static int check_ids(const char *what, const uint32_t *id, uint32_t n, uint32_t limit, struct err *err)
{
	for (uint32_t i = 0; i < n; i++)
		if (id[i] >= limit)
			return err_set(err, ERR_FORMAT, "%s %" PRIu32 ": id %" PRIu32 " of %" PRIu32 " does not exist",
				       what, i, id[i], limit);
	return 0;
}

static int check_frames(const struct profile *p, struct err *err)
{
	for (uint32_t i = 0; i < p->stacks.off[p->stacks.n]; i++) {
		uint32_t loc = stack_id_at(&p->stacks, i);

		if (check_ids("frame", &loc, 1, p->n_locs, err) < 0)
			return err_set(err, ERR_FORMAT,
				       "frame %" PRIu32 ": id %" PRIu32 " of %" PRIu32 " does not exist", i, loc,
				       p->n_locs);
	}
	return 0;
}

static int check_offsets(const char *what, const uint32_t *off, uint32_t n, struct err *err)
{
	if (off[0] != 0)
		return err_set(err, ERR_FORMAT, "%s: offset 0 is %" PRIu32, what, off[0]);
	for (uint32_t i = 0; i < n; i++)
		if (off[i + 1] < off[i])
			return err_set(err, ERR_FORMAT, "%s: offset %" PRIu32 " is %" PRIu32 " after %" PRIu32, what,
				       i + 1, off[i + 1], off[i]);
	return 0;
}

static int check_rows(const struct profile *p, struct err *err)
{
	const struct csr *sets = &p->label_sets;
	int rc;

	if ((rc = check_offsets("stacks", p->stacks.off, p->stacks.n, err)) < 0 || (rc = check_frames(p, err)) < 0 ||
	    (rc = check_offsets("label sets", sets->off, sets->n, err)) < 0 ||
	    (rc = check_ids("label of set", sets->item, sets->off[sets->n], p->n_labels, err)) < 0 ||
	    (rc = check_ids("stack of row", p->stack, p->n_rows, p->stacks.n, err)) < 0 ||
	    (rc = check_ids("label set of row", p->labels, p->n_rows, sets->n, err)) < 0)
		return rc;
	if (sets->n == 0 || sets->off[1] != 0)
		return err_set(err, ERR_FORMAT, "label set 0 is not empty");
	return 0;
}

static int check_labels(const struct profile *p, uint32_t n_str, struct err *err)
{
	int rc;

	if ((rc = check_ids("key of label", p->label_key, p->n_labels, n_str, err)) < 0 ||
	    (rc = check_ids("text of label", p->label_text, p->n_labels, n_str, err)) < 0)
		return rc;
	return check_ids("unit of label", p->label_unit, p->n_labels, n_str, err);
}

static int check_locs(const struct profile *p, struct err *err)
{
	int rc = check_offsets("lines", p->loc_line, p->n_locs, err);

	if (rc < 0)
		return rc;
	if (p->loc_line[p->n_locs] != p->n_lines)
		return err_set(err, ERR_FORMAT, "locations have %" PRIu32 " lines, but the profile has %" PRIu32,
			       p->loc_line[p->n_locs], p->n_lines);
	for (uint32_t i = 0; i < p->n_locs; i++)
		if (p->loc_map[i] != PROFILE_NONE && p->loc_map[i] >= p->n_maps)
			return err_set(err, ERR_FORMAT,
				       "mapping of location %" PRIu32 ": id %" PRIu32 " of %" PRIu32 " does not exist",
				       i, p->loc_map[i], p->n_maps);
	return check_ids("function of line", p->line_func, p->n_lines, p->n_funcs, err);
}

static int check_funcs(const struct profile *p, uint32_t n_str, struct err *err)
{
	int rc;

	if ((rc = check_ids("name of function", p->func_name, p->n_funcs, n_str, err)) < 0 ||
	    (rc = check_ids("system name of function", p->func_sysname, p->n_funcs, n_str, err)) < 0)
		return rc;
	return check_ids("file of function", p->func_file, p->n_funcs, n_str, err);
}

static int check_maps(const struct profile *p, uint32_t n_str, struct err *err)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (p->map[i].file >= n_str || p->map[i].build_id >= n_str)
			return err_set(err, ERR_FORMAT,
				       "mapping %" PRIu32 ": string %" PRIu32 " or %" PRIu32 " of %" PRIu32
				       " does not exist",
				       i, p->map[i].file, p->map[i].build_id, n_str);
	return 0;
}

static int check_texts(const struct profile *p, uint32_t n_str, struct err *err)
{
	if (check_ids("file of source line", p->source_file, p->n_source_lines, n_str, err) < 0)
		return ERR_FORMAT;
	for (uint32_t i = 1; i < p->n_source_lines; i++)
		if (p->source_file[i] < p->source_file[i - 1] ||
		    (p->source_file[i] == p->source_file[i - 1] && p->source_line[i] <= p->source_line[i - 1]))
			return err_set(err, ERR_FORMAT, "source line %" PRIu32 " does not follow the one before it", i);
	return check_ids("source line", p->source_text, p->n_source_lines, n_str, err);
}

static int check_meta(const struct profile *p, uint32_t n_str, struct err *err)
{
	const struct profile_meta *m = &p->meta;
	const str_id text[] = {
		m->period_type.name, m->period_type.unit, m->default_type, m->drop_frames, m->keep_frames, m->doc_url,
	};

	for (uint32_t t = 0; t < p->n_types; t++)
		if (p->type[t].name >= n_str || p->type[t].unit >= n_str)
			return err_set(err, ERR_FORMAT,
				       "type %" PRIu32 ": string %" PRIu32 " or %" PRIu32 " of %" PRIu32
				       " does not exist",
				       t, p->type[t].name, p->type[t].unit, n_str);
	if (check_ids("comment", m->comment, m->n_comments, n_str, err) < 0)
		return ERR_FORMAT;
	return check_ids("header string", text, sizeof(text) / sizeof(text[0]), n_str, err);
}

/*
 * Check everything that later code relies on: columns exist, offsets ascend, ids are in range, label
 * set 0 is empty. Readers check their input themselves. Duplicate stacks are
 * allowed, since pruning may make stacks equal.
 *
 * Fails  ERR_FORMAT with the first violation
 */
static inline int profile_check(const struct profile *p, struct err *err)
{
	uint32_t n_str;

	if (check_columns(p, err) < 0 || profile_check_values(p, err) < 0 || check_strings(p, err) < 0)
		return ERR_FORMAT;
	n_str = strtab_count(p->str);
	if (check_rows(p, err) < 0 || check_labels(p, n_str, err) < 0 || check_locs(p, err) < 0 ||
	    check_funcs(p, n_str, err) < 0 || check_maps(p, n_str, err) < 0 || check_texts(p, n_str, err) < 0)
		return ERR_FORMAT;
	return check_meta(p, n_str, err);
}

#endif
