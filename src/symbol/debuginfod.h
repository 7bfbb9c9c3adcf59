/*
 * debuginfod.h - files that debuginfod servers have
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libdebuginfod is loaded when it is first needed. It asks all servers of DEBUGINFOD_URLS at once,
 * and keeps what it got in its own cache, which gdb and others share.
 */
#ifndef SYMBOL_DEBUGINFOD_H
#define SYMBOL_DEBUGINFOD_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/object_file.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <time.h>

enum debuginfod_kind { DEBUGINFOD_DEBUG, DEBUGINFOD_PROGRAM };

/* What a run of cpa has asked so far: time that went by, what could not be had. From mem, which owns it. */
struct debuginfod *debuginfod_new(struct arena *mem);

/*
 * Ask for a program or its debug file. What comes is only taken when it has the build id.
 *
 * build_id  nobody is asked unless it is hexadecimal
 * name      of the program, for people
 * tried     NULL, or gets a line
 */
bool debuginfod_open(const struct symbol_where *w, enum debuginfod_kind kind, const char *build_id, const char *name,
		     struct buf *tried, struct object_file *out);

/*
 * Ask for a source file.
 *
 * file    as the DWARF of the program names it: an absolute path
 * Gives   a descriptor that the caller closes, and the path in the cache in *path; -1 for none
 */
int debuginfod_source(const struct symbol_where *w, const char *build_id, const char *file, struct arena *mem,
		      const char **path, struct buf *tried);

/* Append one sentence on what servers should have told and did not; false, and nothing, when they
   have told all, or that they know nothing of it. Names in it are hostile. */
bool debuginfod_missing(const struct symbol_where *w, struct buf *out);

/*
 * Remove from the cache of libdebuginfod what it recorded about a build id since a time: that no server has it. The
 * library (0.188) records that for ten minutes when a request is cancelled, too.
 */
void debuginfod_cache_forget(const char *build_id, time_t since);

#endif
