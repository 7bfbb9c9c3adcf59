/*
 * merge_ids.h - map ids of a source profile to ids of the merged profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used by profile/merge.c and by the dictionaries of a store, so that both have one definition of equal entries:
 *	mapping   size rounded to pages, offset, build id or else file
 *	function  name, system name, file, start line
 *	location  mapping, address minus the start of the mapping, lines, folded
 *	labels    sorted: texts before numbers, then by key; values of one key in their order
 */
#ifndef PROFILE_MERGE_IDS_H
#define PROFILE_MERGE_IDS_H

#include "base/err.h"
#include "profile/builder.h"
#include "profile/keys.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends entries to the result. Each function fails with ERR_LIMIT. */
struct merge_target {
	void *arg;
	struct strtab *str;
	int (*mapping)(void *arg, const struct mapping *m, uint32_t *id, struct err *err);
	int (*function)(void *arg, const struct builder_function *f, uint32_t *id, struct err *err);
	int (*location)(void *arg, const struct builder_location *l, const struct builder_line *lines, size_t n,
			uint32_t *id, struct err *err);
	/* these two return the id of an equal entry if there is one */
	int (*label)(void *arg, const struct builder_label *l, uint32_t *id, struct err *err);
	int (*label_set)(void *arg, const uint32_t *labels, size_t n, uint32_t *id, struct err *err);
};

/* The entries of a result, by content. Their ids count from 0, as those of the target. */
struct merge_known {
	struct merge_target to;
	struct keys maps;    /* rounded size, offset, build id or file */
	struct keys funcs;   /* name and system name, file, start line */
	struct keys locs;    /* address, mapping and folded, then function, line, column of each line */
	uint64_t *map_start; /* [maps.n] */
	size_t cap_maps;
	bool is_relative; /* addresses count from the start of their mapping */
};

/* Initialize for an empty target. */
void merge_known_init(struct merge_known *k, const struct merge_target *to, bool is_relative);
void merge_known_init_builder(struct merge_known *k, struct builder *b);
void merge_known_release(struct merge_known *k);

/*
 * Register an entry that the target has already, in the order of ids. False if there is an equal one.
 *
 * lines  [n]
 */
bool merge_known_mapping(struct merge_known *k, const struct mapping *m);
bool merge_known_function(struct merge_known *k, const struct builder_function *f);
bool merge_known_location(struct merge_known *k, const struct builder_location *l, const struct builder_line *lines,
			  size_t n);

struct merge_ids {
	struct merge_known *known;
	/* the current source, and its ids in the result; PROFILE_NONE for entries not translated yet */
	const struct profile *src;
	bool src_is_relative; /* addresses of the source count from the start of their mapping */
	uint32_t *str, *map, *func, *loc, *stack, *label, *set;
	/* buffers for the location, stack or label set being translated */
	uint64_t *word;
	struct builder_line *line;
	uint32_t *list;
	size_t cap_words, cap_lines, cap_list;
};

/* Initialize without a source. New entries are appended to the target of known, which is borrowed. */
void merge_ids_init(struct merge_ids *m, struct merge_known *known);
void merge_ids_release(struct merge_ids *m);

/*
 * Set the current source, borrowed until the next call.
 *
 * is_relative  the addresses of the source count from the start of their mapping
 */
void merge_ids_set_source(struct merge_ids *m, const struct profile *src, bool is_relative);

/* Translate a string of any profile, not only of the current source. */
str_id merge_ids_text(struct merge_ids *m, const struct profile *p, str_id id);

/* Translate a mapping or a location of the current source. These and the functions below fail with ERR_LIMIT. */
int merge_ids_mapping(struct merge_ids *m, uint32_t map, uint32_t *id, struct err *err);
int merge_ids_location(struct merge_ids *m, uint32_t loc, uint32_t *id, struct err *err);

/* Translate the locations of a stack of the current source to m->list[*at ...] and add their number to *at. */
int merge_ids_frames(struct merge_ids *m, uint32_t stack, size_t *at, struct err *err);

/*
 * Translate stacks of the current source into m->stack, appending new entries in their order.
 *
 * b      the target of m
 * stack  [n_stacks] at most MERGE_STACKS
 */
enum { MERGE_STACKS = 32 };
int merge_ids_stacks(struct merge_ids *m, struct builder *b, const uint32_t *stack, size_t n_stacks, struct err *err);

/* Translate a label set of the current source. */
int merge_ids_labels(struct merge_ids *m, uint32_t set, uint32_t *id, struct err *err);

#endif
