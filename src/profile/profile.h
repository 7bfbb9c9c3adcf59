/*
 * profile.h - a profile: immutable columns, linked by ids
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile is sealed: it does not change after loading, so threads share it without locks. Data with
 * millions of entries is stored in columns, data with tens of entries in arrays of structs.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/strtab.h"
#include "profile/stack_lists.h"

#include <stdbool.h>
#include <stdint.h>

#define PROFILE_NONE UINT32_MAX /* an id that means no mapping or no function */

struct arena;
struct forest;
struct profile_sums;

struct value_type {
	str_id name, unit; /* "cpu", "nanoseconds" */
};

/* Lists in one array: list i is item[off[i] .. off[i + 1]). */
struct csr {
	uint32_t n;
	uint32_t *off;  /* [n + 1] */
	uint32_t *item; /* [off[n]] */
};

struct mapping {
	uint64_t id; /* id in the file */
	uint64_t start, limit, offset;
	str_id file, build_id;
	str_id kernel_symbol; /* symbol that start is relative to, when file does not name it; 0 for none */
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

/* The numeric label with the time of a sample in nanoseconds since the start of the recording. */
#define PROFILE_TIME_LABEL "time"

struct profile_meta {
	int64_t time_ns;     /* since 1970, 0 when unknown */
	int64_t duration_ns; /* 0 when unknown */
	int64_t period;
	struct value_type period_type;
	bool has_period_type;
	str_id default_type; /* name of a sample type, or "" */
	str_id drop_frames, keep_frames;
	str_id doc_url;
	uint32_t n_comments;
	str_id *comment; /* [n_comments] */
};

struct profile {
	struct arena *mem;  /* owns all arrays below */
	struct strtab *str; /* all strings */

	uint32_t n_types; /* T */
	struct value_type *type;

	uint32_t n_rows;          /* S: a row per sample of the file */
	uint32_t *stack, *labels; /* [S] ids into stacks and label_sets */
	int64_t **value;          /* [T][S] in type[t].unit; those of the base of a comparison are negated */

	struct stack_lists stacks; /* distinct, unless pruned (prune.h) or read with repeats_stacks (format.h) */
	struct profile_sums
		*sums; /* sums.h: of all frames of samples, whose stacks have only the leaf; NULL: there are none */
	struct csr label_sets; /* label ids in file order; set 0 is empty */
	const struct forest
		*forest; /* forest.h: the callers of samples, whose stacks have only the leaf; NULL: there is none */

	uint32_t n_labels;
	str_id *label_key, *label_text, *label_unit; /* [n_labels] */
	int64_t *label_num;                          /* [n_labels] */
	bool *label_is_text;                         /* [n_labels] the value is a text, not a number with a unit */

	uint32_t n_locs;
	uint64_t *loc_id;   /* [n_locs] id in the file */
	uint64_t *loc_addr; /* [n_locs] */
	uint32_t *loc_map;  /* [n_locs] mapping or PROFILE_NONE */
	bool *loc_folded;   /* [n_locs] several symbols share this address */
	uint32_t *loc_line; /* [n_locs + 1] lines of location i: loc_line[i] .. loc_line[i + 1] */

	uint32_t n_lines;            /* lines of all locations, innermost inlined call first in each */
	uint32_t *line_func;         /* [n_lines] */
	int64_t *line_no, *line_col; /* [n_lines] 0 when unknown */

	uint32_t n_funcs;
	uint64_t *func_id;                            /* [n_funcs] id in the file */
	str_id *func_name, *func_sysname, *func_file; /* [n_funcs] */
	int64_t *func_start;                          /* [n_funcs] first line, 0 when unknown */
	uint32_t n_label_funcs; /* the last functions are label values, made by engine/filter_frames.c */

	/* source lines of a bundle (source.h), sorted by file id, then line, without duplicates */
	uint32_t n_source_lines;
	str_id *source_file, *source_text; /* [n_source_lines] */
	int64_t *source_line;              /* [n_source_lines] */

	uint32_t n_maps;
	struct mapping *map; /* [n_maps] the first one is the program */

	struct profile_meta meta;

	uint64_t content_hash; /* hash of the uncompressed input file, to detect copies; 0 for none */

	/* NULL, or the profile that owns str and the columns that mem does not own; it must outlive this one */
	const struct profile *owner;
};

/* Free a profile. Takes NULL. */
void profile_free(struct profile *p);

/* The text of a string of the profile; borrowed. */
const char *profile_text(const struct profile *p, str_id id);

/* Is it the name of a mapping of memory without a file, where programs put generated code? The names are those of Linux. */
bool profile_is_memory(const char *mapping, size_t n);

/* Are all values of a row 0? */
static inline bool profile_row_is_zero(const struct profile *p, uint32_t row)
{
	int64_t any = 0;

	for (uint32_t t = 0; t < p->n_types; t++)
		any |= p->value[t][row];
	return any == 0;
}

bool profile_has_zero_row(const struct profile *p);

/* Does a location have a function with a name? */
bool profile_has_name(const struct profile *p, uint32_t loc);

#endif
