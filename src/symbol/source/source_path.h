/*
 * source_path.h - find a source file of a profile on this machine
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_SOURCE_SOURCE_PATH_H
#define SYMBOL_SOURCE_SOURCE_PATH_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOURCE_MAX = 64 << 20 }; /* bytes of a source file */

/* Shared by all searches; most of it is computed when first needed. */
struct source_search {
	const struct symbol_options *w;
	const char *path;           /* the folders to search, separated by colons; never "" */
	struct arena *mem;          /* memory of go, rust and tree */
	struct source_go *go;       /* data of source_path_go.c; NULL until needed */
	struct source_rust *rust;   /* data of source_path_rust.c; NULL until needed */
	struct source_tree *tree;   /* data of source_path.c; NULL until needed */
	struct source_roots *roots; /* data of source_roots.c; NULL until needed */
};

/* Likelihood that the user expects the file at a path where it was not found. */
enum source_rank { SOURCE_EXACT, SOURCE_LIKELY, SOURCE_GUESS, N_SOURCE_TRIED = 3 };

/* A search for one file. */
struct source_lookup {
	struct source_search *s;
	const char *file; /* name in the profile */
	const char *name; /* name with prefixes trimmed */
	int fd;           /* descriptor of the file if found, else -1 */
	struct buf found; /* path of the file, if found */
	struct {
		char *path;
		const char *why; /* reason for rejecting the file; NULL if it does not exist */
		enum source_rank rank;
	} tried[N_SOURCE_TRIED]; /* the most likely of the paths tried, best first */
	unsigned n_tried;
	bool is_refused; /* is there a file that may not be read? */
};

/* w must outlive s. Released with source_search_release. */
void source_search_init(struct source_search *s, const struct symbol_options *w);
void source_search_release(struct source_search *s);

/*
 * Find a file: at the paths that pprof tries, and otherwise below symfs, at its recorded path, where Go and Rust keep
 * sources, and below the folders to search at paths with the same end. Only regular files of at most SOURCE_MAX bytes
 * are opened.
 *
 * shown   the name of the file in reports, which may be shorter; borrowed by k
 * file    its name in the profile; borrowed by k
 * k       released with source_lookup_release, which does not close k->fd
 * Returns true when it was found and opened
 * Like    pprof internal/report openSourceFile, for the first part
 */
bool source_lookup(struct source_search *s, const char *shown, const char *file, struct source_lookup *k);
void source_lookup_release(struct source_lookup *k);

/* Append the reason why the file was not found, in pprof's words. */
void source_lookup_add_reason(const struct source_lookup *k, struct buf *out);

/* Try a path. Returns true when the file is there; k->fd is then open. */
bool source_try(struct source_lookup *k, enum source_rank rank, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Record a file of another version than the profile's, which is not shown. why: the reason; it outlives k. */
void source_reject(struct source_lookup *k, const char *path, const char *why);

/* Expand a glob pattern, in reverse order, so that the newest of several versions is first; in the arena. Returns the
   number of matches, at most max. */
unsigned source_glob(struct source_search *s, const char *pattern, const char **out, unsigned max);

/* Try the source folders of Go: modules around the folders to search, the module cache, vendor folders, GOROOT and
   GOPATH. */
bool source_try_go(struct source_lookup *k, const char *file);

/* Try the source folders of Rust: the standard library in toolchains, and the registry of cargo. */
bool source_try_rust(struct source_lookup *k, const char *file);

/* May this open file be read, according to source_access? */
bool source_is_allowed(struct source_search *s, int fd);

/* Allow files below a folder; source_add_build_root: below the directory in which a compiler ran, unless it is the root
   or contains the home folder. */
void source_add_root(struct source_search *s, const char *folder);
void source_add_build_root(struct source_search *s, const char *folder);

/* Allow files below the folders of toolchains and modules. */
void source_add_go_roots(struct source_search *s);
void source_add_rust_roots(struct source_search *s);

#endif
