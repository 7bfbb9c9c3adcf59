/*
 * idset.h - sets of profile ids, to find profiles that are in several files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_UPKEEP_IDSET_H
#define STORE_LOCAL_UPKEEP_IDSET_H

#include "base/err.h"
#include "store/local/format/segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idset {
	uint8_t (*id)[16]; /* [n] ascending after idset_sort */
	size_t n, cap;
};

/* Add the profiles of a chapter, or of all chapters of a segment. Fails with ERR_FORMAT. */
int idset_add_chapter(struct idset *s, const struct chapter *ch, struct err *err);
int idset_add_segment(struct idset *s, const struct segment *segment, struct err *err);

void idset_sort(struct idset *s);
bool idset_has(const struct idset *s, const uint8_t id[16]);
void idset_release(struct idset *s);

/* Are all ids of a in one of the sets? */
bool idset_is_within(const struct idset *a, const struct idset *sets, size_t n);

#endif
