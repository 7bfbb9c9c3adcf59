/*
 * packed.h - decode packed lists of ids fast
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_PACKED_H
#define READER_PACKED_H

#include "reader/idmap.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Decode varints to the places of their ids, for as long as that goes without looking twice: it
 * stops before the last few, before numbers of more than four bytes and before ids that have no
 * place. The caller takes over from there.
 *
 * at, end   the list
 * readable  end of the bytes around it, at least end
 * out       *out has room for end - at places; moved behind the last one written
 * Gives     where it stopped
 */
const uint8_t *packed_places(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			     uint32_t **out);

/* The two ways to do it; for tests. packed_quads is false where the processor cannot do it. */
const uint8_t *packed_pairs(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    uint32_t **out);

bool packed_has_quads(void);
const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    uint32_t **out);

#endif
