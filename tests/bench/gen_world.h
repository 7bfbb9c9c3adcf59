/*
 * gen_world.h - a made-up program and stacks walked through it
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_BENCH_GEN_WORLD_H
#define TESTS_BENCH_GEN_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum {
	MAX_LEVELS = 80,
	MAX_FRAMES = 200,
	N_MAPPINGS = 3,
	FUNC_BYTES = 512, /* machine code of one function */
	FILE_FUNCS = 14,  /* functions in one source file */
};

/* What kind of profile to make. */
struct kind {
	const char *name;
	uint32_t n_samples, n_funcs, n_packages;
	uint32_t more_locs; /* chance in 100 that a function has one more location, and one more */
	uint32_t die;       /* sides of the die thrown for a level: the higher, the deeper */
	uint32_t turn;      /* each turn-th stack starts at the next location in turn */
	bool labels;
	bool by_address; /* ids of locations are in order of address, not of first use */
};

struct mapping {
	uint64_t start;
	uint32_t share; /* of 100 packages */
	const char *file, *build_id;
};

extern const struct mapping mappings[N_MAPPINGS];

struct rng {
	uint64_t state;
};

struct world {
	uint32_t n_funcs, n_physical; /* functions from n_physical on are always inlined */
	uint32_t n_levels, n_locs, n_packages;
	uint32_t level_first[MAX_LEVELS + 1]; /* functions are sorted by level */
	uint32_t *package;                    /* [n_funcs] */
	uint32_t *place;                      /* [n_funcs] place among the functions of its package */
	uint32_t *loc_first;                  /* [n_physical + 1] locations are sorted by function */
	bool *recursive;                      /* [n_physical] */
	uint32_t *caller_now;                 /* [n_physical] the caller of the last walk, within the list below */
	uint32_t *caller_off;                 /* [n_physical + 1] */
	uint32_t *caller;                     /* [caller_off[n_physical]] locations that call the function */
	uint32_t *func;                       /* [n_locs] */
	uint32_t *inlined[2];                 /* [n_locs] functions inlined there, innermost first, or 0 */
	uint32_t *by_rank;                    /* [n_locs] locations, the most popular leaf first */
	uint32_t *package_first;              /* [n_packages + 1] place of its code, in functions */
};

struct stacks {
	uint32_t n;
	uint64_t *off;               /* [n + 1] */
	uint32_t *loc;               /* [off[n]] */
	uint64_t *hash, *label_hash; /* [n] */
	uint64_t *seen;              /* [n_slots] open addressing over hash, 0 is free */
	uint32_t n_slots;            /* a power of two */
};

/* Zeroed memory; exits when there is none. */
void *must_alloc(size_t count, size_t size);

/* A number in [0, n). */
uint32_t rng_below(struct rng *r, uint32_t n);

/* True in percent of 100 cases. */
bool rng_percent(struct rng *r, uint32_t percent);

/* A rank in [0, n) that comes up about as often as 1 / (rank + 1). */
uint32_t rng_zipf(struct rng *r, uint32_t n);

/* Make up a program; world_release frees what it holds. */
void world_make(struct world *w, const struct kind *k, struct rng *r);
void world_release(struct world *w);

/* The mapping a package's code is in, an index of mappings. */
uint32_t world_mapping(const struct world *w, uint32_t package);

/* The place of a function's code, in functions from the start of its mapping. */
uint32_t world_place(const struct world *w, uint32_t f);

/* The line a function starts at in its file. */
uint32_t world_start_line(const struct world *w, uint32_t f);

/* Room for n stacks and none in it; stacks_release frees it. */
struct stacks stacks_make(uint32_t n);
void stacks_release(struct stacks *s);

/* Add a stack: a new one, or 4 times in 100 one that is there already. */
void stacks_add(struct stacks *s, struct world *w, const struct kind *k, struct rng *r);

#endif
