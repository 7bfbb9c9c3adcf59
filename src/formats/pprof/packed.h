/*
 * packed.h - decode packed lists of ids fast
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PACKED_H
#define FORMATS_PPROF_PACKED_H

#include "formats/pprof/idmap.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Decode varint ids to indices on a fast path. It stops before the last few numbers, before numbers of more than four
 * bytes, and before unknown ids. The caller must decode the remaining numbers.
 *
 * at, end   the list
 * readable  end of the readable bytes after the list, at least end
 * out       *out has room for end - at indices; it is advanced past the last index written
 * Returns   the first byte that is not decoded
 */
const uint8_t *packed_indices(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			      uint32_t **out);

/* The two implementations, for tests. packed_has_quads is false if the CPU does not support packed_quads. */
const uint8_t *packed_pairs(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    uint32_t **out);

bool packed_has_quads(void);
const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    uint32_t **out);

#endif
