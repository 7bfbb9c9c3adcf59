/*
 * source_file.c - source files: find, read and split into lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/source/source_file.h"

#include "base/buf.h"
#include "base/idtab.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "profile/source.h"
#include "symbol/debuginfod.h"
#include "symbol/locate.h"
#include "symbol/prefix_map.h"
#include "symbol/source/source_path.h"
#include "symbol/options.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct source_names {
	const struct profile *p;
	struct strtab *known; /* name i has id i + 1 */
	str_id *file;         /* [names] file name, a string of the profile */
	size_t cap;
	uint32_t *map; /* [strings of the profile] a mapping + 1, 0 for none; NULL until needed */
};

/* Add a name. If two files have the same name, it refers to the first. */
static void source_file_add_name(struct source_names *s, const char *name, size_t n, str_id file)
{
	uint32_t known = strtab_count(s->known), id = strtab_add(s->known, name, n);

	if (id < known)
		return;
	assert(id == known);
	s->file = mem_grow(s->file, &s->cap, id, sizeof(*s->file));
	s->file[id - 1] = file;
}

static void add_clean_name(struct source_names *s, const char *name, str_id file)
{
	struct buf clean = { 0 };

	path_add_clean(&clean, name);
	source_file_add_name(s, buf_text(&clean), clean.len, file);
	buf_release(&clean);
}

/*
 * Index the files of a profile by their names: as they are, and cleaned and trimmed as in reports. p must outlive the
 * result. Freed with source_names_free, which takes NULL.
 */
static struct source_names *source_names_new(const struct profile *p, const struct symbol_options *w)
{
	struct source_names *s = mem_zalloc(1, sizeof(*s));
	uint8_t *seen = mem_zalloc(strtab_count(p->str), 1);

	s->p = p;
	s->known = strtab_new();
	for (uint32_t f = 0; f < p->n_funcs; f++)
		source_file_add_name(s, profile_text(p, p->func_file[f]), strtab_len(p->str, p->func_file[f]),
				     p->func_file[f]);
	for (uint32_t f = 0; f < p->n_funcs; f++) {
		str_id file = p->func_file[f];

		if (seen[file])
			continue;
		seen[file] = 1;
		add_clean_name(s, profile_text(p, file), file);
		add_clean_name(s, path_trim(profile_text(p, file), w->trim_path, w->source_path), file);
	}
	free(seen);
	return s;
}

static void source_names_free(struct source_names *s)
{
	if (!s)
		return;
	strtab_free(s->known);
	free(s->file);
	free(s->map);
	free(s);
}

static str_id source_file_find(const struct source_names *s, const char *file)
{
	str_id id;

	return strtab_find(s->known, file, strlen(file), &id) && id ? s->file[id - 1] : 0;
}

/* The name of a file in the profile; NULL if the profile does not contain the file. */
static const char *source_names_find(const struct source_names *s, const char *file)
{
	str_id id = source_file_find(s, file);

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

/* A mapping whose binary has functions of this source file, preferably with a build id; NULL for none. */
static const struct mapping *source_names_map(struct source_names *s, const char *file)
{
	str_id id = source_file_find(s, file);

	if (!id)
		return NULL;
	if (!s->map)
		find_maps(s);
	return s->map[id] ? &s->p->map[s->map[id] - 1] : NULL;
}

/* The build id of a binary with functions of this source file; "" for none. */
static const char *source_names_build_id(struct source_names *s, const char *file)
{
	const struct mapping *m = source_names_map(s, file);

	return m ? profile_text(s->p, m->build_id) : "";
}

/* Limits on the size of all files of a report, the length of a line, and the lines of a file; the rest is cut off. */
enum { ALL_MAX = 1 << 30, LINE_MAX_BYTES = 64 << 10, LINES_MAX = 4000000 };

struct source_files {
	const struct profile *p;
	const struct symbol_options *w;
	struct source_search search;
	struct source_names *profile_names; /* NULL until needed */
	struct strtab *names;               /* names of requested files; file i has id i + 1 */
	struct source_file **file;
	size_t n, cap;
	size_t read;           /* number of bytes read so far */
	struct prefix_map *of; /* [n_maps] prefix maps of the binary of each mapping; NULL until needed */
	struct arena *mem;
};

struct source_files *source_files_new(const struct profile *p, const struct symbol_options *w)
{
	struct source_files *s = mem_zalloc(1, sizeof(*s));

	s->p = p;
	s->w = w;
	s->mem = arena_new();
	s->names = strtab_new();
	source_search_init(&s->search, w);
	return s;
}

void source_files_free(struct source_files *s)
{
	if (!s)
		return;
	source_names_free(s->profile_names);
	source_search_release(&s->search);
	strtab_free(s->names);
	arena_free(s->mem);
	free(s->file);
	free(s);
}

/* One line, without its newline. A line with a NUL, or one that is too long, is copied. */
static const char *make_line(char *line, size_t n, struct arena *mem)
{
	struct buf safe = { 0 };

	if (n > 0 && line[n - 1] == '\r')
		n--;
	line[n] = 0;
	if (n <= LINE_MAX_BYTES && strlen(line) == n)
		return line;
	for (size_t i = 0, end = n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES; i < end; i++)
		if (line[i])
			buf_add(&safe, line + i, 1);
		else
			buf_addz(&safe, "\\x00");
	if (n > LINE_MAX_BYTES)
		buf_addz(&safe, " ...");
	return arena_move(mem, &safe);
}

/* Split n bytes into lines; the byte after them may be overwritten. */
static void cut_lines(struct source_file *f, char *text, size_t n, struct arena *mem)
{
	const char **line = NULL;
	size_t cap = 0;

	for (size_t at = 0; at < n;) {
		char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;

		line = mem_grow(line, &cap, (size_t)f->n + 1, sizeof(*line));
		line[f->n++] = make_line(text + at, len, mem);
		at += len + 1;
	}
	f->line = arena_own(mem, line);
}

/* Read an open file. */
static void source_file_read(struct source_files *s, int fd, const char *path, struct source_file *f)
{
	struct buf why = { 0 };
	struct bytes text;
	struct err err;

	if (io_read_fd(fd, SOURCE_MAX, NULL, &text, &err) < 0) {
		buf_addf(&why, "read %s: %s", path, err.code == ERR_LIMIT ? "is over 64 MiB" : err.msg);
	} else if (s->read + text.n > ALL_MAX) {
		free(text.data);
		buf_addf(&why, "read %s: source files exceed 1 GiB in total", path);
	} else {
		s->read += text.n;
		text.data = mem_trim(text.data, text.n + 1, 1);
		arena_own(s->mem, text.data);
		f->path = arena_strndup(s->mem, path, strlen(path));
		cut_lines(f, (char *)text.data, text.n, s->mem);
	}
	f->error = arena_move(s->mem, &why);
}

static struct source_names *profile_names(struct source_files *s)
{
	if (!s->profile_names)
		s->profile_names = source_names_new(s->p, s->w);
	return s->profile_names;
}

/* Use the lines that the profile contains; false if it contains none of this file. */
static bool use_profile_texts(struct source_files *s, const char *file, struct source_file *f)
{
	const char *name = s->p->n_source_lines ? source_names_find(profile_names(s), file) : NULL;
	const char **line;
	uint32_t lo, hi;

	if (!name || !profile_source_find(s->p, name, &lo, &hi))
		return false;
	while (hi > lo && s->p->source_line[hi - 1] > LINES_MAX)
		hi--;
	f->n = hi > lo ? (uint32_t)s->p->source_line[hi - 1] : 0;
	s->read += f->n * sizeof(*line);
	if (s->read > ALL_MAX) {
		f->n = 0;
		return false;
	}
	f->path = arena_strndup(s->mem, name, strlen(name));
	f->line = line = arena_alloc(s->mem, f->n, sizeof(*line));
	for (uint32_t i = 0; i < f->n; i++)
		line[i] = "";
	for (uint32_t i = lo; i < hi; i++) {
		size_t n = strtab_len(s->p->str, s->p->source_text[i]);
		char *text = arena_strndup(s->mem, profile_text(s->p, s->p->source_text[i]), n);

		if (s->p->source_line[i] > 0)
			line[s->p->source_line[i] - 1] = make_line(text, n, s->mem);
	}
	return true;
}

/* Request the file from debuginfod servers, by its name in the debug information. */
static bool request_from_servers(struct source_files *s, const char *file, struct source_file *f)
{
	const char *name, *path;
	int fd;

	if (!s->w->debuginfod || !s->w->servers || s->w->source_access == SOURCE_NAMED)
		return false;
	name = source_names_find(profile_names(s), file);
	if (!name)
		return false;
	fd = debuginfod_source(s->w, source_names_build_id(s->profile_names, file), name, s->mem, &path, NULL);
	if (fd < 0)
		return false;
	source_file_read(s, fd, path, f);
	close(fd);
	return true;
}

/* The prefix maps of a mapping's binary. Each binary is opened once. */
static const struct prefix_map *prefixes_of(struct source_files *s, const struct mapping *map)
{
	struct symbol_options w = *s->w;
	struct prefix_map *m;
	struct object *o;

	if (!s->of)
		s->of = arena_zalloc(s->mem, s->p->n_maps, sizeof(*s->of));
	m = &s->of[map - s->p->map];
	w.debuginfod = false; /* read only a local binary */
	if (!m->mem) {
		m->mem = s->mem;
		if (locate_object(s->p, map, &w, NULL, &o, NULL) == 0) {
			prefix_map_read(m, o, &w);
			object_close(o);
		}
	}
	return m;
}

/* Search for the file by the name that it had before the compiler mapped prefixes. */
static bool lookup_unmapped(struct source_files *s, const char *file, struct source_file *f)
{
	const char *name = s->p->n_maps ? source_names_find(profile_names(s), file) : NULL;
	const struct mapping *map = name ? source_names_map(s->profile_names, file) : NULL;
	const struct prefix_map *m = map && map->file ? prefixes_of(s, map) : NULL;
	bool found = false;

	for (size_t i = 0; m && i < m->n && !found; i++) {
		const char *old = prefix_map_undo(m, i, name);
		struct source_lookup k;

		if (!old)
			continue;
		found = source_lookup(&s->search, old, old, &k);
		if (found) {
			source_file_read(s, k.fd, k.found.data, f);
			close(k.fd);
		}
		source_lookup_release(&k);
	}
	return found;
}

/* Allow files below the build directories of the binary that contains functions of this file. */
static void add_build_roots(struct source_files *s, const char *file)
{
	const char *name = source_names_find(profile_names(s), file);
	const struct mapping *map = name ? source_names_map(s->profile_names, file) : NULL;
	const struct prefix_map *m = map && map->file ? prefixes_of(s, map) : NULL;

	for (size_t i = 0; m && i < m->n_folders; i++)
		source_add_build_root(&s->search, m->folder[i]);
}

/* Search for the file; if one is found that may not be read, again with the build directory of the binary. */
static bool lookup(struct source_files *s, const char *file, const char *name, struct source_lookup *k)
{
	bool found = source_lookup(&s->search, file, name, k);

	if (found || !k->is_refused || s->w->source_access != SOURCE_LOCAL || s->p->n_maps == 0)
		return found;
	source_lookup_release(k);
	add_build_roots(s, file);
	return source_lookup(&s->search, file, name, k);
}

static void set_tried(struct source_files *s, const struct source_lookup *k, struct source_file *f)
{
	struct buf why = { 0 }, tried = { 0 };

	source_lookup_add_reason(k, &why);
	for (unsigned i = 0; i < k->n_tried; i++)
		buf_addf(&tried, "%s%s%s%s\n", k->tried[i].path, k->tried[i].why ? " (" : "",
			 k->tried[i].why ? k->tried[i].why : "", k->tried[i].why ? ")" : "");
	f->error = arena_move(s->mem, &why);
	f->tried = arena_move(s->mem, &tried);
}

static struct source_file *symbol_source_file_find(struct source_files *s, const char *file)
{
	const char *name = s->p->n_funcs ? source_names_find(profile_names(s), file) : NULL;
	struct source_file *f = arena_zalloc(s->mem, 1, sizeof(*f));
	struct source_lookup k;

	f->path = f->error = f->tried = "";
	if (use_profile_texts(s, file, f))
		return f;
	if (lookup(s, file, name ? name : file, &k)) {
		source_file_read(s, k.fd, k.found.data, f);
		close(k.fd);
	} else if (!lookup_unmapped(s, file, f) && !request_from_servers(s, file, f)) {
		set_tried(s, &k, f);
	}
	source_lookup_release(&k);
	return f;
}

const struct source_file *source_files_get(struct source_files *s, const char *file)
{
	uint32_t known = strtab_count(s->names), id = strtab_addz(s->names, *file ? file : "/");

	if (id < known)
		return s->file[id - 1];
	assert(id == known && s->n == id - 1);
	s->file = mem_grow(s->file, &s->cap, s->n + 1, sizeof(*s->file));
	s->file[s->n] = symbol_source_file_find(s, file);
	return s->file[s->n++];
}
