/*
 * profile.h - a profile: const columns, ids between them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile is sealed: after loading nobody changes it, and threads share it without locks. What
 * there are millions of is a column; what there are tens of is an array of structs.
 */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include "base/strtab.h"

#include <stdbool.h>
#include <stdint.h>

enum side { SIDE_TARGET, SIDE_BASE, N_SIDES };

#define PROFILE_NONE UINT32_MAX /* no mapping, no function */

struct arena;

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
	uint64_t id; /* as in the file */
	uint64_t start, limit, offset;
	str_id file, build_id;
	str_id kernel_symbol; /* what start is relative to, where file no longer tells; 0 for none */
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct profile_meta {
	int64_t time_ns;     /* since 1970, 0 when unknown */
	int64_t duration_ns; /* 0 when unknown */
	int64_t period;
	struct value_type period_type;
	bool has_period_type;
	str_id default_type; /* name of a value type, or "" */
	str_id drop_frames, keep_frames;
	str_id doc_url;
	uint32_t n_comments;
	str_id *comment; /* [n_comments] */
};

struct profile {
	struct arena *mem;  /* owns every array below */
	struct strtab *str; /* every str_id */

	uint32_t n_types; /* T */
	struct value_type *type;

	uint32_t n_rows;          /* S: one row per sample of the file */
	uint32_t *stack, *labels; /* [S] ids into stacks and label_sets */
	int64_t **value[N_SIDES]; /* [side][T][S] in type[t].unit; value[SIDE_BASE] NULL without a base */

	struct csr stacks;     /* location ids, leaf first; equal ones share an id, but for some cut by prune.h */
	struct csr label_sets; /* label ids in file order; set 0 is empty */

	uint32_t n_labels;
	str_id *label_key, *label_text, *label_unit; /* [n_labels] */
	int64_t *label_num;                          /* [n_labels] */
	bool *label_is_text;                         /* [n_labels] text counts, else number and unit */

	uint32_t n_locs;
	uint64_t *loc_id;   /* [n_locs] as in the file */
	uint64_t *loc_addr; /* [n_locs] */
	uint32_t *loc_map;  /* [n_locs] mapping or PROFILE_NONE */
	bool *loc_folded;   /* [n_locs] several symbols share this address */
	uint32_t *loc_line; /* [n_locs + 1] lines of location i: loc_line[i] .. loc_line[i + 1] */

	uint32_t n_lines;            /* of a location: innermost inlined call first, the function itself last */
	uint32_t *line_func;         /* [n_lines] */
	int64_t *line_no, *line_col; /* [n_lines] 0 when unknown */

	uint32_t n_funcs;
	uint64_t *func_id;                            /* [n_funcs] as in the file */
	str_id *func_name, *func_sysname, *func_file; /* [n_funcs] */
	int64_t *func_start;                          /* [n_funcs] first line, 0 when unknown */
	uint32_t n_label_funcs; /* the last so many are values of labels, named by engine/filter_frames.c */

	/* source lines that a bundle carries (texts.h), sorted by id of the file, then line, each once */
	uint32_t n_texts;
	str_id *text_file, *text; /* [n_texts] */
	int64_t *text_line;       /* [n_texts] */

	uint32_t n_maps;
	struct mapping *map; /* [n_maps] the first one is the program */

	struct profile_meta meta;

	/* NULL; else its strings, and what columns mem does not own, are those of this one, which lives longer */
	const struct profile *lender;
};

/* Free a profile. Takes NULL. */
void profile_free(struct profile *p);

/* The first of the lists first .. end that has at least so many items before it; end when none has. */
uint32_t csr_find(const struct csr *lists, uint32_t first, uint32_t end, uint64_t items);

/* Where part p of parts of the lists begins, so that each part has about as many items; with part equal
   to parts, where the last one ends. */
uint32_t csr_part(const struct csr *lists, unsigned part, unsigned parts);

/* The text of a string of the profile; borrowed. */
const char *profile_text(const struct profile *p, str_id id);

#endif
