/*
 * path.c - find a source file in the repository
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Servers show a result at its line only if the path is relative to the repository, but profiles have absolute paths,
 * paths of the build machine, or paths of a module (go build -trimpath). Such a path is searched for by its suffixes,
 * longest first. The file name alone is sufficient only if its directory has the name of the repository, since names
 * such as main.go are common.
 */
#include "config.h"

#include "viewers/ci/ci_int.h"

#include "base/path.h"
#include "base/str.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS_MAX = 64 }; /* max suffixes of a path that are tried */

/* The rest of a path after a directory; NULL if it is not below the directory. */
static const char *path_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n == 0 || strncmp(path, folder, n) != 0)
		return NULL;
	if (folder[n - 1] == '/')
		return path + n;
	return path[n] == '/' ? path + n + 1 : NULL;
}

static bool ci_path_is_file(const char *folder, const char *path)
{
	struct buf whole = { 0 };
	struct stat st;
	bool is;

	buf_addf(&whole, "%s/%s", folder, path);
	is = *folder && stat(buf_text(&whole), &st) == 0 && S_ISREG(st.st_mode);
	buf_release(&whole);
	return is;
}

/* Returns true if end identifies the file: it is the whole path, or has more than one component, or is preceded by a
   directory of that name. */
static bool is_unique(const char *path, const char *end, const char *folder)
{
	const char *name = path_base(folder);
	size_t n;

	if (end == path || strchr(end, '/'))
		return true;
	n = strlen(name);
	return n && end - path > (ptrdiff_t)n && end[-1] == '/' && memcmp(end - 1 - n, name, n) == 0 &&
	       (end - 1 - n == path || end[-2 - (ptrdiff_t)n] == '/');
}

/* Longest suffix of a path that is a file below a directory; NULL for none. */
static const char *ci_path_find_end(const char *folder, const char *path)
{
	const char *end = path + (*path == '/');

	while (starts_with(end, "../"))
		end += 3;
	for (int i = 0; i < PARTS_MAX; i++) {
		if (is_unique(path, end, folder) && ci_path_is_file(folder, end))
			return end;
		end = strchr(end, '/');
		if (!end)
			break;
		end++;
	}
	return NULL;
}

static bool ci_path_add_place(const char *path, const char *root, const char *here, struct buf *out)
{
	const char *end = *path == '/' ? path_below(path, root) : NULL, *inside = path_below(here, root);

	if (!end && *path == '/')
		end = path_below(path, here);
	if (!end && *path != '/' && inside && ci_path_is_file(here, path) && !ci_path_is_file(root, path)) {
		buf_addf(out, "%s/%s", inside, path);
		return true;
	}
	if (!end)
		end = ci_path_find_end(root, path);
	if (!end && *path != '/' && !starts_with(path, "../"))
		end = path;
	buf_addz(out, end ? end : path);
	return end != NULL;
}

bool ci_add_path(const char *file, struct buf *out)
{
	struct buf path = { 0 }, root = { 0 };
	const char *workspace = getenv("GITHUB_WORKSPACE");
	char *here = getcwd(NULL, 0);
	bool is_there = false;

	path_add_clean(&path, file);
	path_add_clean(&root, workspace && *workspace == '/' ? workspace : here ? here : "");
	if (path.len)
		is_there = ci_path_add_place(path.data, buf_text(&root), here ? here : "", out);
	buf_release(&path);
	buf_release(&root);
	free(here);
	return is_there;
}

int ci_line(int64_t line)
{
	return line < 1 ? 1 : line > INT_MAX ? INT_MAX : (int)line;
}
