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
#include "symbol/where.h"

#include <stdbool.h>
#include <stdint.h>

/* One function at an address; texts live in the arena of the call, "" where unknown. */
struct frame {
	const char *name;     /* as in the file, not demangled */
	const char *file;     /* with its folder, as the compiler saw it */
	int64_t line, column; /* 0 when unknown */
	int64_t start_line;   /* of the function; 0 when unknown */
};

/* The frames of address i are frame[off[i] .. off[i + 1]), innermost inlined call first. */
struct frames {
	uint32_t n;
	uint32_t *off;       /* [n + 1] */
	struct frame *frame; /* [off[n]] */
	const char *source;  /* what told most: "DWARF of PATH", "symbol table", "cache", for people */
};

/*
 * Find the frames of many object addresses in one pass over the binary; from the cache what it
 * knows, and what is new goes there.
 *
 * addr    [n] ascending, each once
 * tried   as object_debug
 * mem     the result lives there
 * Fails   ERR_FORMAT for DWARF that cannot be read at all (out then has what symbol tables tell);
 *         damaged parts are left out
 * Like    llvm-symbolizer --inlining --demangle=false
 */
int frames_find(struct object *o, const struct symbol_where *w, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, struct buf *tried, struct err *err);

/* Files to read; the caller closes them. */
struct frames_files {
	int fd;            /* of the program */
	int debug_fd;      /* with its DWARF: the same or another one; -1 for none */
	int alt_fd;        /* the supplementary file of that; -1 for none */
	const char *path;  /* of the one with the DWARF, for people */
	struct stop *stop; /* checked between two units; NULL: never stopped */
};

/*
 * As frames_find, without the cache: from DWARF and symbol tables alone.
 *
 * is_complete   set: was everything there, so that a later search cannot find more?
 */
int frames_read(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct arena *mem,
		struct frames *out, bool *is_complete, struct err *err);

#endif
