/*
 * binaries.h - the binaries of a profile that a report looks into
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
#include "engine/query.h"
#include "profile/profile.h"
#include "symbol/object.h"
#include "symbol/where.h"

#include <stdbool.h>
#include <stdint.h>

enum { BINARY_NONE = -1 };

struct binary {
	uint32_t map;     /* the first mapping */
	struct object *o; /* NULL when it was not found */
};

struct binaries {
	const struct profile *p;
	struct symbol_where where;
	bool verbose;
	int64_t *of_map; /* [p->n_maps] number of the binary once asked for; BINARY_NONE */
	uint32_t n;
	size_t cap;
	struct binary *binary; /* [n] in the order asked for */
	struct err why;        /* why the first one was not found; msg "" when all were */
};

/* None yet. mem and q live longer; released with binaries_release. */
void binaries_init(struct binaries *b, const struct profile *p, const struct query *q, struct arena *mem);
void binaries_release(struct binaries *b);

/*
 * The number of the binary of a mapping, which is opened when it was not yet.
 *
 * notes   a line is appended for one that is not found, with -v also for each place that was tried
 * Gives   BINARY_NONE when it is not found
 */
int64_t binaries_of(struct binaries *b, uint32_t map, struct buf *notes);

/* An address of a mapping whose binary was found, as it is in the binary; false when it is not in there. */
bool binaries_address(const struct binaries *b, uint32_t map, uint64_t addr, uint64_t *out);

#endif
