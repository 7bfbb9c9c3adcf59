/*
 * idmap.h - map the ids of a file to indices of a column
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In nearly all files the ids are 1, 2, 3 and so on, which needs no table. Other dense ids use an array,
 * sparse ids a hash table.
 */
#ifndef FORMATS_PPROF_IDMAP_H
#define FORMATS_PPROF_IDMAP_H

#include "base/idtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap {
	size_t n;           /* ids */
	const uint64_t *id; /* [n] borrowed */
	uint32_t *direct;   /* [direct_end] index + 1, or NULL */
	uint64_t direct_end;
	bool sequential; /* id[i] is i + 1 */
	struct idtab sparse;
};

/*
 * Initialize a map of n ids; id is borrowed.
 *
 * duplicate  set to an id that occurs twice, or to 0 if an id is 0
 * Returns    false if there is such an id
 */
bool idmap_init(struct idmap *m, const uint64_t *id, size_t n, uint64_t *duplicate);
void idmap_release(struct idmap *m);

/* idmap_get for a map whose ids are not 1, 2, 3 and so on. */
uint32_t idmap_find(const struct idmap *m, uint64_t id);

/* The index of an id, or IDMAP_NONE. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t id)
{
	if (m->sequential)
		return id - 1 < m->n ? (uint32_t)(id - 1) : IDMAP_NONE;
	return idmap_find(m, id);
}

#endif
