/*
 * binaries.h - the binaries of a profile that a report reads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Mappings of one file and build id are one binary.
 */
#ifndef REPORT_BINARIES_H
#define REPORT_BINARIES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "symbol/object.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stdint.h>

struct query;

enum { BINARY_NONE = -1 };

struct binary {
	uint32_t map;     /* first mapping of the binary */
	struct object *o; /* NULL if the binary was not found */
};

struct binaries {
	const struct profile *p;
	struct symbol_options where;
	bool verbose;
	int64_t *of_map; /* [p->n_maps] index in binary, BINARY_NONE, or a marker if not opened yet */
	uint32_t n;
	size_t cap;
	struct binary *binary;  /* [n] binaries in the order in which they were opened */
	struct err first_error; /* error for the first binary that was not found; msg is "" if all were */
};

/* Initialize without binaries. mem and q must outlive b, which is released with binaries_release. */
void binaries_init(struct binaries *b, const struct profile *p, const struct query *q, struct arena *mem);
void binaries_release(struct binaries *b);

/*
 * Return the index of the binary of a mapping, and open it on first use.
 *
 * notes   a line is appended if the binary is not found; with -v also for each path that was tried
 * Returns BINARY_NONE if it is not found
 */
int64_t binaries_open(struct binaries *b, uint32_t map, struct buf *notes);

/* Convert an address of a mapping whose binary was found to an address of the binary. Returns false if it is outside.
 * */
bool binaries_address(const struct binaries *b, uint32_t map, uint64_t addr, uint64_t *out);

/* Fill in the search paths from the environment, overridden by options. mem and q must outlive out. */
void report_where(const struct query *q, struct arena *mem, struct symbol_options *out);

/*
 * Parse a number in the syntax of C or Go: 0x1f, 0b11, 0o17, 017, 1_000.
 *
 * Returns false if text is not a number, or does not fit into 64 bits
 * Like    Go strconv.ParseUint with base 0
 */
bool address_parse(const char *text, uint64_t *out);

#endif
