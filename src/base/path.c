/*
 * path.c - path strings: clean, trim, base name, folder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/path.h"

#include "base/mem.h"
#include "base/str.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Remove the last part of the path written since start. False when there is none to remove: keep "..". */
static bool remove_last(struct buf *out, size_t start, bool rooted)
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
		bool is_parent = n == 2 && memcmp(path, "..", 2) == 0;

		if (n > 0 && !(n == 1 && *path == '.') && !(is_parent && remove_last(out, start, rooted))) {
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

void path_add_dir(struct buf *out, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = mem_strndup(slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);

	path_add_clean(out, dir);
	free(dir);
}

/* The end of the first entry of a colon-separated list. */
static const char *base_path_entry_end(const char *list)
{
	return list + strcspn(list, ":");
}

/* The part after the first /BASE/ in a path, where BASE is the base name of dir; NULL if there is none. */
static const char *after_folder(const char *path, const char *dir, size_t n)
{
	char *name = mem_strndup(dir, n);
	struct buf pattern = { 0 };
	const char *at;

	buf_addz(&pattern, "/");
	path_add_base(&pattern, name);
	buf_addz(&pattern, "/");
	at = strstr(path, pattern.data);
	if (at)
		at += pattern.len;
	buf_release(&pattern);
	free(name);
	return at;
}

/* The part of a path after dir; NULL when the path does not start with dir. */
static const char *after_prefix(const char *path, const char *dir, size_t n)
{
	if (strncmp(path, dir, n) != 0)
		return NULL;
	if (n > 0 && dir[n - 1] == '/')
		return path + n;
	return path[n] == '/' ? path + n + 1 : NULL;
}

const char *path_trim(const char *path, const char *prefixes, const char *search)
{
	static const char *const build_prefixes[] = { "/proc/self/cwd/./", "/proc/self/cwd/" };
	const char *out, *end;

	assert(path && prefixes && search);
	for (const char *dir = search; !*prefixes && *search; dir = end + 1) {
		end = base_path_entry_end(dir);
		out = after_folder(path, dir, (size_t)(end - dir));
		if (out)
			return out;
		if (!*end)
			break;
	}
	for (const char *dir = prefixes; *prefixes; dir = end + 1) {
		end = base_path_entry_end(dir);
		out = after_prefix(path, dir, (size_t)(end - dir));
		if (out)
			return out;
		if (!*end)
			break;
	}
	for (size_t i = 0; i < sizeof(build_prefixes) / sizeof(build_prefixes[0]); i++)
		if (starts_with(path, build_prefixes[i]))
			return path + strlen(build_prefixes[i]);
	return path;
}

int path_perf_map(const char *path)
{
	static const char before[] = "/tmp/perf-", after[] = ".map";
	const char *digits = path + sizeof(before) - 1;
	long pid;
	char *end;

	if (strncmp(path, before, sizeof(before) - 1) != 0 || *digits < '0' || *digits > '9')
		return 0;
	pid = strtol(digits, &end, 10);
	return strcmp(end, after) == 0 && pid <= INT_MAX ? (int)pid : 0;
}
