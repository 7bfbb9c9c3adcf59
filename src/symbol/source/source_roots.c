/*
 * source_roots.c - folders whose files may be shown on web pages
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile can name any file of this machine as its source. A page must not show other files than sources to its readers,
 * so the real path of an opened file must be below one of these folders. The path is that of the descriptor: no link
 * can change it after the check. Hidden files and folders (.ssh, .git, .env) are not below a folder, unless the user
 * named the folder.
 */
#include "config.h"

#include "symbol/source/source_path.h"

#include "base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOTS_MAX = 256 };

struct source_roots {
	unsigned n;
	struct {
		const char *path; /* absolute, without links, without a slash at the end */
		bool is_named;    /* named by the user */
	} root[ROOTS_MAX];
};

static void add_root(struct source_search *s, const char *folder, bool is_named)
{
	struct source_roots *r = s->roots;
	char *path = r->n < ROOTS_MAX ? realpath(folder, NULL) : NULL;

	if (path && (is_named || strcmp(path, "/") != 0)) {
		size_t n = strcmp(path, "/") == 0 ? 0 : strlen(path);

		r->root[r->n].path = arena_strndup(s->mem, path, n);
		r->root[r->n++].is_named = is_named;
	}
	free(path);
}

void source_add_root(struct source_search *s, const char *folder)
{
	add_root(s, folder, false);
}

static struct source_roots *roots_of(struct source_search *s)
{
	if (s->roots)
		return s->roots;
	s->roots = arena_zalloc(s->mem, 1, sizeof(*s->roots));
	for (const char *dir = s->w->source_path, *end; *dir; dir = end + (*end != 0)) {
		end = dir + strcspn(dir, ":");
		if (end > dir)
			add_root(s, arena_strndup(s->mem, dir, (size_t)(end - dir)), true);
	}
	if (*s->w->symfs)
		add_root(s, s->w->symfs, true);
	if (s->w->source_access == SOURCE_NAMED)
		return s->roots;
	source_add_root(s, ".");
	source_add_root(s, "/usr/src");
	source_add_go_roots(s);
	source_add_rust_roots(s);
	return s->roots;
}

/* Would the folder allow the home folder, or files that are not sources? */
static bool is_too_wide(const char *folder)
{
	const char *home = getenv("HOME"), *second = *folder == '/' ? strchr(folder + 1, '/') : NULL;
	size_t n = strlen(folder);

	if (!second || !second[1])
		return true;
	return home && strncmp(home, folder, n) == 0 && (home[n] == '/' || !home[n]);
}

void source_add_build_root(struct source_search *s, const char *folder)
{
	char *path = s->w->source_access == SOURCE_LOCAL ? realpath(folder, NULL) : NULL;

	roots_of(s);
	if (path && *folder == '/' && !is_too_wide(path))
		source_add_root(s, path);
	free(path);
}

static bool source_roots_is_hidden(const char *rest)
{
	return strstr(rest, "/.") != NULL;
}

bool source_is_allowed(struct source_search *s, int fd)
{
	static const char *const never[] = { "/proc/", "/sys/", "/dev/" };
	const struct source_roots *r;
	char name[64], path[PATH_MAX];
	ssize_t n;

	if (s->w->source_access == SOURCE_ANY)
		return true;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = readlink(name, path, sizeof(path) - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (starts_with(path, never[i]))
			return false;
	r = roots_of(s);
	for (unsigned i = 0; i < r->n; i++) {
		size_t length = strlen(r->root[i].path);

		if (strncmp(path, r->root[i].path, length) == 0 && path[length] == '/' &&
		    (r->root[i].is_named || !source_roots_is_hidden(path + length)))
			return true;
	}
	return false;
}
