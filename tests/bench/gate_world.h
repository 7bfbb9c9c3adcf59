/*
 * gate_world.h - simulated programs with known changes, and gate results for their profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCH_GATE_WORLD_H
#define BENCH_GATE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum { WORLD_FUNCS = 300, WORLD_TARGET = 10, WORLD_NONE = -1, SCENE_RUNS_MAX = 16 };

/* A program: the cost of each function without its callees, and the tree of calls. */
struct world {
	double share[WORLD_FUNCS];         /* flat; the sum is 1 */
	int parent[WORLD_FUNCS];           /* a lower number, or WORLD_NONE */
	uint32_t n_below[WORLD_FUNCS + 1]; /* subtree of function i: below[n_below[i] .. n_below[i + 1]) */
	uint32_t *below;
	bool is_tree;
	uint32_t depth;
};

/* Make a program without calls. WORLD_TARGET has the share target, if that is above 0. */
void world_flat(struct world *w, double target);
/* Make a program with a tree of calls and shares in random order. */
void world_tree(struct world *w, uint64_t seed);
void world_release(struct world *w);
/* The cum share of a function. */
double world_cum_share(const struct world *w, int func);

/* Sample types of a profile. */
enum scene_counts {
	SCENE_COUNTS,   /* samples/count and cpu/nanoseconds, one tick per stack */
	SCENE_WEIGHTED, /* the same, with missed ticks only in the nanoseconds, like profiles of cpa */
	SCENE_TICKS,    /* only cpu/nanoseconds, with several ticks per stack */
};

/* A comparison to simulate in many trials. */
struct scene {
	const struct world *world;
	unsigned runs[2];                      /* files of each side */
	double samples[2][SCENE_RUNS_MAX];     /* expected stacks of each file */
	double noise;                          /* standard deviation of ln(cost) of a function between runs */
	double fifth;                          /* the same for every fifth function except WORLD_TARGET; 0 for none */
	double factor[WORLD_FUNCS];            /* true cost of new over base; 0 means 1 */
	bool is_added[WORLD_FUNCS];            /* missing in base */
	bool is_renamed[WORLD_FUNCS];          /* has another name in new */
	bool is_without_frame[2][WORLD_FUNCS]; /* inlined on that side: its samples count for its caller */
	enum scene_counts counts;
	double missed;       /* mean number of missed ticks per stack */
	double preempted[2]; /* share of stacks with a preemption frame as leaf */
	double contended;    /* cost factor in new of the tenth of functions that use much memory; 0 for 1 */
	int target;          /* the function to detect, or WORLD_NONE */
	uint64_t seed;
};

/* Set the runs of a side, and its expected stacks, which are divided equally among them. */
void scene_set_side(struct scene *s, int side, unsigned runs, double samples);
void scene_set_sides(struct scene *s, unsigned runs, double samples);

/* Numbers of trials. A false alarm is a row that did not become slower. */
struct tally {
	unsigned trials, tests;
	unsigned naive, fail, suspect;             /* trials with a false alarm; suspect: FAIL or SUSPECT */
	unsigned unsure;                           /* INCONCLUSIVE trials */
	unsigned hit_naive, hit_fail, hit_suspect; /* trials that name the target */
};

/* Run trials first, first + step, ... below end, and add their results to out. */
void scene_run_trials(const struct scene *s, unsigned first, unsigned end, unsigned step, struct tally *out);

#endif
