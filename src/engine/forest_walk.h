/*
 * forest_walk.h - walk the trees of a profile with a forest (profile/forest.h)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_FOREST_WALK_H
#define ENGINE_FOREST_WALK_H

#include "base/mem.h"
#include "engine/places.h"
#include "engine/view.h"
#include "profile/forest.h"

#include <stdint.h>
#include <stdlib.h>

/*
 * The functions of a walk: enter is called for each wanted node before its callees, leave after them.
 *
 * arg    that of the thread
 * path   [depth + 1] the locations from the root to the node
 * sum    of the samples of the node and those below it; div: the same of the divisors of a mean, else 0
 */
struct forest_walk {
	bool (*wants)(const void *arg, const uint32_t *path, uint32_t depth);
	void (*enter)(void *arg, const uint32_t *path, uint32_t depth);
	void (*leave)(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div);
};

/* Walk a tree. The functions are inlined if walk is a constant. When the stop flag of the view is set, samples are
   missing. */
static inline void walk_tree(const struct view *v, const struct forest_tree *t, const struct forest_walk *walk,
			     void *arg);

/* Call fn for all trees, on n threads. arg: [n] one per thread */
typedef void walk_forest_fn(const struct view *v, const struct forest_tree *t, void *arg);
void walk_forest(const struct view *v, walk_forest_fn *fn, void *const *arg, unsigned n);

/* The number of threads for a walk. */
unsigned walk_forest_threads(const struct view *v);

/* Sums of samples, in an arena. */
struct forest_sums {
	int64_t *cum, *div; /* [places] div: of the divisors; NULL unless the view has a mean */
	int64_t *several;   /* [places_n_several] of the samples with a location that has several places */
};
void walk_forest_cum(const struct view *v, const struct places *pl, struct arena *mem, struct forest_sums *out);

/* --- inline, because a window has millions of nodes --- */

/* A type of the view: where a tree has its values, and their total in the nodes so far. */
struct forest_walk_type {
	uint32_t column;
	int64_t factor, total;
};

/* The path to the current node. */
struct forest_walk_path {
	uint32_t *loc; /* [cap] */
	struct forest_walk_start {
		uint32_t depth;
		int64_t sum, div; /* the totals before the node: so the sum of its subtree is a difference */
	} * start;                /* [cap] of the wanted nodes */
	size_t cap;
};

/* Make room for a node. */
void walk_grow_path(struct forest_walk_path *p);

static inline struct forest_walk_type walk_find_type(const struct forest_tree *t, uint32_t type)
{
	struct forest_walk_type out = { 0 };

	out.column = forest_find_column(t, type, &out.factor);
	return out;
}

static inline __attribute__((always_inline)) void walk_tree(const struct view *v, const struct forest_tree *t,
							    const struct forest_walk *walk, void *arg)
{
	struct forest_walk_type type = walk_find_type(t, v->type), div = walk_find_type(t, 0);
	uint32_t n_types = v->p->forest->n_types, depth = 0, n_starts = 0;
	int64_t *value = mem_alloc(n_types, sizeof(*value));
	struct forest_walk_path path = { 0 };
	struct forest_reader r;
	struct forest_node node;

	forest_reader_init(&r, t, n_types);
	for (uint64_t i = 0; !stop_step(v->stop, i) && forest_read(&r, &node, value); i++) {
		if (depth == path.cap)
			walk_grow_path(&path);
		path.loc[depth] = node.loc;
		if (walk->wants(arg, path.loc, depth)) {
			path.start[n_starts++] = (struct forest_walk_start){ depth, type.total, div.total };
			walk->enter(arg, path.loc, depth);
		}
		if (node.has_value) {
			type.total += value[type.column] * type.factor;
			div.total += v->mean ? value[div.column] * div.factor : 0;
		}
		depth = depth + 1 - node.n_ends;
		while (n_starts > 0 && path.start[n_starts - 1].depth >= depth) {
			struct forest_walk_start start = path.start[--n_starts];

			walk->leave(arg, path.loc, start.depth, type.total - start.sum, div.total - start.div);
		}
	}
	free(path.loc);
	free(path.start);
	free(value);
}

#endif
