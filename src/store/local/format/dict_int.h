/*
 * dict_int.h - parts of a dictionary that its files share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_DICT_INT_H
#define STORE_LOCAL_FORMAT_DICT_INT_H

#include "base/err.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "profile/keys.h"
#include "profile/merge_ids.h"
#include "store/local/format/dict_append.h"

#include <stddef.h>
#include <stdint.h>

#define DICT_ID_MAX 0xfffffff0 /* entries of a table */

enum { DICT_FRAMES_MAX = 1 << 28 }; /* in all stacks of a profile */

/* Finds entries by content. The ids of all keys are those of the dictionary. */
struct dict_index {
	struct merge_known known;
	struct merge_ids ids; /* for dict_add_profile */
	struct idtab labels, sets;
	struct idtab nodes; /* by dict_path_hash, those that do not follow their caller */
	struct idtab rows;  /* those of empty stacks, and those after the first row of a leaf */
	uint32_t *leaf_row; /* [d->n_nodes] first row of a leaf, or PROFILE_NONE */
	size_t cap_leaf_rows;
	struct idtab leaves; /* leaves of added stacks, by the builder_stack_hash */
	/* lists of types and of places, and the first meta that has each */
	struct keys types, places;
	uint32_t *types_meta, *places_meta; /* [types.n], [places.n] */
	size_t cap_types_meta, cap_places_meta;
	struct keys metas, series;
	/* buffers */
	uint64_t *word;
	uint32_t *list;
	size_t cap_words, cap_list;
};

/* --- dict.c --- */

/* Make room for n entries in all columns of a table. */
void dict_grow_functions(struct dict *d, size_t n);
void dict_grow_locations(struct dict *d, size_t n);
void dict_grow_lines(struct dict *d, size_t n);
void dict_grow_nodes(struct dict *d, size_t n);
void dict_grow_labels(struct dict *d, size_t n);
void dict_grow_label_sets(struct dict *d, size_t n, size_t n_items);
void dict_grow_rows(struct dict *d, size_t n);

/* Read the nodes from leaves [n], at most DICT_PATHS, to their roots into the CPU cache: the cache misses of the leaves
   overlap, those of a leaf cannot. PROFILE_NONE is ignored. */
enum { DICT_PATHS = 32 };
void dict_prefetch_paths(const struct dict *d, const uint32_t *leaf, size_t n);

/* Update d->memory. */
void dict_count_memory(struct dict *d);

/* --- dict_index.c --- */

void dict_index_free(struct dict_index *x); /* takes NULL */
size_t dict_index_memory(const struct dict_index *x);

/* The id of an entry, which is added if it is new. There must be an index. */
int dict_add_label(struct dict *d, const struct builder_label *l, uint32_t *id, struct err *err);
int dict_add_label_set(struct dict *d, const uint32_t *labels, size_t n, uint32_t *id, struct err *err);

/* The hash of the frames from the root to a location. caller: that of the frame before it; 0 for the root */
static inline uint32_t dict_path_hash(uint32_t caller, uint32_t loc)
{
	return (uint32_t)hash_u64((uint64_t)caller << 32 | loc);
}

/*
 * The nodes of successive frames, which are added if they are new.
 *
 * caller  the node of the frame before them; PROFILE_NONE at the root
 * locs    [n] locations, the caller first
 * hash    [n] their dict_path_hash
 * node    [n] filled in
 */
int dict_add_path(struct dict *d, uint32_t caller, const uint32_t *locs, const uint32_t *hash, size_t n, uint32_t *node,
		  struct err *err);

/* Find the leaf of a stack that was added before; n is not 0. hash: the builder_stack_hash */
bool dict_find_stack(const struct dict *d, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *node);

/*
 * The leaf of a stack that dict_find_stack did not find.
 *
 * locs   [n] locations, leaf first
 * hash   the builder_stack_hash
 * path   [n] their dict_path_hash, root first
 */
int dict_add_stack(struct dict *d, const uint32_t *locs, size_t n, uint64_t hash, const uint32_t *path, uint32_t *node,
		   struct err *err);

/* Prefetch what dict_add_path reads for a frame: by its dict_path_hash, by its caller, and some time later by its hash again. */
void dict_prefetch_node(const struct dict *d, uint32_t hash);
void dict_prefetch_node_after(const struct dict *d, uint32_t caller);
void dict_prefetch_found_node(const struct dict *d, uint32_t hash);

/* Prefetch what dict_add_stack reads first. Some time later, call the second function: the node with which it will compare the
   stack, for dict_prefetch_paths, or PROFILE_NONE. */
void dict_prefetch_stack(const struct dict *d, const uint32_t *path, size_t n);
uint32_t dict_guess_stack(const struct dict *d, const uint32_t *path, size_t n);

/* The same for dict_add_row. */
void dict_prefetch_row(const struct dict *d, uint32_t node);
void dict_prefetch_found_row(const struct dict *d, uint32_t node);

/* --- dict_meta.c --- */

/* The id of a meta, whose lists are copied. same_types and same_places are filled in. */
int dict_add_meta(struct dict *d, const struct dict_meta *m, uint32_t *id, struct err *err);

/* The id of a series, whose lists are copied. */
int dict_add_series_ids(struct dict *d, const struct dict_series *s, uint32_t *id, struct err *err);

/* Add the decoded metas and series to a new index. */
int dict_index_metas(struct dict *d, struct err *err);

/* --- dict_profile.c --- */

/* The entries of a dictionary as a profile without samples, with relative addresses, for profile/merge_ids.h. */
void dict_view(const struct dict *d, struct profile *view);

#endif
