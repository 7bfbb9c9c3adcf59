/*
 * profile.c - free a profile, and access its texts and stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/profile.h"

#include "base/str.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

bool profile_has_zero_row(const struct profile *p)
{
	for (uint32_t row = 0; row < p->n_rows; row++)
		if (profile_row_is_zero(p, row))
			return true;
	return false;
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

uint32_t *profile_equal_stacks(const struct stack_lists *s)
{
	uint32_t *first = mem_alloc(s->n, sizeof(*first)), id;
	struct idtab ids;

	idtab_init(&ids, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		const uint8_t *at = stack_address(s, s->off[i]);
		size_t n = (size_t)(s->off[i + 1] - s->off[i]) * s->width;
		uint64_t h = hash_bytes(at, n);

		first[i] = i;
		for (size_t pos = idtab_start(&ids, h); first[i] == i && idtab_next(&ids, h, &pos, &id);)
			if (s->off[id + 1] - s->off[id] == s->off[i + 1] - s->off[i] &&
			    memcmp(stack_address(s, s->off[id]), at, n) == 0)
				first[i] = id;
		if (first[i] == i)
			idtab_put(&ids, h, i);
	}
	idtab_release(&ids);
	return first;
}

uint32_t profile_stack_part(const struct stack_lists *s, unsigned part, unsigned parts)
{
	assert(parts > 0 && part <= parts);
	if (part == parts)
		return s->n;
	return (uint32_t)lower_bound_u32(s->off, s->n, (uint64_t)s->off[s->n] * part / parts);
}
