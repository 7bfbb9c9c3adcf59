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
	strtab_free(p->str);
	free(p);
}

const char *profile_text(const struct profile *p, str_id id)
{
	return strtab_text(p->str, id);
}
