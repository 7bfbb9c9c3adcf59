/*
 * merge_sums.h - merge the sums of profiles that have these instead of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PROFILE_MERGE_SUMS_H
#define PROFILE_MERGE_SUMS_H

#include "base/arena.h"
#include "base/err.h"
#include "profile/merge_ids.h"
#include "profile/sums.h"

#include <stddef.h>
#include <stdint.h>

/* The sums of a result, by its locations so far. */
struct merge_sums {
	uint32_t type;
	uint32_t n_locs;  /* 0: no sums were added */
	size_t n_slots;   /* of these locations */
	uint32_t *slot;   /* [n_locs] first slot of a location */
	int64_t *cum;     /* [n_slots] */
	uint32_t n_types; /* of each source */
	int64_t *flat;    /* [n_locs + 1][n_types] by leaf; the first are those of stacks without frames */
	int64_t *several; /* [n_locs] */
	bool *is_whole;   /* [n_locs] */
	bool lacks_rows;  /* there are too many */
	size_t cap_slot, cap_cum, cap_flat, cap_several, cap_whole;
};

/*
 * Translate the locations of the sums of the current source, in their order, and add the sums. No other function may have
 * translated locations to this result.
 *
 * Fails   ERR_FORMAT if the sums have another sample type; ERR_RANGE, ERR_LIMIT
 */
int merge_sums_add(struct merge_sums *s, struct merge_ids *ids, struct err *err);

/* Append a row for each leaf, before the result is sealed. */
void merge_sums_rows(struct merge_sums *s, struct builder *b);

/* The sums of the finished result, after merge_sums_rows; NULL if none were added. Owned by the arena. s may only be released. */
struct profile_sums *merge_sums_seal(struct merge_sums *s, struct arena *mem);
void merge_sums_release(struct merge_sums *s);

#endif
