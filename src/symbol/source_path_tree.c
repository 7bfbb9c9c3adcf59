/*
 * source_path_tree.c - a source file by the end of its path
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that was built elsewhere names its sources by paths of that machine; here the same files
 * are below some other folder. The longest end of the path that leads to a file from a folder to
 * search is taken first. Then, if folders were named to be searched, all files below them are looked
 * through once, and the one that has the longest end in common is taken if it is alone. Wrong lines
 * are worse than none, and there is a main.c everywhere: the folder that a file is in has to be the
 * same too, unless the profile does not name it.
 */
#include "config.h"

#include "symbol/source_path.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/search.h"

#include <fts.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ENTRIES = 1000000, MAX_DEPTH = 40, MAX_PARTS = 64 };

struct source_tree {
	size_t n, n_entries; /* files; whatever was looked at */
	const char **path;   /* [n] by their last part, then as text */
};

static int by_last_part(const void *a, const void *b)
{
	const char *l = *(const char *const *)a, *r = *(const char *const *)b;
	int c = strcmp(path_base(l), path_base(r));

	return c ? c : strcmp(l, r);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All files below a folder on its file system, but for those in hidden ones. */
static void add_files(struct source_search *s, struct source_tree *t, size_t *cap, char *dir)
{
	FTS *fts = fts_open((char *const[]){ dir, NULL }, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
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

static struct source_tree *tree_of(struct source_search *s)
{
	struct source_tree *t = s->tree;
	size_t cap = 0;

	if (t)
		return t;
	s->tree = t = arena_zalloc(s->mem, 1, sizeof(*t));
	for (const char *dir = s->w->source_path, *end; *dir; dir = end + (*end != 0)) {
		end = dir + strcspn(dir, ":");
		if (end > dir)
			add_files(s, t, &cap, arena_strndup(s->mem, dir, (size_t)(end - dir)));
	}
	arena_own(s->mem, t->path);
	if (t->n)
		qsort(t->path, t->n, sizeof(*t->path), by_last_part);
	return t;
}

/* How many bytes the ends of two paths have in common, in whole parts; 0 for one part of several. */
static size_t common_end(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), n = 0, whole = 0, least = strlen(path_base(b)) + 1;

	while (n < la && n < lb && a[la - 1 - n] == b[lb - 1 - n])
		if (a[la - 1 - n++] == '/')
			whole = n;
	if ((n == la || a[la - 1 - n] == '/') && (n == lb || b[lb - 1 - n] == '/'))
		whole = n;
	return whole > least || n == lb ? whole : 0;
}

struct name_key {
	const struct source_tree *t;
	const char *name;
};

static bool is_before_name(const void *arg, size_t i)
{
	const struct name_key *key = arg;

	return strcmp(path_base(key->t->path[i]), key->name) < 0;
}

static bool try_files(struct source_seek *k, const char *file)
{
	const struct source_tree *t = tree_of(k->s);
	const char *name = path_base(file), *best = NULL;
	size_t most = 0, n_best = 0, first = lower_bound(0, t->n, is_before_name, &(struct name_key){ t, name });

	for (size_t i = first; i < t->n && strcmp(path_base(t->path[i]), name) == 0; i++) {
		size_t n = common_end(t->path[i], file);

		n_best = n > most ? 1 : n_best + (n > 0 && n == most);
		best = n > most ? t->path[i] : best;
		most = n > most ? n : most;
	}
	return n_best == 1 && source_try(k, SOURCE_GUESS, "%s", best);
}

/* The ends of the path, up to MAX_PARTS parts, below each folder to search. */
static bool try_ends(struct source_seek *k, const char *file)
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

bool source_try_tree(struct source_seek *k, const char *file)
{
	return try_ends(k, file) || (*path_base(file) && try_files(k, file));
}
