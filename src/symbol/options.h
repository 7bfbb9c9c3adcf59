/*
 * options.h - options for finding binaries, debug files and source files
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
 * Reports progress while waiting for a debuginfod server: after half a second, at most four times a second.
 *
 * name    of the requested file, for messages; hostile; NULL: the request has ended, remove the message
 * got     bytes received of size; both 0 until data arrives
 */
typedef void (*symbol_progress_fn)(void *arg, const char *name, int64_t got, int64_t size);

/* Source files that may be read. Sources in the profile always may. */
enum source_access {
	SOURCE_ANY,   /* all that the user can read */
	SOURCE_LOCAL, /* for web pages: files below source_path, symfs, the working directory, the build directory of the
			 binary, and folders of toolchains and modules */
	SOURCE_NAMED, /* for web pages of uploaded profiles: files below source_path and symfs */
};

/* Texts are borrowed from the caller; "" for none. */
struct symbol_options {
	const char *symfs;       /* a folder to use as /: prepended to every absolute path */
	const char *binary_path; /* folders with binaries, separated by colons */
	const char *tools;       /* folders, or TOOL:FOLDER, of objdump, separated by commas */
	const char *debug_dir;   /* where perf keeps copies of binaries by build id: ~/.debug */
	const char *kallsyms;    /* file of kernel symbols to use, whatever its build id */
	const char *source_path; /* folders of source files, separated by colons; "" is the current one */
	const char *trim_path;   /* prefixes to remove from source file names, separated by colons */
	enum source_access source_access;
	const char *cache;           /* folder of the symbol cache */
	bool fast;                   /* symbol tables only */
	bool debuginfod;             /* use debuginfod servers */
	int64_t debuginfod_seconds;  /* time limit for all requests in total */
	struct debuginfod *servers;  /* state of all requests; NULL: no requests */
	symbol_progress_fn progress; /* may be NULL; called by one thread at a time */
	void *progress_arg;
	struct stop *stop; /* can stop a search; may be NULL */
};

/*
 * Set options from the environment: PPROF_BINARY_PATH, else $HOME/pprof/binaries; PPROF_TOOLS; cpa/symbols in
 * $XDG_CACHE_HOME or $HOME/.cache; PERF_BUILDID_DIR, else $HOME/.debug; debuginfod if DEBUGINFOD_URLS is set.
 *
 * mem     memory for texts that are composed
 */
void symbol_options_init(struct symbol_options *w, struct arena *mem);

/*
 * Join up to four parts with slashes, skip empty parts, and clean the path: no double slashes, no ".", no names before
 * "..". "" when all are empty.
 *
 * Like    Go's filepath.Join
 */
const char *symbol_path_join(struct arena *mem, const char *a, const char *b, const char *c, const char *d);

/* The last name of a path, "." for none, "/" for slashes alone. Like Go's filepath.Base. */
const char *symbol_path_last_name(struct arena *mem, const char *path);

/* All but the last name, cleaned. Like Go's filepath.Dir. */
const char *symbol_path_dir(struct arena *mem, const char *path);

/*
 * Read the next entry of a list that is separated by colons, as PATH is.
 *
 * list    the rest of the list, advanced; NULL after its end; an empty list has no entries
 * Returns the entry, which may be ""; NULL at the end
 */
const char *symbol_path_list_next(struct arena *mem, const char **list);

#endif
