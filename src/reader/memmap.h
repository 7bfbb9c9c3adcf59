/*
 * memmap.h - memory maps as text, and which mapping an address is in
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_MEMMAP_H
#define READER_MEMMAP_H

#include "reader/reader.h"

#include <stddef.h>
#include <stdint.h>

struct lines;

/* Zero-initialised it is empty. */
struct memmap {
	struct mapping *map; /* [n] */
	size_t n, cap;
};

void memmap_release(struct memmap *m);

/*
 * Append the executable mappings of all lines that are left: /proc/PID/maps, or the brief form
 * "start-end: perms file (@offset) buildid". Log prefixes are cut off; "key=value" replaces $key in
 * later lines; other lines are nothing.
 *
 * str     where file names go
 * Fails   ERR_LIMIT for too many; ERR_FORMAT when the keys blow the text up
 * Like    pprof profile/legacy_profile.go, ParseProcMaps; keys of more than 31 bytes are not used
 */
int memmap_read(struct memmap *m, struct lines *in, struct strtab *str, const struct reader_limits *limits,
		struct err *err);

/*
 * Join neighbours that are one mapping, then put the main binary first: the first named one that
 * is neither a library nor like "[vdso]" changes places with the first.
 *
 * Like    pprof profile/profile.go, massageMappings
 */
void memmap_settle(struct memmap *m, struct strtab *str);

/*
 * Find the mapping of each address, as if one after another.
 *
 * addr    [n], may hold one address several times; 0 is in no mapping
 * map     [n] set to places in m->map or PROFILE_NONE. When an address is nowhere, one mapping of
 *         everything is appended for it and the like
 * Like    pprof profile/legacy_profile.go, remapMappingIDs, but a mapping that ends before it
 *         starts never takes in what is below it
 */
void memmap_assign(struct memmap *m, const struct strtab *str, const uint64_t *addr, uint32_t n, uint32_t *map);

#endif
