/*
 * merge_int.h - what the parts of merging share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For profile/merge.c and profile/merge_header.c alone.
 */
#ifndef PROFILE_MERGE_INT_H
#define PROFILE_MERGE_INT_H

#include "base/stop.h"
#include "profile/agree.h"
#include "profile/builder.h"
#include "profile/keys.h"
#include "profile/merge_ids.h"
#include "profile/profile.h"
#include "profile/texts.h"

#include <stddef.h>
#include <stdint.h>

struct merger {
	struct stop *stop;
	size_t n_added;   /* sources so far */
	char *first_name; /* of the first source of all */
	/* the result so far; b is NULL before the first source */
	struct builder *b;
	struct merge_ids ids;
	uint32_t *plain_row;    /* [cap_plain] of a stack without labels; PROFILE_NONE when there is none */
	struct keys labelled;   /* stack << 32 | label set, where there are labels */
	uint32_t *labelled_row; /* [labelled.n] */
	size_t cap_plain, cap_labelled;
	struct keys comments;       /* their texts */
	struct profile_texts texts; /* source lines of all sources */
	int64_t time_ns;            /* of what was added up to the last merger_pause */
	int64_t pausing_ns;         /* of what came since */
	bool pausing;               /* something came since */
	/* what is being added: the result as far as it matters to the agreement, then the sources */
	const struct profile **src; /* [n] */
	char **own_name;            /* [n] */
	size_t n;
	struct agree_how how;
	struct agreement agreed;
};

#endif
