/*
 * gen_world.h - a synthetic program and random stacks of it
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

/* Parameters of a kind of profile. */
struct profile_kind {
	const char *name;
	uint32_t n_samples, n_funcs, n_packages;
	uint32_t more_locs; /* probability in percent of each further location of a function */
	uint32_t die;       /* sides of the dice that choose levels: more sides, more levels */
	uint32_t turn;      /* every turn-th stack starts at the next location in order */
	bool labels;
	bool by_address; /* location ids are in order of address instead of first use */
	uint32_t random; /* frames of each stack, drawn from all locations with the same probability, or 0 for walks */
};

struct mapping {
	uint64_t start;
	uint32_t share; /* percentage of packages */
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
	uint32_t *place;                      /* [n_funcs] index within its package */
	uint32_t *loc_first;                  /* [n_physical + 1] locations are sorted by function */
	bool *recursive;                      /* [n_physical] */
	uint32_t *caller_now;                 /* [n_physical] last caller: caller[caller_off[f] + caller_now[f]] */
	uint32_t *caller_off;                 /* [n_physical + 1] */
	uint32_t *caller;                     /* [caller_off[n_physical]] locations that call the functions */
	uint32_t *func;                       /* [n_locs] */
	uint32_t *inlined[2];                 /* [n_locs] functions inlined there, innermost first, or 0 */
	uint32_t *by_rank;                    /* [n_locs] locations, the most popular leaf first */
	uint32_t *package_first;              /* [n_packages + 1] position of its code, in functions */
};

struct stacks {
	uint32_t n;
	uint64_t *off;               /* [n + 1] */
	uint32_t *loc;               /* [off[n]] */
	uint64_t *hash, *label_hash; /* [n] */
	uint64_t *seen;              /* [n_slots] open addressing over hash, 0 is free */
	uint32_t n_slots;            /* a power of two */
};

/* Allocate zeroed memory, or exit. */
void *must_alloc(size_t count, size_t size);

/* A random number in [0, n). */
uint32_t rng_below(struct rng *r, uint32_t n);

/* True with a probability in percent. */
bool rng_percent(struct rng *r, uint32_t percent);

/* A random rank in [0, n), with a frequency of about 1 / (rank + 1). */
uint32_t rng_zipf(struct rng *r, uint32_t n);

/* Make a program; free it with world_release. */
void world_make(struct world *w, const struct profile_kind *k, struct rng *r);
void world_release(struct world *w);

/* The mapping of a package, an index of mappings. */
uint32_t world_mapping(const struct world *w, uint32_t package);

/* The position of a function in its mapping, in functions. */
uint32_t world_place(const struct world *w, uint32_t f);

/* The first line of a function in its file. */
uint32_t world_start_line(const struct world *w, uint32_t f);

/* Make an empty set for n stacks; free it with stacks_release. */
struct stacks stacks_make(uint32_t n);
void stacks_release(struct stacks *s);

/* Add a random stack: in 4 of 100 cases one that exists already. */
void stacks_add(struct stacks *s, struct world *w, const struct profile_kind *k, struct rng *r);

#endif
