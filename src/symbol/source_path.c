/*
 * source_path.c - where a source file that a profile names may be on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile may name any path, so whatever is opened has to be a regular file: no pipe that blocks
 * for ever, no device that has no end. What is read is shown to the person who asked and who may
 * read it anyway. A path below symfs cannot leave it, neither with .. nor over a symbolic link (where
 * the system cannot see to that, links are not followed at its end only).
 */
#include "config.h"

#include "symbol/source_path.h"

#include "base/mem.h"
#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

void source_search_init(struct source_search *s, const struct symbol_where *w)
{
	*s = (struct source_search){ .w = w, .path = w->source_path, .mem = arena_new() };
	if (!*s->path) {
		char *here = getcwd(NULL, 0);

		s->path = here ? arena_own(s->mem, here) : ".";
	}
}

void source_search_release(struct source_search *s)
{
	arena_free(s->mem);
}

unsigned source_dirs(struct source_search *s, const char *pattern, const char **out, unsigned max)
{
	unsigned n = 0;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return 0;
	for (size_t i = g.gl_pathc; n < max && i-- > 0;)
		out[n++] = arena_strndup(s->mem, g.gl_pathv[i], strlen(g.gl_pathv[i]));
	globfree(&g);
	return n;
}

/* Remember a place where the file is not, if it is among the best. */
static void remember(struct source_seek *k, enum source_rank rank, const char *path, const char *why)
{
	unsigned at = k->n_tried;

	for (unsigned i = 0; i < k->n_tried; i++)
		if (strcmp(k->tried[i].path, path) == 0)
			return;
	while (at > 0 && k->tried[at - 1].rank > rank)
		at--;
	if (at == N_SOURCE_TRIED)
		return;
	if (k->n_tried == N_SOURCE_TRIED)
		free(k->tried[--k->n_tried].path);
	memmove(&k->tried[at + 1], &k->tried[at], (k->n_tried - at) * sizeof(k->tried[0]));
	k->tried[at].path = mem_strndup(path, strlen(path));
	k->tried[at].why = why;
	k->tried[at].rank = rank;
	k->n_tried++;
}

/* What is wrong with a file; NULL when it can be read. */
static const char *unfit(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	return st->st_size > SOURCE_MAX ? "is over 64 MiB" : NULL;
}

/* Why a file could not be opened; NULL when there is none. */
static const char *open_error(void)
{
	return errno == ENOENT || errno == ENOTDIR ? NULL : strerror(errno);
}

/* Take a descriptor that was opened. Gives true when it is that of a file to read. */
static bool take(struct source_seek *k, enum source_rank rank, const char *path, int fd)
{
	const char *why = fd < 0 ? open_error() : NULL;
	struct stat st;

	if (fd >= 0) {
		why = fstat(fd, &st) < 0 ? strerror(errno) : unfit(&st);
		if (!why) {
			k->fd = fd;
			buf_addz(&k->found, path);
			return true;
		}
		close(fd);
	}
	remember(k, rank, path, why);
	return false;
}

bool source_try(struct source_seek *k, enum source_rank rank, const char *fmt, ...)
{
	struct buf text = { 0 }, path = { 0 };
	struct stat st;
	va_list args;
	bool found = false;

	va_start(args, fmt);
	buf_vaddf(&text, fmt, args);
	va_end(args);
	path_add_clean(&path, buf_text(&text));
	buf_release(&text);
	if (stat(buf_text(&path), &st) < 0)
		remember(k, rank, path.data, open_error());
	else if (unfit(&st)) /* opening a device may do something, so it is not even opened */
		remember(k, rank, path.data, unfit(&st));
	else
		found = take(k, rank, path.data, open(path.data, OPEN_FLAGS));
	buf_release(&path);
	return found;
}

/* Open a path of which no part may lead out of a folder. */
static int open_below(const char *dir, const char *path)
{
	int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (root < 0)
		return -1;
#ifdef SYS_openat2
	struct open_how how = { .flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT };

	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) { /* EPERM: of older sandboxes */
		int error = errno;

		close(root);
		errno = error;
		return fd;
	}
#endif
	fd = openat(root, path + strspn(path, "/"), OPEN_FLAGS | O_NOFOLLOW);
	close(root);
	return fd;
}

static bool try_symfs(struct source_seek *k, const char *file)
{
	const char *symfs = k->s->w->symfs;
	struct buf clean = { 0 }, path = { 0 };
	bool found;

	if (!*symfs || *file != '/')
		return false;
	path_add_clean(&clean, file);
	buf_addf(&path, "%s%s", symfs, clean.data);
	found = take(k, SOURCE_EXACT, path.data, open_below(symfs, clean.data));
	buf_release(&clean);
	buf_release(&path);
	return found;
}

/* Make a folder its parent; false when it has none. Like Go path/filepath.Dir. */
static bool to_parent(struct buf *dir)
{
	const char *slash = strrchr(buf_text(dir), '/');
	char *head = mem_strndup(slash ? dir->data : ".", slash ? (size_t)(slash - dir->data) + 1 : 1);
	struct buf up = { 0 };
	bool is_new;

	path_add_clean(&up, head);
	is_new = strcmp(up.data, buf_text(dir)) != 0;
	free(head);
	buf_release(dir);
	*dir = up;
	return is_new;
}

/* In a folder, and in all that it is in. */
static bool try_upward(struct source_seek *k, const char *dir, size_t n)
{
	struct buf at = { 0 };
	enum source_rank rank = SOURCE_LIKELY;
	bool found = false;

	buf_add(&at, dir, n);
	do {
		found = source_try(k, rank, "%s%s%s", buf_text(&at), at.len ? "/" : "", k->name);
		rank = SOURCE_GUESS;
	} while (!found && to_parent(&at));
	buf_release(&at);
	return found;
}

static bool try_as_pprof(struct source_seek *k)
{
	if (*k->name == '/')
		return source_try(k, SOURCE_EXACT, "%s", k->name);
	for (const char *dir = k->s->path, *end;; dir = end + 1) {
		end = dir + strcspn(dir, ":");
		if (try_upward(k, dir, (size_t)(end - dir)))
			return true;
		if (!*end)
			return false;
	}
}

/* What languages keep, by the name in the profile, and by what is left of it. */
static bool try_languages(struct source_seek *k)
{
	if (source_try_go(k, k->file) || source_try_rust(k, k->file))
		return true;
	return strcmp(k->file, k->name) != 0 && source_try_go(k, k->name);
}

bool source_seek(struct source_search *s, const char *file, struct source_seek *k)
{
	*k = (struct source_seek){
		.s = s, .file = file, .name = path_trimmed(file, s->w->trim_path, s->path), .fd = -1
	};
	if (!*file || strlen(file) >= PATH_MAX) /* no file is called so */
		return false;
	return try_symfs(k, file) || try_as_pprof(k) || try_languages(k) || source_try_tree(k, file);
}

void source_seek_release(struct source_seek *k)
{
	for (unsigned i = 0; i < k->n_tried; i++)
		free(k->tried[i].path);
	buf_release(&k->found);
}

void source_seek_why(const struct source_seek *k, struct buf *out)
{
	const char *why = strlen(k->name) < PATH_MAX ? "no such file or directory" : "file name too long";

	if (*k->name != '/') {
		buf_addf(out, "could not find file %s on path %s", k->name, k->s->path);
		return;
	}
	for (unsigned i = 0; i < k->n_tried; i++)
		if (k->tried[i].why && strcmp(k->tried[i].path, k->name) == 0)
			why = k->tried[i].why;
	buf_addf(out, "open %s: %c%s", k->name, tolower((unsigned char)*why), why + 1);
}
