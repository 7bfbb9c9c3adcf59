/*
 * idmap.h - from the ids of a file to places in a column
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nearly all files number their tables 1, 2, 3 and so on, which needs no map; others are dense
 * enough for an array; sparse ones get a hash table.
 */
#ifndef READER_IDMAP_H
#define READER_IDMAP_H

#include "base/idtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
	size_t n;           /* ids */
	const uint64_t *id; /* [n] borrowed */
	uint32_t *direct;   /* [direct_end] place + 1, or NULL */
	uint64_t direct_end;
	bool sequential; /* id[i] is i + 1 */
	struct idtab sparse;
};

/*
 * Make the map of n ids, which stay the caller's.
 *
 * twice   set to an id that stands there twice or is 0, when the result is false
 */
bool idmap_init(struct idmap *m, const uint64_t *id, size_t n, uint64_t *twice);
void idmap_release(struct idmap *m);

/* idmap_get for a map that is not sequential. */
uint32_t idmap_find(const struct idmap *m, uint64_t id);

/* The place of an id, IDMAP_NONE when there is none. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t id)
{
	if (m->sequential)
		return id - 1 < m->n ? (uint32_t)(id - 1) : IDMAP_NONE;
	return idmap_find(m, id);
}

#endif
