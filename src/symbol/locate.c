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
#include "symbol/options.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDER_FILES_MAX = 1000 };

/* A search that sets the file name of a mapping. */
struct mapping_search {
	struct profile *p;
	struct mapping *m;
	struct arena *mem;
	struct buf *notes;
	const char *file, *base, *dir, *build_id; /* properties of the mapping; "" for none */
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

/* Set the mapping's file to path if the binary there matches the mapping. */
static bool set_file(const struct mapping_search *s, const char *path)
{
	struct object *o = NULL;
	struct err err;
	bool fits, same;

	if (object_open(path, &o, &err) < 0)
		return false;
	fits = object_check_map(o, &s->map, &err) == 0;
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

static int is_not_dot(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool set_file_in(const struct mapping_search *s, const char *folder)
{
	struct dirent **entry;
	int n = scandir(folder, &entry, is_not_dot, by_bytes);
	bool found = false;

	for (int i = 0; i < n; i++) {
		if (!found && i < FOLDER_FILES_MAX)
			found = set_file(s, symbol_path_join(s->mem, folder, entry[i]->d_name, "", ""));
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return found;
}

static bool set_by_build_id(const struct mapping_search *s, const char *root)
{
	const char *id = s->build_id, *folder;

	if (*id == '\0' || strchr(id, '/') || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
		return false;
	folder = symbol_path_join(s->mem, root, id, "", "");
	if (set_file(s, symbol_path_join(s->mem, folder, s->base, "", "")) || set_file_in(s, folder) ||
	    set_file(s, symbol_path_join(s->mem, root, s->file, id, "")))
		return true;
	return strlen(id) >= 2 && set_file(s, symbol_path_join(s->mem, root, arena_strndup(s->mem, id, 2),
							       arena_printf(s->mem, "%s.debug", id + 2), ""));
}

static bool set_by_path(const struct mapping_search *s, const char *root)
{
	const char *debug = *s->base ? arena_printf(s->mem, "%s.debug", s->base) : "";

	if (*s->file == '\0')
		return false;
	return set_file(s, symbol_path_join(s->mem, root, s->base, "", "")) ||
	       set_file(s, symbol_path_join(s->mem, root, s->file, "", "")) ||
	       set_file(s, symbol_path_join(s->mem, root, arena_printf(s->mem, "%s.debug", s->file), "", "")) ||
	       set_file(s, symbol_path_join(s->mem, root, s->dir, ".debug", debug)) ||
	       set_file(s, symbol_path_join(s->mem, symbol_path_join(s->mem, root, "usr/lib/debug", "", ""), s->dir,
					    debug, ""));
}

static void name_mapping(struct mapping_search *s, const char *path)
{
	const char *root;

	s->file = profile_text(s->p, s->m->file);
	s->build_id = profile_text(s->p, s->m->build_id);
	s->base = *s->file ? symbol_path_last_name(s->mem, s->file) : "";
	s->dir = *s->file ? symbol_path_dir(s->mem, s->file) : "";
	s->map = locate_map(s->p, s->m);
	while ((root = symbol_path_list_next(s->mem, &path))) {
		struct stat st;

		if (*root && stat(root, &st) != 0) /* saves a dozen system calls per mapping */
			continue;
		if (set_by_build_id(s, root) || set_by_path(s, root))
			return;
	}
}

void locate_mappings(struct profile *p, const struct symbol_options *w, struct buf *notes)
{
	for (uint32_t i = 0; *w->binary_path && i < p->n_maps; i++) {
		struct mapping_search s = { .p = p, .m = &p->map[i], .mem = arena_new(), .notes = notes };

		name_mapping(&s, w->binary_path);
		arena_free(s.mem);
	}
}

/* A search that opens the binary of a mapping. */
struct object_search {
	struct debugfile_search d;
	struct object_map map;
	const char *file;
	bool must_match;  /* is a matching build id required, since the file was deleted? */
	struct err first; /* error for the first path tried */
};

static void locate_note(struct object_search *s, const char *place, const char *what)
{
	debugfile_note(s->d.tried, place, what);
}

static bool locate_fail(struct object_search *s, const char *path, int code, const char *what)
{
	locate_note(s, path, what);
	if (s->first.code == 0)
		err_set(&s->first, code, "%s", what);
	return false;
}

/* Open a file if it is readable and matches the mapping. */
static bool locate_try_path(struct object_search *s, const char *path, struct object **out)
{
	struct object *o;
	const char *id = s->d.build_id, *found_id;
	struct err err;

	if (object_open(path, &o, &err) < 0)
		return locate_fail(s, path, err.code, err.msg);
	found_id = object_build_id(o);
	if (object_check_map(o, &s->map, &err) < 0)
		locate_fail(s, path, err.code, err.msg);
	else if (*id && strcmp(id, found_id) != 0 && (*found_id || s->must_match))
		locate_fail(s, path, ERR_FORMAT, "build ID mismatch");
	else if (s->must_match && *id == '\0')
		locate_fail(s, path, ERR_FORMAT,
			    "the original file was deleted, and without a build ID this one cannot be verified");
	else {
		locate_note(s, path, "used");
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

	if (*symfs && locate_try_path(s, symbol_path_join(s->d.mem, symfs, file, "", ""), out))
		return true;
	return locate_try_path(s, file, out);
}

/* PATH of /proc/PID/root/PATH; NULL for other paths. */
static const char *path_in_root(const char *file)
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
	inner = path_in_root(file);
	return try_places(s, file, out) || (inner && try_places(s, inner, out));
}

/* The name of the kernel with the symbol at which its mapping starts, which some readers keep apart. */
static const char *locate_kernel_name(const struct object_search *s)
{
	size_t n = strlen(s->file);

	return *s->map.kernel_symbol && n && s->file[n - 1] == ']'
		       ? arena_printf(s->d.mem, "%s%s", s->file, s->map.kernel_symbol)
		       : s->file;
}

/* Try the kernel and the vDSO, whose names are not file names. */
static bool try_system(struct object_search *s, struct object **out)
{
	struct err err;
	int rc;

	if (vdso_is_name(s->file))
		rc = vdso_open(s->d.build_id, s->d.w, s->d.tried, out, &err);
	else
		rc = kernel_open(locate_kernel_name(s), s->d.build_id,
				 *s->map.kernel_symbol ? s->map.limit - s->map.start : 0, s->d.w, s->d.tried, out,
				 &err);
	return rc == 0 || locate_fail(s, s->file, err.code, err.msg);
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

int locate_object(const struct profile *p, const struct mapping *m, const struct symbol_options *w, struct buf *tried,
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
		err_set(err, s.first.code, "Local symbolization failed for %s%s%s%s: %s",
			symbol_path_last_name(s.d.mem, s.file), *s.d.build_id ? " (build ID " : "", s.d.build_id,
			*s.d.build_id ? ")" : "", s.first.msg);
	arena_free(s.d.mem);
	return found ? 0 : err ? err->code : s.first.code;
}
