/*
 * cache.h - frames that were found before, in a file for each build id
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file that is damaged, of another version or another machine is as if it were not there.
 */
#ifndef SYMBOL_CACHE_H
#define SYMBOL_CACHE_H

#include "base/arena.h"
#include "symbol/frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_frame {
	uint32_t name, file; /* where in text */
	uint32_t line, column, start_line;
};

/* What a file holds; all in the arena of the call. */
struct cache {
	uint32_t n, n_frames, n_text;
	const uint64_t *addr;            /* [n] ascending, each once */
	const uint32_t *off;             /* [n + 1] as in struct frames */
	const struct cache_frame *frame; /* [n_frames] */
	const char *text;                /* [n_text] texts with a NUL each; the first is "" */
};

/* Read what is known of a binary; false, and *out empty, when nothing is. */
bool cache_load(const char *dir, const char *build_id, struct arena *mem, struct cache *out);

/* The same from the bytes of a file, which live longer. */
bool cache_parse(const void *data, size_t n, const char *build_id, struct cache *out);

/* The sum that the bytes of a file, at least 16, must have in the second 8 of them. Any one changed byte
   behind those changes it. */
uint64_t cache_sum(const void *data, size_t n);

/*
 * Store what was known and what was found: old, and the frames of addr[f->n], none of which is in old.
 * The oldest files of the folder go when it grows too large. Says nothing when it cannot.
 */
void cache_save(const char *dir, const char *build_id, const struct cache *old, const uint64_t *addr,
		const struct frames *f);

#endif
