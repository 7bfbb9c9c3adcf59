/*
 * profile.c - the life of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/profile.h"

#include "base/arena.h"

#include <stdlib.h>

void profile_free(struct profile *p)
{
	if (!p)
		return;
	arena_free(p->mem);
	if (!p->lender)
		strtab_free(p->str);
	free(p);
}

const char *profile_text(const struct profile *p, str_id id)
{
	return strtab_text(p->str, id);
}

uint32_t csr_part(const struct csr *lists, unsigned part, unsigned parts)
{
	uint64_t items = (uint64_t)lists->off[lists->n] * part / parts;
	uint32_t lo = 0, hi = lists->n;

	if (part == parts)
		return lists->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (lists->off[mid] < items)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
