/*
 * where.h - where binaries, debug files and source files are looked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_WHERE_H
#define SYMBOL_WHERE_H

#include "base/arena.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stdint.h>

struct debuginfod; /* symbol/debuginfod.h */

/*
 * Told while a debuginfod server keeps us waiting, from half a second on, a few times a second at most.
 *
 * name    of what is fetched, for people; hostile; NULL: that was all, clean up
 * got     of size bytes, both 0 as long as nothing comes
 */
typedef void (*symbol_progress_fn)(void *arg, const char *name, int64_t got, int64_t size);

/* Texts are borrowed from whoever made it; "" where there is none. */
struct symbol_where {
	const char *symfs;           /* a folder that stands for /, put in front of every absolute path */
	const char *binary_path;     /* folders that hold binaries, parted by colons */
	const char *tools;           /* folders, or TOOL:FOLDER, parted by commas, for objdump */
	const char *source_path;     /* folders that hold source files, parted by colons; "" is where we are */
	const char *trim_path;       /* prefixes to take off source file names, parted by colons */
	const char *cache;           /* a folder for what was found out about binaries */
	bool fast;                   /* symbol tables only */
	bool debuginfod;             /* servers may be asked */
	int64_t debuginfod_seconds;  /* for all that they are asked together */
	struct debuginfod *servers;  /* what they were asked so far; NULL: they are not asked */
	symbol_progress_fn progress; /* NULL, or told of waiting; by one thread at a time */
	void *progress_arg;
	struct stop *stop; /* ends looking; NULL: never */
};

/*
 * What the environment says: PPROF_BINARY_PATH, else $HOME/pprof/binaries; PPROF_TOOLS; cpa/symbols
 * in $XDG_CACHE_HOME or $HOME/.cache; debuginfod if DEBUGINFOD_URLS is set.
 *
 * mem     texts that are put together live there
 */
void symbol_where_init(struct symbol_where *w, struct arena *mem);

/*
 * Join up to four parts by slashes, without the empty ones, and clean the path: no double slashes, no ".", no names
 * that ".." cancels. "" when all are empty.
 *
 * Like    Go's filepath.Join
 */
const char *where_join(struct arena *mem, const char *a, const char *b, const char *c, const char *d);

/* The last name of a path, "." for none, "/" for slashes alone. Like Go's filepath.Base. */
const char *where_base(struct arena *mem, const char *path);

/* All but the last name, cleaned. Like Go's filepath.Dir. */
const char *where_dir(struct arena *mem, const char *path);

/*
 * Read the next entry of a list that is separated by colons, as PATH is.
 *
 * list    the rest of the list, advanced; NULL after its end; an empty list has no entries
 * Gives   the entry, "" for one that is empty; NULL at the end
 */
const char *where_part(struct arena *mem, const char **list);

#endif
