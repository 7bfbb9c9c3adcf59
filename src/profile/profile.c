/*
 * profile.c - free a profile, and access its texts and stacks
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

uint32_t profile_stack_part(const struct stack_lists *s, unsigned part, unsigned parts)
{
	assert(parts > 0 && part <= parts);
	if (part == parts)
		return s->n;
	return (uint32_t)lower_bound_u32(s->off, s->n, (uint64_t)s->off[s->n] * part / parts);
}
