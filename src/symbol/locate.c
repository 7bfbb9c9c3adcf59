/*
 * locate.c - find the binaries of a profile on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/locate.h"

#include "base/str.h"
#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/kernel.h"
#include "symbol/object_int.h"
#include "symbol/vdso.h"
#include "symbol/where.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_FILES_MAX = 1000 };

/* A search of the file of a mapping, to name the mapping after it. */
struct mapping_search {
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

/* Name the mapping after this file if it fits. */
static bool name_file(const struct mapping_search *s, const char *path)
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

static bool name_file_in(const struct mapping_search *s, const char *folder)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, no_dots, by_bytes);
	bool found = false;

	for (int i = 0; i < n; i++) {
		if (!found && i < FOLDER_FILES_MAX)
			found = name_file(s, where_join(s->mem, folder, entry[i]->d_name, "", ""));
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

static bool name_by_build_id(const struct mapping_search *s, const char *root)
{
	const char *id = s->build_id, *folder;

	if (*id == '\0' || strchr(id, '/') || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
		return false;
	folder = where_join(s->mem, root, id, "", "");
	if (name_file(s, where_join(s->mem, folder, s->base, "", "")) || name_file_in(s, folder) ||
	    name_file(s, where_join(s->mem, root, s->file, id, "")))
		return true;
	return strlen(id) >= 2 &&
	       name_file(s, where_join(s->mem, root, arena_strndup(s->mem, id, 2), with_ending(s->mem, id + 2), ""));
}

static bool name_by_path(const struct mapping_search *s, const char *root)
{
	const char *debug = *s->base ? with_ending(s->mem, s->base) : "";

	if (*s->file == '\0')
		return false;
	return name_file(s, where_join(s->mem, root, s->base, "", "")) ||
	       name_file(s, where_join(s->mem, root, s->file, "", "")) ||
	       name_file(s, where_join(s->mem, root, with_ending(s->mem, s->file), "", "")) ||
	       name_file(s, where_join(s->mem, root, s->dir, ".debug", debug)) ||
	       name_file(s, where_join(s->mem, where_join(s->mem, root, "usr/lib/debug", "", ""), s->dir, debug, ""));
}

static void name_mapping(struct mapping_search *s, const char *path)
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
		if (name_by_build_id(s, root) || name_by_path(s, root))
			return;
	}
}

void locate_mappings(struct profile *p, const struct symbol_where *w, struct buf *notes)
{
	for (uint32_t i = 0; *w->binary_path && i < p->n_maps; i++) {
		struct mapping_search s = { .p = p, .m = &p->map[i], .mem = arena_new(), .notes = notes };

		name_mapping(&s, w->binary_path);
		arena_free(s.mem);
	}
}

/* A search of the binary of a mapping, to open it. */
struct object_search {
	struct debugfile d;
	struct object_map map;
	const char *file;
	bool must_match;  /* the build id must match, since the file was deleted */
	struct err first; /* of the first place tried */
};

static void note(struct object_search *s, const char *place, const char *what)
{
	debugfile_note(s->d.tried, place, what);
}

static bool fail(struct object_search *s, const char *path, int code, const char *what)
{
	note(s, path, what);
	if (s->first.code == 0)
		err_set(&s->first, code, "%s", what);
	return false;
}

/* Open a file unless it cannot be read, or does not belong to the mapping. */
static bool try_path(struct object_search *s, const char *path, struct object **out)
{
	struct object *o;
	const char *id = s->d.build_id, *its;
	struct err err;

	if (object_open(path, &o, &err) < 0)
		return fail(s, path, err.code, err.msg);
	its = object_build_id(o);
	if (object_fits(o, &s->map, &err) < 0)
		fail(s, path, err.code, err.msg);
	else if (*id && strcmp(id, its) != 0 && (*its || s->must_match))
		fail(s, path, ERR_FORMAT, "build ID mismatch");
	else if (s->must_match && *id == '\0')
		fail(s, path, ERR_FORMAT,
		     "the file was deleted, and without a build ID nobody can say what this one is");
	else {
		note(s, path, "taken");
		*out = o;
		return true;
	}
	object_close(o);
	return false;
}

/* Try the path below symfs, then the path itself. */
static bool try_places(struct object_search *s, const char *file, struct object **out)
{
	const char *symfs = s->d.w->symfs;

	if (*symfs && try_path(s, where_join(s->d.mem, symfs, file, "", ""), out))
		return true;
	return try_path(s, file, out);
}

/* PATH of /proc/PID/root/PATH; NULL for other paths. */
static const char *in_root(const char *file)
{
	static const char proc[] = "/proc/", root[] = "/root/";
	const char *at = file + sizeof(proc) - 1;

	if (!starts_with(file, proc) || !isdigit((unsigned char)*at))
		return NULL;
	at += strspn(at, "0123456789");
	return starts_with(at, root) ? at + sizeof(root) - 2 : NULL;
}

static bool try_file(struct object_search *s, struct object **out)
{
	static const char deleted[] = " (deleted)";
	const char *file = s->file, *inner;
	size_t n = strlen(file), end = sizeof(deleted) - 1;

	if (n > end && strcmp(file + n - end, deleted) == 0) {
		file = arena_strndup(s->d.mem, file, n - end);
		s->must_match = true;
	}
	inner = in_root(file);
	return try_places(s, file, out) || (inner && try_places(s, inner, out));
}

/* The kernel and the vDSO have no file of their name. */
static bool try_system(struct object_search *s, struct object **out)
{
	struct err err;
	int rc;

	if (vdso_is_name(s->file))
		rc = vdso_open(s->d.build_id, out, &err);
	else
		rc = kernel_open(s->file, s->d.build_id, s->d.w, s->d.tried, out, &err);
	return rc == 0 || fail(s, s->file, err.code, err.msg);
}

static bool try_build_id(struct object_search *s, struct object **out)
{
	struct object_file f = { .fd = -1 };

	if (!debugfile_by_id(&s->d, "", &f) && !debugfile_by_id(&s->d, ".debug", &f) &&
	    !debuginfod_open(s->d.w, DEBUGINFOD_PROGRAM, s->d.build_id, s->file, s->d.tried, &f))
		return false;
	*out = object_adopt(&f);
	return true;
}

int locate_object(const struct profile *p, const struct mapping *m, const struct symbol_where *w, struct buf *tried,
		  struct object **out, struct err *err)
{
	struct object_search s = {
		.d = { .mem = arena_new(), .w = w, .build_id = profile_text(p, m->build_id), .tried = tried },
		.map = locate_map(p, m),
		.file = profile_text(p, m->file)
	};
	bool found;

	assert(w && out);
	if (vdso_is_name(s.file) || kernel_is_name(s.file))
		found = try_system(&s, out);
	else
		found = try_file(&s, out) || try_build_id(&s, out);
	if (!found)
		err_set(err, s.first.code, "Local symbolization failed for %s%s%s%s: %s", where_base(s.d.mem, s.file),
			*s.d.build_id ? " (build ID " : "", s.d.build_id, *s.d.build_id ? ")" : "", s.first.msg);
	arena_free(s.d.mem);
	return found ? 0 : err ? err->code : s.first.code;
}
