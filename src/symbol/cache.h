/*
 * cache.h - frames found by earlier runs, in one file per key
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file that is damaged, or was written by another version or on another kind of machine, is ignored.
 */
#ifndef SYMBOL_CACHE_H
#define SYMBOL_CACHE_H

#include "base/arena.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_frame {
	uint32_t name, file; /* offsets in text */
	uint32_t line, column, start_line;
};

/* Contents of a cache file, in the arena of the call. */
struct cache {
	uint32_t n, n_frames, n_text;
	const uint64_t *addr;            /* [n] ascending, unique */
	const uint32_t *off;             /* [n + 1] offsets, as in struct frames */
	const struct cache_frame *frame; /* [n_frames] */
	const char *text;                /* [n_text] NUL-terminated texts; the first is "" */
};

/*
 * Read the cached frames of a binary; false, and *out empty, when there are none.
 *
 * key     hexadecimal digits that differ for binaries with other contents
 */
bool cache_load(const char *dir, const char *key, struct arena *mem, struct cache *out);

/* Like cache_load, but parse the contents of a cache file, which must outlive *out. */
bool cache_parse(const void *data, size_t n, const char *key, struct cache *out);

/* Checksum of a file of at least 16 bytes; it is stored in bytes 8 to 15. Changing any single byte after those changes
   the checksum. */
uint64_t cache_sum(const void *data, size_t n);

/*
 * Store the frames of old and those of addr[f->n]; no address may be in both. The least recently used files are removed
 * when the folder grows too large. Failures are ignored.
 */
void cache_save(const char *dir, const char *key, const struct cache *old, const uint64_t *addr,
		const struct frames *f);

#endif
