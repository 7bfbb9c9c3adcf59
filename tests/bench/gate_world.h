/*
 * gate_world.h - programs whose changes are known, and what a gate says of their profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GATE_WORLD_H
#define BENCH_GATE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum { WORLD_FUNCS = 300, WORLD_TARGET = 10, WORLD_NONE = -1 };

/* A program: what its functions cost themselves, and who calls whom. */
struct world {
	double share[WORLD_FUNCS];         /* of itself alone; together 1 */
	int parent[WORLD_FUNCS];           /* a lower number, or WORLD_NONE */
	uint32_t n_below[WORLD_FUNCS + 1]; /* with what is below function i: below[n_below[i] .. n_below[i + 1]) */
	uint32_t *below;
	bool is_tree;
	uint32_t depth;
};

/* Nobody calls anybody. WORLD_TARGET has this share of the whole when target is above 0. */
void world_flat(struct world *w, double target);
/* A tree of calls; shares are dealt out over it. */
void world_tree(struct world *w, uint64_t seed);
void world_release(struct world *w);
/* Its own share and that of all below. */
double world_cum(const struct world *w, int func);

/* A comparison that is drawn again and again. */
struct scene {
	const struct world *world;
	double samples[2];          /* expected ones of all files of base and of new */
	unsigned runs;              /* files of each side */
	double noise;               /* standard deviation of a function's ln cost from run to run */
	double fifth;               /* the same of each fifth function, but never of WORLD_TARGET; 0 for none */
	double factor[WORLD_FUNCS]; /* true cost of new over base; 0 means 1 */
	int target;                 /* whose detection is counted, or WORLD_NONE */
	uint64_t seed;
};

/* How often. False alarms are rows that did not become slower. */
struct tally {
	unsigned trials, tests;
	unsigned naive, fail, suspect;             /* trials with a false alarm; suspect: FAIL or SUSPECT */
	unsigned hit_naive, hit_fail, hit_suspect; /* trials in which the target was named */
};

/* Draw trials first, first + step, ... below end and add them up. */
void scene_try(const struct scene *s, unsigned first, unsigned end, unsigned step, struct tally *out);

#endif
