/*
 * merge_sums.c - merge the sums of profiles that have these instead of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/merge_sums.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Append a location with n slots. */
static void merge_sums_append(struct merge_sums *s, size_t n)
{
	s->slot = mem_grow(s->slot, &s->cap_slot, (size_t)s->n_locs + 1, sizeof(*s->slot));
	s->several = mem_grow(s->several, &s->cap_several, (size_t)s->n_locs + 1, sizeof(*s->several));
	s->cum = mem_grow(s->cum, &s->cap_cum, s->n_slots + n, sizeof(*s->cum));
	s->flat = mem_grow(s->flat, &s->cap_flat, ((size_t)s->n_locs + 2) * s->n_types, sizeof(*s->flat));
	memset(s->flat + ((size_t)s->n_locs + 1) * s->n_types, 0, s->n_types * sizeof(*s->flat));
	s->is_whole = mem_grow(s->is_whole, &s->cap_whole, (size_t)s->n_locs + 1, sizeof(*s->is_whole));
	s->is_whole[s->n_locs] = true;
	s->slot[s->n_locs] = (uint32_t)s->n_slots;
	s->several[s->n_locs++] = 0;
	memset(s->cum + s->n_slots, 0, n * sizeof(*s->cum));
	s->n_slots += n;
}

/* Add the values of a leaf to those of number to. Returns true if one overflows. */
static bool merge_sums_add_leaf(struct merge_sums *s, const struct profile *p, uint32_t leaf, size_t to)
{
	bool overflows = false;

	for (uint32_t t = 0; p->sums->flat && t < s->n_types; t++)
		overflows |= num_add(&s->flat[to * s->n_types + t], p->sums->flat[(size_t)leaf * s->n_types + t]);
	return overflows;
}

static int merge_sums_add_location(struct merge_sums *s, struct merge_ids *ids, uint32_t loc, struct err *err)
{
	const struct profile *p = ids->src;
	const int64_t *cum = p->sums->cum + profile_sums_slot(p, loc);
	size_t n = (size_t)p->loc_line[loc + 1] - p->loc_line[loc] + 1;
	uint32_t id = ids->loc[loc];
	bool overflows;

	if (id == PROFILE_NONE && merge_ids_location(ids, loc, &id, err) < 0)
		return ERR_LIMIT;
	assert(id <= s->n_locs);
	if (id == s->n_locs)
		merge_sums_append(s, n);
	s->is_whole[id] &= p->sums->is_whole[loc];
	overflows = num_add(&s->several[id], p->sums->several[loc]);
	overflows |= merge_sums_add_leaf(s, p, loc, (size_t)id + 1);
	for (size_t k = 0; k < n; k++)
		overflows |= num_add(&s->cum[s->slot[id] + k], cum[k]);
	return overflows ? err_set(err, ERR_RANGE, "a sum overflows 64 bits") : 0;
}

int merge_sums_add(struct merge_sums *s, struct merge_ids *ids, struct err *err)
{
	const struct profile_sums *from = ids->src->sums;
	int rc = 0;

	if (!s->flat) {
		s->type = from->type;
		s->n_types = ids->src->n_types;
		s->flat = mem_grow(NULL, &s->cap_flat, s->n_types, sizeof(*s->flat));
		memset(s->flat, 0, s->n_types * sizeof(*s->flat));
	}
	if (s->type != from->type || profile_sums_slots(ids->src) + s->n_slots > UINT32_MAX)
		return err_set(err, ERR_FORMAT, "sums of different sample types, or too many");
	for (uint32_t i = 0; rc == 0 && i < from->n_locs; i++)
		rc = merge_sums_add_location(s, ids, from->loc[i], err);
	if (rc == 0 && merge_sums_add_leaf(s, ids->src, ids->src->n_locs, 0))
		return err_set(err, ERR_RANGE, "a sum overflows 64 bits");
	return rc;
}

void merge_sums_rows(struct merge_sums *s, struct builder *b)
{
	struct err err;

	for (uint32_t leaf = 0; s->flat && leaf <= s->n_locs; leaf++) {
		const int64_t *value = s->flat + (size_t)leaf * s->n_types;
		uint32_t loc = leaf - 1;
		int64_t any = 0;

		for (uint32_t t = 0; t < s->n_types; t++)
			any |= value[t];
		s->lacks_rows |= any && builder_sample(b, value, &loc, leaf > 0, NULL, 0, &err) < 0;
	}
}

struct profile_sums *merge_sums_seal(struct merge_sums *s, struct arena *mem)
{
	struct profile_sums *out;

	if (s->n_locs == 0)
		return NULL;
	out = arena_alloc(mem, 1, sizeof(*out));
	*out = (struct profile_sums){ .type = s->type,
				      .n_locs = s->n_locs,
				      .loc = arena_alloc(mem, s->n_locs, sizeof(*out->loc)),
				      .cum = arena_own(mem, s->cum),
				      .several = arena_own(mem, s->several),
				      .is_whole = arena_own(mem, s->is_whole),
				      .lacks_stacks = s->lacks_rows };
	for (uint32_t i = 0; i < s->n_locs; i++)
		out->loc[i] = i;
	s->cum = s->several = NULL;
	s->is_whole = NULL;
	return out;
}

void merge_sums_release(struct merge_sums *s)
{
	free(s->slot);
	free(s->cum);
	free(s->flat);
	free(s->several);
	free(s->is_whole);
	*s = (struct merge_sums){ 0 };
}
