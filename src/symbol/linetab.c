/*
 * linetab.c - the line table of a unit
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/linetab.h"

#include "base/mem.h"
#include "base/search.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

void linetab_open(struct linetab *t, Dwarf_Die *unit)
{
	Dwarf_Half version = 0;
	Dwarf_Attribute attr;

	t->n = t->n_files = 0;
	if (dwarf_getsrclines(unit, &t->lines, &t->n) != 0)
		t->lines = NULL;
	if (dwarf_getsrcfiles(unit, &t->files, &t->n_files) != 0)
		t->files = NULL;
	dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
	t->counts_from_1 = version < 5;
	t->comp_dir = dwarf_attr(unit, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;
	t->path = mem_grow(t->path, &t->cap_path, t->n_files + 1, sizeof(*t->path));
	memset(t->path, 0, t->n_files * sizeof(*t->path));
}

static uint64_t address(const struct linetab *t, size_t i)
{
	Dwarf_Addr addr;

	return dwarf_lineaddr(dwarf_onesrcline(t->lines, i), &addr) == 0 ? addr : 0;
}

struct address_key {
	const struct linetab *t;
	uint64_t addr;
};

static bool is_at_or_below(const void *arg, size_t i)
{
	const struct address_key *key = arg;

	return address(key->t, i) <= key->addr;
}

bool linetab_find(const struct linetab *t, uint64_t addr, struct linetab_row *out)
{
	size_t next = lower_bound(0, t->lines ? t->n : 0, is_at_or_below, &(struct address_key){ t, addr }), file = 0;
	int line = 0, column = 0;
	Dwarf_Files *files;
	Dwarf_Line *row;
	bool is_end;

	row = next ? dwarf_onesrcline(t->lines, next - 1) : NULL;
	if (!row || dwarf_lineendsequence(row, &is_end) != 0 || is_end || dwarf_line_file(row, &files, &file) != 0)
		return false;
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	*out = (struct linetab_row){ file, (uint32_t)line, (uint32_t)column };
	return true;
}

static bool is_absolute(const char *path)
{
	return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
}

/* libdw puts the folder of the compiler in front of some relative paths, LLVM in front of all. */
static const char *make_path(const struct linetab *t, const char *path, struct arena *mem)
{
	size_t n = t->comp_dir ? strlen(t->comp_dir) : 0, len = strlen(path);
	char *joined;

	if (!n || is_absolute(path))
		return arena_strndup(mem, path, len);
	joined = arena_alloc(mem, n + len + 2, 1);
	memcpy(joined, t->comp_dir, n);
	if (joined[n - 1] != '/')
		joined[n++] = '/';
	memcpy(joined + n, path, len + 1);
	return joined;
}

const char *linetab_path(struct linetab *t, uint64_t file, struct arena *mem)
{
	const char *path;

	if (!t->files || file >= t->n_files || (t->counts_from_1 && !file))
		return NULL;
	if (!t->path[file]) {
		path = dwarf_filesrc(t->files, file, NULL, NULL);
		t->path[file] = path ? make_path(t, path, mem) : NULL;
	}
	return t->path[file];
}

void linetab_release(struct linetab *t)
{
	free(t->path);
	*t = (struct linetab){ 0 };
}
