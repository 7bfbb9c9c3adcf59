/*
 * memmap.h - read memory maps, and find the mappings of addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_LEGACY_MEMMAP_H
#define FORMATS_LEGACY_MEMMAP_H

#include "formats/common/format.h"

#include <stddef.h>
#include <stdint.h>

struct lines;

/* A zero-initialised map is empty. */
struct memmap {
	struct mapping *map; /* [n] */
	size_t n, cap;
};

void memmap_release(struct memmap *m);

/*
 * Append the executable mappings of all remaining lines: /proc/PID/maps, or the brief form
 * "start-end: perms file (@offset) buildid". Log prefixes are removed. A line "key=value" defines a
 * replacement for $key in later lines. Other lines are ignored.
 *
 * str     table for file names
 * Fails   ERR_LIMIT for too many mappings; ERR_FORMAT when replacements make the text too long
 * Like    pprof profile/legacy_profile.go, ParseProcMaps; keys of more than 31 bytes are ignored
 */
int memmap_read(struct memmap *m, struct lines *in, struct strtab *str, const struct format_options *options,
		struct err *err);

/*
 * Join adjacent parts of a mapping, then move the main binary to the front: the first mapping is
 * swapped with the first mapping that has a name and is neither a library nor like "[vdso]".
 *
 * Like    pprof profile/profile.go, massageMappings
 */
void memmap_normalize(struct memmap *m, struct strtab *str);

/*
 * Find the mapping of each address, in order. An address may extend a mapping, which then affects the addresses after
 * it.
 *
 * addr    [n], may have duplicates; 0 is in no mapping
 * map     [n] set to indices in m->map or PROFILE_NONE. If an address is in no mapping, a mapping of the
 *         whole address space is appended, for all such addresses
 * Like    pprof profile/legacy_profile.go, remapMappingIDs, but a mapping that ends before it
 *         starts is never extended downward
 */
void memmap_assign(struct memmap *m, const struct strtab *str, const uint64_t *addr, uint32_t n, uint32_t *map);

#endif
