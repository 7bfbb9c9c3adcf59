/*
 * merge_ids.h - map ids of a source profile to ids of the merged profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This header is only for profile/merge.c.
 */
#ifndef PROFILE_MERGE_IDS_H
#define PROFILE_MERGE_IDS_H

#include "base/err.h"
#include "profile/builder.h"
#include "profile/keys.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct merge_ids {
	struct builder *b;
	/* entries of the builder, by content */
	struct keys maps;    /* rounded size, offset, build id or file */
	struct keys funcs;   /* name and system name, file, start line */
	struct keys locs;    /* address, mapping and folded, then function, line, column of each line */
	uint64_t *map_start; /* [maps.n] */
	size_t cap_maps;
	/* the current source, and its ids in the result; PROFILE_NONE for entries not translated yet */
	const struct profile *src;
	uint32_t *str, *map, *func, *loc, *stack, *label, *set;
	/* buffers for the location, stack or label set being translated */
	uint64_t *word;
	struct builder_line *line;
	uint32_t *list;
	size_t cap_words, cap_lines, cap_list;
};

/* Initialize without a source. New entries are appended to b, which is borrowed. */
void merge_ids_init(struct merge_ids *m, struct builder *b);
void merge_ids_release(struct merge_ids *m);

/*
 * Set the current source, borrowed until the next call. If the result has no mapping yet, the first
 * mapping of the source becomes its first.
 *
 * Fails   ERR_LIMIT, like all functions below
 */
int merge_ids_set_source(struct merge_ids *m, const struct profile *src, struct err *err);

/* Translate a string of any profile, not only of the current source. */
str_id merge_ids_text(struct merge_ids *m, const struct profile *p, str_id id);

/*
 * Translate stacks of the current source into m->stack, appending new entries in their order.
 *
 * stack  [n_stacks] at most MERGE_STACKS
 */
enum { MERGE_STACKS = 32 };
int merge_ids_stacks(struct merge_ids *m, const uint32_t *stack, size_t n_stacks, struct err *err);

/* Translate a label set of the current source. */
int merge_ids_labels(struct merge_ids *m, uint32_t set, uint32_t *id, struct err *err);

#endif
