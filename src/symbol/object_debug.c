/*
 * object_debug.c - the debug files of an object
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_int.h"

#include "symbol/debugfile.h"
#include "symbol/debuginfod.h"
#include "symbol/where_path.h"

#include <stdlib.h>
#include <string.h>

/* What a section that links to another file says: its name, and what stands behind the NUL. */
struct link {
	const char *name;
	const uint8_t *rest;
	size_t n;
};

static bool link_read(const struct object_file *f, const char *section, struct link *out)
{
	size_t n;
	const uint8_t *bytes = object_file_section_bytes(f, section, &n);
	const uint8_t *end = bytes ? memchr(bytes, '\0', n) : NULL;

	if (!end || end == bytes)
		return false;
	*out = (struct link){ .name = (const char *)bytes, .rest = end + 1, .n = n - (size_t)(end + 1 - bytes) };
	return true;
}

/* The sum in .gnu_debuglink: in the byte order of the file, at the next multiple of 4 behind the name. */
static bool link_crc(const struct object *o, const struct link *l, uint32_t *crc)
{
	size_t skip = (4 - (strlen(l->name) + 1) % 4) % 4;

	if (l->n < skip + 4)
		return false;
	memcpy(crc, l->rest + skip, 4);
	if ((o->ehdr.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		*crc = __builtin_bswap32(*crc);
	return true;
}

/* The folder of an object, seen from the root that symfs stands for. */
static const char *folder_of(struct arena *mem, const char *path, const char *symfs)
{
	const char *root = *symfs ? where_join(mem, symfs, "", "", "") : "";
	size_t n = strlen(root);

	if (n && strncmp(path, root, n) == 0 && path[n] == '/')
		path += n;
	return where_dir(mem, path);
}

/* In the folder of the object, in .debug there, in the same folder below /usr/lib/debug. */
static bool try_beside(const struct debugfile *s, const char *path, const char *name, struct object_file *out)
{
	const char *own = where_dir(s->mem, path), *folder = folder_of(s->mem, path, s->w->symfs);
	const char *beside = where_join(s->mem, own, name, "", "");

	if (strcmp(beside, where_join(s->mem, path, "", "", "")) != 0 && debugfile_try(s, beside, out))
		return true;
	if (debugfile_try(s, where_join(s->mem, own, ".debug", name, ""), out))
		return true;
	if (*folder != '/')
		return false;
	if (*s->w->symfs && debugfile_try(s, where_join(s->mem, s->w->symfs, "/usr/lib/debug", folder, name), out))
		return true;
	return debugfile_try(s, where_join(s->mem, "/usr/lib/debug", folder, name, ""), out);
}

/* By .gnu_debuglink, from the path as it was given and, where that is another, the real one. */
static bool try_link(struct object *o, struct debugfile *s, struct object_file *out)
{
	struct link l;
	char *real;
	bool found;

	if (!link_read(&o->file, ".gnu_debuglink", &l) || strchr(l.name, '/'))
		return false;
	s->crc_known = link_crc(o, &l, &s->crc);
	found = s->crc_known && try_beside(s, o->file.path, l.name, out);
	real = found ? NULL : realpath(o->file.path, NULL);
	if (real && s->crc_known && strcmp(real, o->file.path) != 0)
		found = try_beside(s, real, l.name, out);
	free(real);
	s->crc_known = false;
	return found;
}

static void seek(struct object *o, const struct symbol_where *w, struct buf *tried)
{
	struct debugfile s = {
		.mem = arena_new(), .w = w, .build_id = o->file.build_id, .dwarf = true, .tried = tried
	};

	if (!debugfile_by_id(&s, ".debug", &o->debug) && !try_link(o, &s, &o->debug))
		debuginfod_open(w, DEBUGINFOD_DEBUG, s.build_id, o->file.path, tried, &o->debug);
	arena_free(s.mem);
}

int object_debug(struct object *o, const struct symbol_where *w, struct buf *tried, const char **path)
{
	if (!o->debug_sought && o->file.elf) {
		o->debug_is_self = object_file_has_dwarf(&o->file);
		if (!o->debug_is_self)
			seek(o, w, tried);
	}
	o->debug_sought = true;
	*path = o->debug_is_self ? o->file.path : o->debug.elf ? o->debug.path : "";
	return o->debug_is_self ? o->file.fd : o->debug.fd;
}

/* The name is a path, from the folder of the file that names it unless it is absolute. */
static bool try_alt(const struct debugfile *s, const char *from, const char *name, struct object_file *out)
{
	if (*name != '/')
		return debugfile_try(s, where_join(s->mem, where_dir(s->mem, from), name, "", ""), out);
	if (*s->w->symfs && debugfile_try(s, where_join(s->mem, s->w->symfs, name, "", ""), out))
		return true;
	return debugfile_try(s, name, out);
}

static const char *spell_id(struct arena *mem, const struct link *l)
{
	struct buf b = { 0 };
	const char *out;

	for (size_t i = 0; i < l->n && i < BUILD_ID_MAX; i++)
		buf_addf(&b, "%02x", l->rest[i]);
	out = arena_strndup(mem, buf_text(&b), b.len);
	buf_release(&b);
	return out;
}

static void seek_alt(struct object *o, const struct symbol_where *w, struct buf *tried)
{
	const struct object_file *from = o->debug_is_self ? &o->file : &o->debug;
	struct debugfile s = { .mem = arena_new(), .w = w, .dwarf = true, .tried = tried };
	struct link l;
	char *real;

	if (from->elf && link_read(from, ".gnu_debugaltlink", &l)) {
		s.build_id = spell_id(s.mem, &l);
		real = realpath(from->path, NULL);
		if (!try_alt(&s, real ? real : from->path, l.name, &o->alt) && !debugfile_by_id(&s, ".debug", &o->alt))
			debuginfod_open(w, DEBUGINFOD_DEBUG, s.build_id, l.name, tried, &o->alt);
		free(real);
	}
	arena_free(s.mem);
}

int object_debug_alt(struct object *o, const struct symbol_where *w, struct buf *tried)
{
	const char *path;

	object_debug(o, w, tried, &path);
	if (!o->alt_sought)
		seek_alt(o, w, tried);
	o->alt_sought = true;
	return o->alt.fd;
}
