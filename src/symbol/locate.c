/*
 * locate.c - the binary of a mapping on this machine
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
#include "symbol/where_path.h"

#include <ctype.h>
#include <string.h>

/* A search for the binary of a mapping. */
struct search {
	struct debugfile d;
	struct object_map map;
	const char *file;
	bool must_match;  /* its build id, since the file has been replaced */
	struct err first; /* what was wrong with the first place */
};

static void note(struct search *s, const char *place, const char *what)
{
	debugfile_note(s->d.tried, place, what);
}

static bool fail(struct search *s, const char *path, int code, const char *what)
{
	note(s, path, what);
	if (s->first.code == 0)
		err_set(&s->first, code, "%s", what);
	return false;
}

/* Take the file unless it cannot be read, or is another one. */
static bool try_path(struct search *s, const char *path, struct object **out)
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

/* Below symfs, then as it is. */
static bool try_places(struct search *s, const char *file, struct object **out)
{
	const char *symfs = s->d.w->symfs;

	if (*symfs && try_path(s, where_join(s->d.mem, symfs, file, "", ""), out))
		return true;
	return try_path(s, file, out);
}

/* The path inside the root of a process: /proc/PID/root/PATH; NULL when it is not of that kind. */
static const char *in_root(const char *file)
{
	static const char proc[] = "/proc/", root[] = "/root/";
	const char *at = file + sizeof(proc) - 1;

	if (!starts_with(file, proc) || !isdigit((unsigned char)*at))
		return NULL;
	at += strspn(at, "0123456789");
	return starts_with(at, root) ? at + sizeof(root) - 2 : NULL;
}

static bool try_file(struct search *s, struct object **out)
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

/* What the kernel brings along has no file that its name tells. */
static bool try_system(struct search *s, struct object **out)
{
	struct err err;
	int rc;

	if (vdso_is_name(s->file))
		rc = vdso_open(s->d.build_id, out, &err);
	else
		rc = kernel_open(s->file, s->d.build_id, s->d.w, s->d.tried, out, &err);
	return rc == 0 || fail(s, s->file, err.code, err.msg);
}

static bool try_build_id(struct search *s, struct object **out)
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
	struct search s = {
		.d = { .mem = arena_new(), .w = w, .build_id = profile_text(p, m->build_id), .tried = tried },
		.map = locate_map(p, m),
		.file = profile_text(p, m->file)
	};
	bool found;

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
