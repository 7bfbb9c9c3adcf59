/*
 * source_path.c - find a source file of a profile on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A profile may name any path, so only regular files are opened: never a pipe, which can block, or a device, which can
 * be endless. The content is shown only to the user, with whose permissions it is read. A path below symfs cannot leave
 * it, neither with .. nor by a symbolic link (without openat2, only a link at the end of the path is refused).
 *
 * A program that was built elsewhere contains source paths of that machine; the same files are below another folder
 * here. First, a folder to search, or one of its parents, is matched with a folder of the same name in the path.
 * Second, the ends of the path are tried below each folder to search, longest first. Third, if folders to search were
 * given, all files below them are listed once, and the file with the longest common end is used if it is unique. Wrong
 * lines are worse than none, and many projects have a main.c: the folder of the file must match too, unless the profile
 * does not name it.
 */
#include "config.h"

#include "symbol/source/source_path.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/search.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_ENTRIES = 1000000, MAX_DEPTH = 40, MAX_PARTS = 64 };

struct source_tree {
	size_t n, n_entries; /* number of files; number of directory entries read */
	const char **path;   /* [n] sorted by last part, then by path */
};

static int by_last_part(const void *a, const void *b)
{
	const char *l = *(const char *const *)a, *r = *(const char *const *)b;
	int c = strcmp(path_base(l), path_base(r));

	return c ? c : strcmp(l, r);
}

static int source_path_by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Add all files below a folder on its file system, except those in hidden folders. */
static void source_path_add_files(struct source_search *s, struct source_tree *t, size_t *cap, char *dir)
{
	FTS *fts = fts_open((char *const[]){ dir, NULL }, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, source_path_by_name);
	FTSENT *e;

	while (fts && t->n_entries < MAX_ENTRIES && (e = fts_read(fts))) {
		bool is_hidden = e->fts_level > 0 && e->fts_name[0] == '.';

		t->n_entries++;
		if (e->fts_info == FTS_D && (is_hidden || e->fts_level > MAX_DEPTH))
			fts_set(fts, e, FTS_SKIP);
		if (e->fts_info != FTS_F || is_hidden)
			continue;
		t->path = mem_grow(t->path, cap, t->n + 1, sizeof(*t->path));
		t->path[t->n++] = arena_strndup(s->mem, e->fts_path, strlen(e->fts_path));
	}
	if (fts)
		fts_close(fts);
}

static struct source_tree *source_path_tree_of(struct source_search *s)
{
	struct source_tree *t = s->tree;
	size_t cap = 0;

	if (t)
		return t;
	s->tree = t = arena_zalloc(s->mem, 1, sizeof(*t));
	for (const char *dir = s->w->source_path, *end; *dir; dir = end + (*end != 0)) {
		end = dir + strcspn(dir, ":");
		if (end > dir)
			source_path_add_files(s, t, &cap, arena_strndup(s->mem, dir, (size_t)(end - dir)));
	}
	arena_own(s->mem, t->path);
	if (t->n)
		qsort(t->path, t->n, sizeof(*t->path), by_last_part);
	return t;
}

/* Length of the common end of two paths, in whole parts; 0 if only the file name is equal, unless b is only a
   file name. */
static size_t common_end(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), n = 0, whole = 0, min_len = strlen(path_base(b)) + 1;

	while (n < la && n < lb && a[la - 1 - n] == b[lb - 1 - n])
		if (a[la - 1 - n++] == '/')
			whole = n;
	if ((n == la || a[la - 1 - n] == '/') && (n == lb || b[lb - 1 - n] == '/'))
		whole = n;
	return whole > min_len || n == lb ? whole : 0;
}

struct source_path_name_key {
	const struct source_tree *t;
	const char *name;
};

static bool source_path_is_before_name(const void *arg, size_t i)
{
	const struct source_path_name_key *key = arg;

	return strcmp(path_base(key->t->path[i]), key->name) < 0;
}

static bool try_files(struct source_lookup *k, const char *file)
{
	const struct source_tree *t = source_path_tree_of(k->s);
	const char *name = path_base(file), *best = NULL;
	size_t longest = 0, n_best = 0,
	       first = lower_bound(0, t->n, source_path_is_before_name, &(struct source_path_name_key){ t, name });

	for (size_t i = first; i < t->n && strcmp(path_base(t->path[i]), name) == 0; i++) {
		size_t n = common_end(t->path[i], file);

		n_best = n > longest ? 1 : n_best + (n > 0 && n == longest);
		best = n > longest ? t->path[i] : best;
		longest = n > longest ? n : longest;
	}
	return n_best == 1 && source_try(k, SOURCE_GUESS, "%s", best);
}

/* Try the ends of the path, up to MAX_PARTS parts, below each folder to search. */
static bool try_ends(struct source_lookup *k, const char *file)
{
	size_t parts = 0;

	for (const char *c = file; *c; c++)
		parts += *c == '/';
	for (const char *part = strchr(file, '/'); part; part = strchr(part, '/')) {
		if (parts-- > MAX_PARTS) {
			part++;
			continue;
		}
		part += strspn(part, "/");
		if (!strchr(part, '/'))
			return false;
		for (const char *dir = k->s->path, *end;; dir = end + 1) {
			end = dir + strcspn(dir, ":");
			if (source_try(k, SOURCE_GUESS, "%.*s/%s", (int)(end - dir), dir, part))
				return true;
			if (!*end)
				break;
		}
	}
	return false;
}

static bool try_tree(struct source_lookup *k, const char *file)
{
	return try_ends(k, file) || (*path_base(file) && try_files(k, file));
}

#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

void source_search_init(struct source_search *s, const struct symbol_options *w)
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

unsigned source_glob(struct source_search *s, const char *pattern, const char **out, unsigned max)
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

/* Record a path that was tried without success, if it is among the most likely ones. */
static void record_tried(struct source_lookup *k, enum source_rank rank, const char *path, const char *why)
{
	unsigned at = k->n_tried;

	assert(k->n_tried <= N_SOURCE_TRIED && path);
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

void source_reject(struct source_lookup *k, const char *path, const char *why)
{
	if (access(path, R_OK) == 0)
		record_tried(k, SOURCE_EXACT, path, why);
}

/* The reason why a file cannot be used; NULL if it can. */
static const char *file_problem(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is not a regular file";
	return st->st_size > SOURCE_MAX ? "is over 64 MiB" : NULL;
}

/* The reason why a file could not be opened; NULL if it does not exist. */
static const char *open_error(void)
{
	return errno == ENOENT || errno == ENOTDIR ? NULL : strerror(errno);
}

/* Check the result of open: a descriptor, or -1 with errno. Returns true if it is a file to read. */
static bool check_opened(struct source_lookup *k, enum source_rank rank, const char *path, int fd)
{
	const char *why = fd < 0 ? open_error() : NULL;
	struct stat st;

	assert(k->fd < 0);
	if (fd >= 0) {
		why = fstat(fd, &st) < 0 ? strerror(errno) : file_problem(&st);
		if (!why && !source_is_allowed(k->s, fd)) {
			k->is_refused = true;
			why = "not shown: it is outside of the folders with sources; allow it with -source_path";
		}
		if (!why) {
			k->fd = fd;
			buf_addz(&k->found, path);
			return true;
		}
		close(fd);
	}
	record_tried(k, rank, path, why);
	return false;
}

bool source_try(struct source_lookup *k, enum source_rank rank, const char *fmt, ...)
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
		record_tried(k, rank, path.data, open_error());
	else if (file_problem(&st)) /* opening a device may have side effects */
		record_tried(k, rank, path.data, file_problem(&st));
	else
		found = check_opened(k, rank, path.data, open(path.data, OPEN_FLAGS));
	buf_release(&path);
	return found;
}

/* Open a path below a folder; no part of it may lead out of the folder. */
static int source_path_open_below(const char *dir, const char *path)
{
	int root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;

	if (root < 0)
		return -1;
#ifdef SYS_openat2
	struct open_how options = { .flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT };

	fd = (int)syscall(SYS_openat2, root, path, &options, sizeof(options));
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) { /* older sandboxes return EPERM */
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

static bool try_symfs(struct source_lookup *k, const char *file)
{
	const char *symfs = k->s->w->symfs;
	const char *clean;

	if (!*symfs || *file != '/')
		return false;
	clean = symbol_path_join(k->s->mem, file, "", "", "");
	return check_opened(k, SOURCE_EXACT, arena_printf(k->s->mem, "%s%s", symfs, clean),
			    source_path_open_below(symfs, clean));
}

/* Replace a folder by its parent. Returns false if it has none. */
static bool to_parent(struct buf *dir)
{
	struct buf up = { 0 };
	bool is_new;

	path_add_dir(&up, buf_text(dir));
	is_new = strcmp(up.data, buf_text(dir)) != 0;
	buf_release(dir);
	*dir = up;
	return is_new;
}

/* Try a relative path below a folder and all folders above it. */
static bool try_upward(struct source_lookup *k, const char *name, const char *dir, size_t n)
{
	struct buf at = { 0 };
	enum source_rank rank = SOURCE_LIKELY;
	bool found = false;

	buf_add(&at, dir, n);
	do {
		found = source_try(k, rank, "%s%s%s", buf_text(&at), at.len ? "/" : "", name);
		rank = SOURCE_GUESS;
	} while (!found && to_parent(&at));
	buf_release(&at);
	return found;
}

/* Try a path: an absolute one as it is, another one below the folders to search and the folders above them. */
static bool source_path_try(struct source_lookup *k, const char *name)
{
	if (*name == '/')
		return source_try(k, SOURCE_EXACT, "%s", name);
	for (const char *dir = k->s->path, *end;; dir = end + 1) {
		end = dir + strcspn(dir, ":");
		if (try_upward(k, name, dir, (size_t)(end - dir)))
			return true;
		if (!*end)
			return false;
	}
}

/*
 * Try the path that pprof tries, then the path as recorded. pprof removes everything before the name of a folder to
 * search, even if the full path is correct. A relative path that was shortened this way can name another file, so the
 * full path is tried first.
 */
static bool try_recorded(struct source_lookup *k)
{
	bool is_shorter = strcmp(k->name, k->file) != 0, is_guess = is_shorter && !*k->s->w->trim_path;

	if (is_guess && *k->file != '/' && source_path_try(k, k->file))
		return true;
	return source_path_try(k, k->name) || (is_shorter && source_path_try(k, k->file));
}

/*
 * Try the rest of the path after the name of a folder, below a folder of that name: dir or one of its parents. dir is
 * absolute, and modified.
 */
static bool try_namesakes(struct source_lookup *k, char *dir)
{
	unsigned n_tries = 0;

	for (char *slash; (slash = strrchr(dir, '/')) && slash[1]; *slash = 0) {
		size_t n = strlen(slash);

		for (const char *at = k->file; n_tries < MAX_PARTS && (at = strstr(at, slash)); at += n)
			if (at[n] == '/' && (n_tries++, source_try(k, SOURCE_GUESS, "%s%s", dir, at + n)))
				return true;
	}
	return false;
}

static bool try_folders(struct source_lookup *k)
{
	for (const char *dir = k->s->path, *end;; dir = end + 1) {
		char *real;
		bool found;

		end = dir + strcspn(dir, ":");
		real = realpath(end > dir ? arena_strndup(k->s->mem, dir, (size_t)(end - dir)) : ".", NULL);
		found = real && try_namesakes(k, real);
		free(real);
		if (found || !*end)
			return found;
	}
}

/* Try the source folders of Go and Rust: with the name in the profile and, for Go, with the trimmed name. */
static bool try_languages(struct source_lookup *k)
{
	if (source_try_go(k, k->file) || source_try_rust(k, k->file))
		return true;
	return strcmp(k->file, k->name) != 0 && source_try_go(k, k->name);
}

bool source_lookup(struct source_search *s, const char *shown, const char *file, struct source_lookup *k)
{
	*k = (struct source_lookup){
		.s = s, .file = file, .name = path_trim(shown, s->w->trim_path, s->path), .fd = -1
	};
	if (!*file || strlen(file) >= PATH_MAX) /* not a valid file name */
		return false;
	return try_symfs(k, file) || try_recorded(k) || try_languages(k) || try_folders(k) || try_tree(k, file);
}

void source_lookup_release(struct source_lookup *k)
{
	for (unsigned i = 0; i < k->n_tried; i++)
		free(k->tried[i].path);
	buf_release(&k->found);
}

void source_lookup_add_reason(const struct source_lookup *k, struct buf *out)
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
