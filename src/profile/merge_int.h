/*
 * merge_int.h - the parts of merge.c and merge_header.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_MERGE_INT_H
#define PROFILE_MERGE_INT_H

#include "base/stop.h"
#include "profile/builder.h"
#include "profile/common_types.h"
#include "profile/keys.h"
#include "profile/merge_ids.h"
#include "profile/merge_stacks.h"
#include "profile/merge_sums.h"
#include "profile/profile.h"
#include "profile/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merger {
	struct stop *stop;
	size_t n_added;   /* number of sources added */
	char *first_name; /* name of the first source added */
	/* the current result; b is NULL before the first source */
	struct builder *b;
	struct merge_known known;
	struct merge_ids ids;
	struct merge_sums sums;
	struct profile *const
		*used_up; /* [n] if at_once: the sources, if their samples may be freed; NULL: they may not */
	bool at_once;     /* the first merger_add is the only one, and its sources remain until the result is sealed */
	struct merge_stacks *stacks; /* if at_once: of these sources; NULL: stacks are in b */
	uint32_t *plain_row;         /* [cap_plain] row of a stack without labels, or PROFILE_NONE */
	struct keys labelled;        /* stack << 32 | label set of rows with labels */
	uint32_t *labelled_row;      /* [labelled.n] */
	size_t cap_plain, cap_labelled;
	struct keys comments;               /* string ids of the comments */
	struct profile_source source_lines; /* source lines of all sources */
	int64_t time_ns;                    /* earliest time of the sources before the last merger_end_group */
	int64_t new_time_ns;                /* earliest time of the sources since merger_end_group */
	bool has_new_time;                  /* was a source added since merger_end_group? */
	/* the sources of the current merger_add; the first is the result if there is one */
	const struct profile **src; /* [n] */
	char **own_name;            /* [n] */
	size_t n;
	struct common_types_options options;
	struct common_types types;
};

/* Set types, period type and drop_frames of an empty result from the common types. */
void merge_header_init(struct merger *m);

/*
 * Add periods, times, comments and so on of the sources from src[first], where first is 1 when source 0 is the result,
 * else 0.
 *
 * Fails   ERR_RANGE when a sum overflows int64_t; ERR_LIMIT
 */
int merge_header_add(struct merger *m, size_t first, struct err *err);

/* Combine the time of the current group with that of the groups before it. */
void merge_header_end_group(struct merger *m);

#endif
