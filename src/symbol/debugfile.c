/*
 * debugfile.c - search for debug files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/debugfile.h"

#include "symbol/options.h"

#include <string.h>
#include <unistd.h>

uint32_t debugfile_crc(const uint8_t *data, size_t n)
{
	uint32_t table[256], crc = ~UINT32_C(0);

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
		table[i] = c;
	}
	for (size_t i = 0; i < n; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

void debugfile_note(struct buf *tried, const char *place, const char *what)
{
	if (tried)
		buf_addf(tried, "%s: %s\n", place, what);
}

/* The reason to reject a file; NULL if it can be used. */
static const char *rejection_reason(const struct debugfile_search *s, const struct object_file *f)
{
	const uint8_t *bytes;
	size_t n;

	if (*s->build_id && *f->build_id && strcmp(s->build_id, f->build_id) != 0)
		return "build ID does not match";
	if (s->dwarf && !object_file_has_dwarf(f))
		return "contains no DWARF";
	if (*s->build_id && *f->build_id)
		return NULL;
	if (!s->crc_known)
		return *s->build_id ? "no build ID" : NULL;
	bytes = object_file_bytes(f, &n);
	return bytes && debugfile_crc(bytes, n) == s->crc ? NULL : "checksum differs from .gnu_debuglink";
}

bool debugfile_try(const struct debugfile_search *s, const char *path, struct object_file *out)
{
	struct err err;
	const char *why;

	if (object_file_open(path, out, &err) < 0) {
		debugfile_note(s->tried, path, err.code == ERR_IO ? "not found" : err.msg);
		return false;
	}
	why = rejection_reason(s, out);
	debugfile_note(s->tried, path, why ? why : "used");
	if (why)
		object_file_close(out);
	return !why;
}

const char *debugfile_perf_path(const struct debugfile_search *s, const char *name)
{
	const char *id = s->build_id;

	if (strlen(id) < 4 || !*s->w->debug_dir)
		return "";
	return arena_printf(s->mem, "%s/.build-id/%.2s/%s/%s", s->w->debug_dir, id, id + 2, name);
}

/* Try a file in perf's ~/.debug. Nothing is noted if the folder of the build id does not exist. */
static bool debugfile_in_perf(const struct debugfile_search *s, const char *name, struct object_file *out)
{
	const char *path = debugfile_perf_path(s, name);

	return *path && access(path, F_OK) == 0 && debugfile_try(s, path, out);
}

bool debugfile_by_id(const struct debugfile_search *s, const char *ending, struct object_file *out)
{
	const char *id = s->build_id, *name, *dir;

	if (strlen(id) < 4)
		return false;
	name = arena_strndup(s->mem, id + 2, strlen(id) - 2);
	dir = symbol_path_join(s->mem, "/usr/lib/debug/.build-id", arena_strndup(s->mem, id, 2), name, "");
	dir = arena_printf(s->mem, "%s%s", dir, ending);
	if (*s->w->symfs && debugfile_try(s, symbol_path_join(s->mem, s->w->symfs, dir, "", ""), out))
		return true;
	return debugfile_try(s, dir, out) || debugfile_in_perf(s, *ending ? "debug" : "elf", out);
}
