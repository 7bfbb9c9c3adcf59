/*
 * debugfile.h - search for debug files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEBUGFILE_H
#define SYMBOL_DEBUGFILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/object_file.h"
#include "symbol/options.h"

#include <stdbool.h>

/* A search for one file. */
struct debugfile_search {
	struct arena *mem; /* memory for paths */
	const struct symbol_options *w;
	const char *build_id; /* required build id; "" for any */
	bool crc_known;       /* a file without a build id must have this checksum */
	uint32_t crc;
	bool dwarf;        /* must the file contain DWARF? */
	struct buf *tried; /* receives a line per path tried; may be NULL */
};

/* Open a file if it meets the requirements of the search. */
bool debugfile_try(const struct debugfile_search *s, const char *path, struct object_file *out);

/* Search by build id below /usr/lib/debug, and in perf's ~/.debug; ending is "" or ".debug". */
bool debugfile_by_id(const struct debugfile_search *s, const char *ending, struct object_file *out);

/* The path of a file (elf, debug, vdso, kallsyms) of a build id in perf's ~/.debug, in s->mem; "" without one. */
const char *debugfile_perf_path(const struct debugfile_search *s, const char *name);

/* The checksum in .gnu_debuglink: CRC-32 as in zlib. */
uint32_t debugfile_crc(const uint8_t *data, size_t n);

/* Append a line about a path; tried may be NULL. */
void debugfile_note(struct buf *tried, const char *place, const char *what);

#endif
