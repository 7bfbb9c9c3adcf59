/*
 * debugfile.h - where debug files are
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SYMBOL_DEBUGFILE_H
#define SYMBOL_DEBUGFILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "symbol/object_file.h"
#include "symbol/where.h"

#include <stdbool.h>

/* A search for one file. */
struct debugfile {
	struct arena *mem; /* for paths */
	const struct symbol_where *w;
	const char *build_id; /* that it must have; "" for any */
	bool crc_known;       /* without a build id its bytes must have this sum */
	uint32_t crc;
	bool dwarf;        /* it must hold DWARF */
	struct buf *tried; /* NULL, or gets a line for each place */
};

/* Open the file when it is the one that is sought. */
bool debugfile_try(const struct debugfile *s, const char *path, struct object_file *out);

/* Look for it by its build id, below /usr/lib/debug: with this ending, "" or ".debug". */
bool debugfile_by_id(const struct debugfile *s, const char *ending, struct object_file *out);

/* The sum that .gnu_debuglink holds: CRC-32 as in zlib. */
uint32_t debugfile_crc(const uint8_t *data, size_t n);

/* Append a line about a place. Takes NULL for the list. */
void debugfile_note(struct buf *tried, const char *place, const char *what);

#endif
