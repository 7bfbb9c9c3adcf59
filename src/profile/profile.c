/*
 * profile.c - free a profile, and access its lists
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/profile.h"

#include "base/str.h"

#include "base/arena.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>

void profile_free(struct profile *p)
{
	if (!p)
		return;
	arena_free(p->mem);
	if (!p->owner)
		strtab_free(p->str);
	free(p);
}

const char *profile_text(const struct profile *p, str_id id)
{
	return strtab_text(p->str, id);
}

bool profile_is_memory(const char *mapping, size_t n)
{
	static const char *const names[] = { "[anon",   "[heap]",    "[stack", "//anon",
					     "/memfd:", "/dev/zero", "/SYSV",  "/anon_hugepage" };

	for (size_t i = 0; n && i < sizeof(names) / sizeof(names[0]); i++)
		if (starts_with_n(mapping, n, names[i]))
			return true;
	return n == 0;
}

bool profile_has_name(const struct profile *p, uint32_t loc)
{
	for (uint32_t i = p->loc_line[loc]; i < p->loc_line[loc + 1]; i++) {
		uint32_t func = p->line_func[i];

		if (p->func_name[func] || p->func_sysname[func])
			return true;
	}
	return false;
}

/* The first of the lists [first, end) that starts at item number items or later; end if there is none. */
static uint32_t csr_find(const struct csr *lists, uint32_t first, uint32_t end, uint64_t items)
{
	assert(first <= end && end <= lists->n);
	return first + (uint32_t)lower_bound_u32(lists->off + first, end - first, items);
}

uint32_t csr_part(const struct csr *lists, unsigned part, unsigned parts)
{
	assert(parts > 0 && part <= parts);
	if (part == parts)
		return lists->n;
	return csr_find(lists, 0, lists->n, (uint64_t)lists->off[lists->n] * part / parts);
}
