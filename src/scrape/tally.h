/*
 * tally.h - counters by key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_TALLY_H
#define SCRAPE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A zero-initialised tally is empty. Keys are hashes of 64 bits; 0 and 1 are the same key. */
struct scrape_tally {
	uint64_t *key;
	uint32_t *count;
	size_t n, mask;
};

/* The key of some texts, in this process. */
uint64_t scrape_tally_key(uint64_t seed, const char *text, size_t n);

/* The counter of a key, NULL if it is 0 and add is not set. The pointer is valid until the next call that adds. */
uint32_t *scrape_tally_get(struct scrape_tally *t, uint64_t key, bool add);
void scrape_tally_release(struct scrape_tally *t);

#endif
