/*
 * debuginfod.h - files from debuginfod servers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libdebuginfod is loaded when it is first needed. It queries all servers of DEBUGINFOD_URLS at once, and stores the
 * files it receives in its own cache, which gdb and others share.
 */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <time.h>

struct object_file;

enum debuginfod_kind { DEBUGINFOD_DEBUG, DEBUGINFOD_PROGRAM };

/* State shared by all requests of a run of cpa: time spent, files not found. Owned by mem. */
struct debuginfod *debuginfod_new(struct arena *mem);

/*
 * Request a program or its debug file. A file with another build id is rejected.
 *
 * build_id  no request is sent unless it is hexadecimal
 * name      of the program, for messages
 * tried     a line is appended; may be NULL
 */
bool debuginfod_open(const struct symbol_options *w, enum debuginfod_kind kind, const char *build_id, const char *name,
		     struct buf *tried, struct object_file *out);

/*
 * Request a source file.
 *
 * file    absolute path, as in the DWARF of the program
 * Returns a descriptor that the caller closes, and in *path the path in the cache; -1 for none
 */
int debuginfod_source(const struct symbol_options *w, const char *build_id, const char *file, struct arena *mem,
		      const char **path, struct buf *tried);

/* Append a sentence about failed requests. Returns false and appends nothing if none failed; "not found" is not a
 * failure. File names in the sentence are untrusted. */
bool debuginfod_missing(const struct symbol_options *w, struct buf *out);

/*
 * Remove the "not found" entries that libdebuginfod has written to its cache for a build id since a time. The library
 * (0.188) also writes them, for ten minutes, when a request is cancelled.
 */
void debuginfod_cache_forget(const char *build_id, time_t since);

#endif
