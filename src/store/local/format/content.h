/*
 * content.h - hash of the content of a stored profile, independent of its dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * It distinguishes a profile that is stored again from another one of the same series and start. It is valid in one
 * process only, unless is_same_everywhere is set.
 */
#ifndef STORE_LOCAL_FORMAT_CONTENT_H
#define STORE_LOCAL_FORMAT_CONTENT_H

#include "store/local/format/dict.h"

#include <stddef.h>
#include <stdint.h>

/* Hashes of the entries of a dictionary; zero-initialised it is empty. */
struct store_content {
	uint64_t *func, *map, *loc, *node, *label, *set, *row;
	uint32_t n_funcs, n_maps, n_locs, n_nodes, n_labels, n_sets, n_rows; /* entries computed so far */
	size_t cap[7];
	bool is_same_everywhere; /* without a secret seed: somebody could choose content with equal hashes */
};

/* Compute the hashes of all entries. */
void content_extend(struct store_content *c, const struct dict *d);

/* The hash of the types, rows and values of a profile of d. d is the dictionary of earlier calls, which may have grown. */
uint64_t content_hash(struct store_content *c, const struct dict *d, const struct stored *s);
void content_release(struct store_content *c);

/* Bytes used. */
size_t content_memory(const struct store_content *c);

#endif
