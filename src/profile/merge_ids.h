/*
 * merge_ids.h - ids of a source profile to ids of the merged one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For profile/merge.c alone.
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
	/* what the builder holds so far, by content */
	struct keys maps;    /* rounded size, offset, build id or file */
	struct keys funcs;   /* name and system name, file, start line */
	struct keys locs;    /* address, mapping and folded, then function, line, column of each line */
	uint64_t *map_start; /* [maps.n] */
	size_t cap_maps;
	/* the source at hand; PROFILE_NONE stands for what no row has used yet */
	const struct profile *src;
	uint32_t *str, *map, *func, *loc, *stack, *label, *set;
	/* one location, stack or label set being translated */
	uint64_t *word;
	struct builder_line *line;
	uint32_t *list;
	size_t cap_words, cap_lines, cap_list;
};

/* Nothing translated yet; what is met is appended to b, which is borrowed. */
void merge_ids_init(struct merge_ids *m, struct builder *b);
void merge_ids_release(struct merge_ids *m);

/*
 * Go on with this profile, borrowed until the next. Its first mapping becomes the first of all
 * when there is none yet.
 *
 * Fails   ERR_LIMIT, as do all below
 */
int merge_ids_source(struct merge_ids *m, const struct profile *src, struct err *err);

/* A string of a profile, not only of the source at hand. */
str_id merge_ids_text(struct merge_ids *m, const struct profile *p, str_id id);

/*
 * Translate stacks of the source at hand, appending what is new in their order; afterwards
 * m->stack has them.
 *
 * stack  [n_stacks] at most MERGE_STACKS
 */
enum { MERGE_STACKS = 32 };
int merge_ids_stacks(struct merge_ids *m, const uint32_t *stack, size_t n_stacks, struct err *err);

/* The id of a label set of the source at hand. */
int merge_ids_labels(struct merge_ids *m, uint32_t set, uint32_t *id, struct err *err);

#endif
