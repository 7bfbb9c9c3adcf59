/*
 * path.c - source file names as reports show them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/path.h"

#include <stdbool.h>
#include <string.h>

/* Take back the last part of what was written since start; false when there is none to take. */
static bool take_back(struct buf *out, size_t start, bool rooted)
{
	size_t n = out->len;

	if (n == start || (rooted && n == start + 1))
		return rooted;
	while (n > start && out->data[n - 1] != '/')
		n--;
	if (out->len - n == 2 && memcmp(out->data + n, "..", 2) == 0)
		return false;
	if (n > start + rooted)
		n--;
	out->len = n;
	out->data[n] = 0;
	return true;
}

void path_add_clean(struct buf *out, const char *path)
{
	size_t start = out->len;
	bool rooted = *path == '/';

	if (!*path)
		return;
	if (rooted)
		buf_add(out, "/", 1);
	while (*path) {
		size_t n = strcspn(path, "/");
		bool up = n == 2 && memcmp(path, "..", 2) == 0;

		if (n > 0 && !(n == 1 && *path == '.') && !(up && take_back(out, start, rooted))) {
			if (out->len > start + rooted)
				buf_add(out, "/", 1);
			buf_add(out, path, n);
		}
		path += n;
		path += strspn(path, "/");
	}
	if (out->len == start)
		buf_add(out, ".", 1);
}

void path_add_base(struct buf *out, const char *path)
{
	size_t end = strlen(path), start;

	if (end == 0) {
		buf_add(out, ".", 1);
		return;
	}
	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	buf_add(out, start == end ? "/" : path + start, start == end ? 1 : end - start);
}

const char *path_trimmed(const char *path)
{
	static const char *const prefix[] = { "/proc/self/cwd/./", "/proc/self/cwd/" };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++)
		if (strncmp(path, prefix[i], strlen(prefix[i])) == 0)
			return path + strlen(prefix[i]);
	return path;
}
