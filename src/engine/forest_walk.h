/*
 * forest_walk.h - walk the trees of a profile with a forest (profile/forest.h)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_FOREST_WALK_H
#define ENGINE_FOREST_WALK_H

#include "engine/places.h"
#include "engine/view.h"

#include <stdint.h>

/*
 * The functions of a walk: enter is called for each node before its children, leave after them.
 *
 * arg    that of the thread
 * path   [depth + 1] the locations from the root to the node
 * sum    of the samples of the node and those below it; div: the same of the divisors of a mean, else 0
 */
struct forest_walk {
	void (*enter)(void *arg, const uint32_t *path, uint32_t depth);
	void (*leave)(void *arg, const uint32_t *path, uint32_t depth, int64_t sum, int64_t div);
};

/* Walk all trees. arg: [n] one per thread. When the stop flag of the view is set, samples are missing. */
void walk_forest(const struct view *v, const struct forest_walk *walk, void *const *arg, unsigned n);

/* The number of threads for a walk. */
unsigned walk_forest_threads(const struct view *v);

/* cum of each place: [places] in mem. div: that of the divisors; NULL unless the view has a mean */
int64_t *walk_forest_cum(const struct view *v, const struct places *pl, struct arena *mem, int64_t **div);

#endif
