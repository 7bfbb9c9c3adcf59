/*
 * frames.h - object addresses to functions, files and lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_FRAMES_H
#define SYMBOL_FRAMES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"
#include "symbol/object.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stdint.h>

/* One function at an address; texts are in the arena of the call, "" where unknown. */
struct frame {
	const char *name;     /* name as in the file, not demangled */
	const char *file;     /* source file with its folder, as recorded by the compiler */
	int64_t line, column; /* 0 when unknown */
	int64_t start_line;   /* start line of the function; 0 if unknown */
};

/* The frames of address i are frame[off[i] .. off[i + 1]), innermost inlined call first. */
struct frames {
	uint32_t n;
	uint32_t *off;       /* [n + 1] */
	struct frame *frame; /* [off[n]] */
	const char *missing; /* the missing part of the DWARF, for messages; NULL: none */
	const char *source;  /* main source of the frames, for messages: "DWARF of PATH", "symbol table", "cache" */
};

/*
 * Find the frames of many object addresses in one pass over the binary. Uses the cache, and stores new frames in it.
 *
 * addr    [n] ascending, unique
 * tried   as object_debug
 * mem     the result lives there
 * Fails   ERR_FORMAT if the DWARF cannot be read at all (out then contains names from symbol tables); damaged parts are
 *         skipped
 * Like    llvm-symbolizer --inlining --demangle=false
 */
int frames_find(struct object *o, const struct symbol_options *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err);

/* Files to read. The caller closes them. */
struct frames_files {
	int fd;            /* descriptor of the program */
	int debug_fd;      /* descriptor of the file with its DWARF, possibly the same; -1 for none */
	int alt_fd;        /* descriptor of the supplementary file of debug_fd; -1 for none */
	const char *path;  /* path of the file with the DWARF, for messages */
	struct stop *stop; /* checked between units; NULL: cannot be stopped */
};

/*
 * Like frames_find, without the cache: from DWARF and symbol tables alone.
 *
 * is_complete   set; false if a file or unit was missing, so that a later search may find more
 */
int frames_read(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, bool *is_complete, struct err *err);

#endif
