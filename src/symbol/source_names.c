/*
 * source_names.c - from the name that reports have for a source file back to that of the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/source_names.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strtab.h"

#include <stdlib.h>
#include <string.h>

struct source_names {
	const struct profile *p;
	struct strtab *known; /* name i has id i + 1 */
	str_id *file;         /* [names] of the profile's strings */
	size_t cap;
	uint32_t *map; /* [strings of the profile] a mapping + 1, 0 for none; NULL until needed */
};

/* The first file that has a name keeps it. */
static void learn(struct source_names *s, const char *name, size_t n, str_id file)
{
	uint32_t known = strtab_count(s->known), id = strtab_add(s->known, name, n);

	if (id < known)
		return;
	s->file = mem_grow(s->file, &s->cap, id, sizeof(*s->file));
	s->file[id - 1] = file;
}

static void learn_clean(struct source_names *s, const char *name, str_id file)
{
	struct buf clean = { 0 };

	path_add_clean(&clean, name);
	learn(s, buf_text(&clean), clean.len, file);
	buf_release(&clean);
}

struct source_names *source_names_new(const struct profile *p, const struct symbol_where *w)
{
	struct source_names *s = mem_zalloc(1, sizeof(*s));
	uint8_t *seen = mem_zalloc(strtab_count(p->str), 1);

	s->p = p;
	s->known = strtab_new();
	for (uint32_t f = 0; f < p->n_funcs; f++)
		learn(s, profile_text(p, p->func_file[f]), strtab_len(p->str, p->func_file[f]), p->func_file[f]);
	for (uint32_t f = 0; f < p->n_funcs; f++) {
		str_id file = p->func_file[f];

		if (seen[file])
			continue;
		seen[file] = 1;
		learn_clean(s, profile_text(p, file), file);
		learn_clean(s, path_trimmed(profile_text(p, file), w->trim_path, w->source_path), file);
	}
	free(seen);
	return s;
}

void source_names_free(struct source_names *s)
{
	if (!s)
		return;
	strtab_free(s->known);
	free(s->file);
	free(s->map);
	free(s);
}

static str_id find(const struct source_names *s, const char *file)
{
	str_id id;

	return strtab_find(s->known, file, strlen(file), &id) && id ? s->file[id - 1] : 0;
}

const char *source_names_find(const struct source_names *s, const char *file)
{
	str_id id = find(s, file);

	return id ? profile_text(s->p, id) : NULL;
}

/* Find a binary for each file. */
static void find_maps(struct source_names *s)
{
	const struct profile *p = s->p;

	s->map = mem_zalloc(strtab_count(p->str), sizeof(*s->map));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t map = p->loc_map[loc];

		if (map == PROFILE_NONE)
			continue;
		for (uint32_t line = p->loc_line[loc]; line < p->loc_line[loc + 1]; line++) {
			str_id file = p->func_file[p->line_func[line]];

			if (!s->map[file] || (!p->map[s->map[file] - 1].build_id && p->map[map].build_id))
				s->map[file] = map + 1;
		}
	}
}

const struct mapping *source_names_map(struct source_names *s, const char *file)
{
	str_id id = find(s, file);

	if (!id)
		return NULL;
	if (!s->map)
		find_maps(s);
	return s->map[id] ? &s->p->map[s->map[id] - 1] : NULL;
}

const char *source_names_build_id(struct source_names *s, const char *file)
{
	const struct mapping *m = source_names_map(s, file);

	return m ? profile_text(s->p, m->build_id) : "";
}
