/*
 * source_path.h - where a source file that a profile names may be on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SOURCE_PATH_H
#define SYMBOL_SOURCE_PATH_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_MAX = 64 << 20 }; /* bytes of a source file */

/* What searches share, most of it found out when first needed. */
struct source_search {
	const struct symbol_where *w;
	const char *path;         /* the folders to search, parted by colons; never "" */
	struct arena *mem;        /* owns what is found out */
	struct source_go *go;     /* source_path_go.c; NULL until needed */
	struct source_rust *rust; /* source_path_rust.c */
	struct source_tree *tree; /* source_path.c */
};

/* How likely a place is the one that somebody means who did not find the file there. */
enum source_rank { SOURCE_EXACT, SOURCE_LIKELY, SOURCE_GUESS, N_SOURCE_TRIED = 3 };

/* A file that is being looked for. */
struct source_seek {
	struct source_search *s;
	const char *file; /* as the profile names it */
	const char *name; /* without prefixes that are trimmed */
	int fd;           /* of the file once it is found, else -1 */
	struct buf found; /* then: its path */
	struct {
		char *path;
		const char *why; /* NULL when there is no such file */
		enum source_rank rank;
	} tried[N_SOURCE_TRIED]; /* the best of the places tried, the most likely first */
	unsigned n_tried;
};

/* w lives longer; released with source_search_release. */
void source_search_init(struct source_search *s, const struct symbol_where *w);
void source_search_release(struct source_search *s);

/*
 * Look for a file: where pprof does, and where it finds nothing, below symfs, where Go and Rust keep
 * sources, and below the folders to search for paths that end alike. What is no regular file, or
 * larger than SOURCE_MAX, is not taken.
 *
 * file    borrowed by k
 * k       released with source_seek_release, which does not close k->fd
 * Gives   true when it was found and opened
 * Like    pprof internal/report openSourceFile, for the first part
 */
bool source_seek(struct source_search *s, const char *file, struct source_seek *k);
void source_seek_release(struct source_seek *k);

/* Append why the file was not found, as pprof puts it. */
void source_seek_why(const struct source_seek *k, struct buf *out);

/* For those who know more places: try one. Gives true when the file is there; k->fd is then open. */
bool source_try(struct source_seek *k, enum source_rank rank, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What a pattern of the shell matches, the last first, which of versions is the newest; in the arena.
   Gives how many, at most max. */
unsigned source_dirs(struct source_search *s, const char *pattern, const char **out, unsigned max);

/* Go's places: modules around the folders to search, the module cache, vendor folders, GOROOT, GOPATH. */
bool source_try_go(struct source_seek *k, const char *file);

/* Rust's places: the library's sources in toolchains, cargo's registry and checkouts. */
bool source_try_rust(struct source_seek *k, const char *file);

#endif
