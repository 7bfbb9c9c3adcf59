/*
 * locate_mappings.c - the binaries of a profile in the folders of PPROF_BINARY_PATH
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/locate.h"

#include "base/str.h"
#include "symbol/where_path.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_FILES_MAX = 1000 };

/* A mapping that looks for its file. */
struct seeker {
	struct profile *p;
	struct mapping *m;
	struct arena *mem;
	struct buf *notes;
	const char *file, *base, *dir, *build_id; /* of the mapping; "" for none */
	struct object_map map;
};

struct object_map locate_map(const struct profile *p, const struct mapping *m)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const char *file = profile_text(p, m->file), *symbol = profile_text(p, m->kernel_symbol);

	if (*symbol == '\0' && starts_with(file, kernel))
		symbol = file + sizeof(kernel) - 1;
	return (struct object_map){
		.start = m->start, .limit = m->limit, .offset = m->offset, .kernel_symbol = symbol
	};
}

/* True when the search of the mapping ends with this file. */
static bool try_file(const struct seeker *s, const char *path)
{
	struct object *o = NULL;
	struct err err;
	bool fits, same;

	if (object_open(path, &o, &err) < 0)
		return false;
	fits = object_fits(o, &s->map, &err) == 0;
	same = *s->build_id == '\0' || strcmp(s->build_id, object_build_id(o)) == 0;
	if (fits && !same)
		buf_addf(s->notes, "Ignoring local file %s: build-id mismatch (%s != %s)\n", path, s->build_id,
			 object_build_id(o));
	object_close(o);
	if (fits && same) {
		s->m->kernel_symbol = strtab_addz(s->p->str, s->map.kernel_symbol);
		s->m->file = strtab_addz(s->p->str, path);
	}
	return fits && same;
}

static int no_dots(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool try_folder(const struct seeker *s, const char *folder)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, no_dots, by_bytes);
	bool found = false;

	for (int i = 0; i < n; i++) {
		if (!found && i < FOLDER_FILES_MAX)
			found = try_file(s, where_join(s->mem, folder, entry[i]->d_name, "", ""));
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return found;
}

static const char *with_ending(struct arena *mem, const char *name)
{
	struct buf b = { 0 };
	const char *out;

	buf_addf(&b, "%s.debug", name);
	out = arena_strndup(mem, b.data, b.len);
	buf_release(&b);
	return out;
}

static bool try_build_id(const struct seeker *s, const char *root)
{
	const char *id = s->build_id, *folder;

	if (*id == '\0' || strchr(id, '/') || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
		return false;
	folder = where_join(s->mem, root, id, "", "");
	if (try_file(s, where_join(s->mem, folder, s->base, "", "")) || try_folder(s, folder) ||
	    try_file(s, where_join(s->mem, root, s->file, id, "")))
		return true;
	return strlen(id) >= 2 &&
	       try_file(s, where_join(s->mem, root, arena_strndup(s->mem, id, 2), with_ending(s->mem, id + 2), ""));
}

static bool try_name(const struct seeker *s, const char *root)
{
	const char *debug = *s->base ? with_ending(s->mem, s->base) : "";

	if (*s->file == '\0')
		return false;
	return try_file(s, where_join(s->mem, root, s->base, "", "")) ||
	       try_file(s, where_join(s->mem, root, s->file, "", "")) ||
	       try_file(s, where_join(s->mem, root, with_ending(s->mem, s->file), "", "")) ||
	       try_file(s, where_join(s->mem, root, s->dir, ".debug", debug)) ||
	       try_file(s, where_join(s->mem, where_join(s->mem, root, "usr/lib/debug", "", ""), s->dir, debug, ""));
}

static void seek(struct seeker *s, const char *path)
{
	const char *root;

	s->file = profile_text(s->p, s->m->file);
	s->build_id = profile_text(s->p, s->m->build_id);
	s->base = *s->file ? where_base(s->mem, s->file) : "";
	s->dir = *s->file ? where_dir(s->mem, s->file) : "";
	s->map = locate_map(s->p, s->m);
	while ((root = where_part(s->mem, &path))) {
		struct stat st;

		if (*root && stat(root, &st) != 0) /* spares a dozen questions for each mapping */
			continue;
		if (try_build_id(s, root) || try_name(s, root))
			return;
	}
}

void locate_mappings(struct profile *p, const struct symbol_where *w, struct buf *notes)
{
	for (uint32_t i = 0; *w->binary_path && i < p->n_maps; i++) {
		struct seeker s = { .p = p, .m = &p->map[i], .mem = arena_new(), .notes = notes };

		seek(&s, w->binary_path);
		arena_free(s.mem);
	}
}
