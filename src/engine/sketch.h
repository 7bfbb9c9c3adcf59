/*
 * sketch.h - upper bounds of many sums, in an array of counters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A value is added to the counter at the hash of its key, so a counter is the sum of one or more keys and never less
 * than the sum of each. Keys whose counter stays below the limit need no exact sum.
 */
#ifndef ENGINE_SKETCH_H
#define ENGINE_SKETCH_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of reach: no key of this counter can reach the limit, all can; between them is the tag of the only one. */
enum { REACH_NONE = 0, REACH_ALL = UINT16_MAX };

struct sketch {
	uint64_t limit;    /* 1 to 2^63; sums stop growing when they reach it, so they never overflow */
	size_t mask;       /* number of counters - 1 */
	uint64_t *counter; /* [mask + 1] */
	uint16_t *reach;   /* [mask + 1] NULL before sketch_close */
};

/* n is the number of counters, a power of two. */
void sketch_init(struct sketch *k, uint64_t limit, size_t n);
void sketch_release(struct sketch *k);

/* Add the counters of another sketch with the same limit and size. */
void sketch_merge(struct sketch *k, const struct sketch *from);

/* Accept all keys whose counter has reached the limit. Keys that are added later need sketch_accept. */
void sketch_close(struct sketch *k);

/* Return true if the sum of this key can reach the limit, and accept it. */
bool sketch_accept(struct sketch *k, uint64_t hash);

static inline uint64_t sketch_hash(uint32_t a, uint32_t b)
{
	return hash_mix(a ^ hash_secret[0], b ^ hash_secret[1]);
}

/* Add to a sum that stops growing at the limit. */
static inline void sketch_add_to(const struct sketch *k, uint64_t *sum, uint64_t v)
{
	if (*sum < k->limit)
		*sum += v < k->limit ? v : k->limit;
}

static inline void sketch_add(struct sketch *k, uint64_t hash, uint64_t v)
{
	sketch_add_to(k, &k->counter[hash & k->mask], v);
}

static inline uint16_t sketch_tag(uint64_t hash)
{
	return (uint16_t)(1 + (hash >> 32) % (REACH_ALL - 1));
}

/* Return true if this key may have been accepted; false only if it was not. */
static inline bool sketch_accepts(const struct sketch *k, uint64_t hash)
{
	uint16_t reach = k->reach[hash & k->mask];

	return reach == REACH_ALL || (reach != REACH_NONE && reach == sketch_tag(hash));
}

#endif
