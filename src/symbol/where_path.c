/*
 * where_path.c - paths put together
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/where_path.h"

#include "base/buf.h"

#include <stdbool.h>
#include <string.h>

/* Take the last name off a path that is clean; false when there is none, or it is "..". */
static bool step_up(struct buf *path, bool rooted)
{
	size_t start = path->len;

	while (start > 0 && path->data[start - 1] != '/')
		start--;
	if (start == path->len || (path->len - start == 2 && memcmp(path->data + start, "..", 2) == 0))
		return false;
	path->len = start > 1 || (start == 1 && !rooted) ? start - 1 : start;
	return true;
}

/* Append the names of a path to one that is clean. */
static void add_names(struct buf *path, const char *names, bool rooted)
{
	while (*names) {
		size_t n = strcspn(names, "/");
		bool up = n == 2 && memcmp(names, "..", 2) == 0;

		if (n != 0 && !(n == 1 && *names == '.') && !(up && (step_up(path, rooted) || rooted))) {
			if (path->len && path->data[path->len - 1] != '/')
				buf_addz(path, "/");
			buf_add(path, names, n);
		}
		names += n + (names[n] == '/');
	}
}

const char *where_join(struct arena *mem, const char *a, const char *b, const char *c, const char *d)
{
	const char *part[] = { a, b, c, d }, *out;
	bool rooted = false, any = false;
	struct buf path = { 0 };

	for (size_t i = 0; i < 4; i++) {
		if (*part[i] == '\0')
			continue;
		if (!any && *part[i] == '/') {
			rooted = true;
			buf_addz(&path, "/");
		}
		any = true;
		add_names(&path, part[i], rooted);
	}
	if (any && path.len == 0)
		buf_addz(&path, ".");
	out = arena_strndup(mem, path.data ? path.data : "", path.len);
	buf_release(&path);
	return out;
}

const char *where_base(struct arena *mem, const char *path)
{
	size_t end = strlen(path), start;

	if (end == 0)
		return ".";
	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/';)
		start--;
	return end == 0 ? "/" : arena_strndup(mem, path + start, end - start);
}

const char *where_dir(struct arena *mem, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? where_join(mem, arena_strndup(mem, path, (size_t)(slash + 1 - path)), "", "", "") : ".";
}

const char *where_part(struct arena *mem, const char **list)
{
	const char *start = *list;
	size_t n;

	if (!start || *start == '\0')
		return NULL;
	n = strcspn(start, ":");
	*list = start[n] == ':' ? start + n + 1 : NULL;
	return arena_strndup(mem, start, n);
}
