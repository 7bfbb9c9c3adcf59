/*
 * edit.c - last changes by the loader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/edit.h"

#include "base/arena.h"

#include <string.h>

void profile_set_binary(struct profile *p, const char *file)
{
	if (p->n_maps)
		p->map[0].file = strtab_addz(p->str, file);
}

void profile_set_build_id(struct profile *p, const char *build_id)
{
	if (p->n_maps && p->map[0].build_id == 0)
		p->map[0].build_id = strtab_addz(p->str, build_id);
}

void profile_add_comment(struct profile *p, const char *text)
{
	struct profile_meta *m = &p->meta;
	str_id *longer = arena_alloc(p->mem, (size_t)m->n_comments + 1, sizeof(*longer));

	if (m->n_comments)
		memcpy(longer, m->comment, m->n_comments * sizeof(*longer));
	longer[m->n_comments++] = strtab_addz(p->str, text);
	m->comment = longer;
}

void profile_keep_all_frames(struct profile *p)
{
	p->meta.drop_frames = p->meta.keep_frames = 0;
}
