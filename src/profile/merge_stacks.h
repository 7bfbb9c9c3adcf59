/*
 * merge_stacks.h - find the equal stacks of profiles that are merged at once, with several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Part of the merger (merge.c). A stack of one of the profiles is read twice, to compute its hash and to write it to the result,
 * and once more where its hash occurred before. The result is that of a merger that looks up one stack after the other.
 */
#ifndef PROFILE_MERGE_STACKS_H
#define PROFILE_MERGE_STACKS_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/builder.h"
#include "profile/common_types.h"
#include "profile/merge_ids.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_stacks;

/*
 * Translate the locations of n profiles that samples with values have, in the order of their first use, and find equal stacks.
 *
 * src    [n] borrowed
 * types  of these profiles
 * known  the entries of the result, borrowed
 * out    freed by the caller
 * Fails  ERR_LIMIT, ERR_STOPPED
 */
int merge_stacks_find(const struct profile *const *src, size_t n, const struct common_types *types,
		      struct merge_known *known, struct stop *stop, struct merge_stacks **out, struct err *err);
void merge_stacks_free(struct merge_stacks *s); /* takes NULL */

/* Move the ids of a profile, with all its locations, to ids. Once for each profile. */
void merge_stacks_take_ids(struct merge_stacks *s, size_t profile, struct merge_ids *ids);

/* The number of a stack in the result. Stacks are numbered in the order of these calls. */
uint32_t merge_stacks_number(struct merge_stacks *s, size_t profile, uint32_t stack);

/* The number of stacks numbered so far. */
uint32_t merge_stacks_count(const struct merge_stacks *s);

/*
 * Store the numbered stacks in the result, whose rows have these numbers. Rows whose values are all 0, and what no other row
 * uses, are removed as profile_compact does.
 *
 * p      has no stacks; its other entries are those of known
 * frees  the memory of the sources' stacks is given back while they are copied, so that they are undefined afterwards
 * Fails  ERR_LIMIT; then p may only be freed
 */
int merge_stacks_store(struct merge_stacks *s, struct profile *p, bool frees, struct err *err);

#endif
